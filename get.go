package mem

import (
	"errors"
	"slices"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Get gives the newest live memory of a key, at the cost of one file. What has expired is absent unless expired asks for it. The error
// is a *NotFoundError or the file system's.
func (s *Store) Get(key keypath.Key, expired bool) (log.Record, error) {
	if s.root() == nil {
		return log.Record{}, &NotFoundError{Key: key}
	}
	rec, found, err := compact.Lookup(s.root(), s.boot, key)
	if err != nil {
		return rec, err
	}
	if !found || !expired && content.Expired(rec.Content, s.stamp()) {
		return log.Record{}, &NotFoundError{Key: key}
	}
	return rec, nil
}

// Filter says which live memories List gives.
type Filter struct {
	Prefix  keypath.Prefix
	Expired bool // also those whose time is over
}

// List calls fn for every live memory by key. The record may share a buffer until fn returns. fn's error ends it.
func (s *Store) List(f Filter, fn func(log.Record) error) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	defer v.Close()
	s.warnDamaged(v.Damaged)
	now := s.stamp()
	for rec, err := range v.Below(f.Prefix) {
		if err != nil {
			return err
		}
		if !f.Expired && content.Expired(rec.Content, now) {
			continue
		}
		if err := fn(rec); err != nil {
			return err
		}
	}
	return nil
}

// Everything calls fn for every envelope ever written, archives first, each in the order of its file. A line that
// stands in two places, as a crash during rotation leaves it, comes twice.
func (s *Store) Everything(fn func(log.Record) error) error {
	if s.root() == nil {
		return nil
	}
	each := func(rec log.Record, err error) error {
		if err != nil {
			return s.damaged(err)
		}
		return fn(rec)
	}
	// The log is opened before the archives are listed, so a rotation meanwhile hides nothing.
	live, err := log.OpenReader(s.root())
	if err != nil && !absent(err) {
		return err
	}
	if live != nil {
		defer live.Close()
	}
	if err := compact.EachArchived(s.root(), each); err != nil || live == nil {
		return err
	}
	for rec, err := range log.Scan(live.From(0), log.File, log.Start{}) {
		if err := each(rec, err); err != nil {
			return err
		}
	}
	return nil
}

// History gives every version of a key, newest first. The error is a *NotFoundError where there never was one.
func (s *Store) History(key keypath.Key) ([]log.Record, error) {
	var versions []log.Record
	err := s.Everything(func(rec log.Record) error {
		if rec.Key == key {
			versions = append(versions, rec.Clone())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(versions) == 0 {
		return nil, &NotFoundError{Key: key}
	}
	slices.SortStableFunc(versions, newestFirst)
	return slices.CompactFunc(versions, sameLine), nil
}

func newestFirst(a, b log.Record) int {
	switch {
	case a.Wins(b):
		return -1
	case b.Wins(a):
		return 1
	}
	return 0
}

func sameLine(a, b log.Record) bool { return string(a.Line) == string(b.Line) }

// harmless lets a damaged line pass.
func harmless(err error) error {
	if errors.As(err, new(*log.Damage)) {
		return nil
	}
	return err
}

// damaged lets a damaged line pass with a warning. A torn tail is a writer at work, or the next one's to mend.
func (s *Store) damaged(err error) error {
	var d *log.Damage
	if errors.As(err, &d) && !errors.Is(err, log.ErrTorn) {
		s.warnDamaged([]*log.Damage{d})
	}
	return harmless(err)
}
