package exchange

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/log"
)

// maxRounds is how often the names are listed, while segments that were listed are gone.
const maxRounds = 10

// maxMachines is how many machines are known at a depot, maxName how many bytes of their names.
const (
	maxMachines = 1000
	maxName     = 200
)

// PlaceError is an error of the depot, not of the store.
type PlaceError struct{ error }

func (e *PlaceError) Unwrap() error { return e.error }

// fetch reads the segments that were not read yet, and those in which lines wait that may enter
// now.
func (x *exchange) fetch() error {
	if err := x.readNew(); err != nil {
		return err
	}
	x.setLimit()
	if x.free = x.frees(); !x.free || x.more {
		return nil
	}
	return x.readNew()
}

// readNew reads as many segments as are folded in at a time.
func (x *exchange) readNew() error {
	again := true
	for round := 0; again && round < maxRounds; round++ {
		again = false
		names, err := x.Place.List()
		if err != nil {
			return &PlaceError{err}
		}
		for name, lines := range x.seen.segments {
			if _, there := slices.BinarySearch(names, name); there {
				continue
			}
			if x.seen.drop(name); lines == elsewhere {
				continue
			}
			x.seen.forget() // a merge replaced it, or somebody has taken it away
			x.fetched, x.anew = nil, true
			break
		}
		for _, name := range names {
			lines, known := x.seen.segments[name]
			if known && (lines != unsettled || x.read[name] || !x.free) {
				continue
			}
			if x.size > x.room || x.news > 0 && x.half.Err() != nil {
				x.more = true
				return nil
			}
			if err := x.reading.Err(); err != nil {
				return err
			}
			err := x.readOne(name)
			if errors.Is(err, fs.ErrNotExist) {
				again = true // it was merged into another one meanwhile
				break
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// readOne reads one segment. One that cannot be read is reported, and tried next time.
func (x *exchange) readOne(name string) error {
	s, err := x.open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, depot.ErrNoServer):
		return err
	case x.seen.hadRead(name) && isRotten(err):
		// This machine can heal it, and its lines go as any that the depot lacks.
		x.seen.segments[name] = x.seen.former[name]
		return nil
	case err != nil:
		if x.reject(name, err); x.seen.former[name] == unsettled {
			x.seen.segments[name] = unsettled // its lines wait still
		}
		return nil
	}
	x.news++
	if x.onSegment != nil {
		x.onSegment(s)
	}
	if s.Scope != x.Scope && places.IsBackup(s.Scope) || s.File != "" {
		x.seen.hold(s, x.Scope)
		return nil
	}
	x.noteMachine(s)
	if s.Scope != x.Scope {
		x.seen.segments[name], x.seen.Scopes[s.Scope] = elsewhere, s.Project
		return nil
	}
	x.identify(s)
	x.seen.segments[name] = len(s.lines)
	x.fetched, x.opened[name], x.read[name] = append(x.fetched, s), s, true
	for _, e := range s.lines {
		x.size += sizeOf(e)
	}
	return nil
}

// open fetches a segment and opens it.
func (x *exchange) open(name string) (*segment, error) {
	if s := x.opened[name]; s != nil {
		return s, nil
	}
	sealed, err := x.Place.Get(name)
	if err != nil {
		return nil, &PlaceError{err}
	}
	x.rep.Bytes += int64(len(sealed))
	plain, err := x.Key.Open(x.Place.Info().ID, sealed)
	if err != nil {
		return nil, err
	}
	s, err := decode(plain)
	if err != nil {
		return nil, err
	}
	if s.name = name; s.Scope != User && !places.IsBackup(s.Scope) && !site.IsIdentity(s.Scope) {
		return nil, fmt.Errorf("%w: of the scope %.80q", ErrSegment, s.Scope)
	}
	return s, nil
}

// identify takes the identities that the segments of other machines name.
func (x *exchange) identify(s *segment) {
	at, err := log.ParseTime(s.At)
	if err != nil || s.Machine == x.Machine.ID || len(s.Identities) == 0 {
		return
	}
	newer, older := s.Identities, x.rep.Identities
	if x.known, at = max(x.known, at), x.known; x.known == at {
		newer, older = older, newer
	}
	x.rep.Identities = slices.DeleteFunc(slices.Clone(older), func(id string) bool {
		return slices.Contains(newer, id)
	})
	x.rep.Identities = append(x.rep.Identities, newer...)
}

// noteMachine notes the machine that wrote a segment, and the segments that it cannot read. The
// heads that are new say when it was last there.
func (x *exchange) noteMachine(s *segment) {
	for _, name := range s.Unread { // also of this id: a home that was copied may have it, too
		x.suspect[name] = true
	}
	at, err := log.ParseTime(s.At)
	if err != nil || s.Machine == x.Machine.ID || s.Machine == "" {
		return
	}
	_, known := x.seen.Machines[s.Machine]
	if known && x.seen.knew(s.name) {
		return
	}
	if at > x.heard[s.Machine] && (known || len(x.seen.Machines) < maxMachines) {
		x.heard[s.Machine] = at
		name := s.Name[:min(len(s.Name), maxName)]
		x.seen.Machines[s.Machine] = places.Machine{
			ID: s.Machine, Name: strings.ToValidUTF8(name, ""), At: at}
	}
}
