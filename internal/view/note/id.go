package note

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// IDs is how the notes of a store are called. Of the one store that --root names they are m-<n>, of
// every scope; in a store that several people or machines write, letters follow.
type IDs struct {
	// User is whether notes of scope user are called u-<n>: they are read together with the m-<n>
	// of a project, which is a store of its own.
	User bool
	// Writer, keypath.WriterLen letters, is a part of the ids where several people or machines
	// write, each to a copy, so that no two copies give one id twice; "" where nobody else writes.
	Writer string
	// Given is the highest number that is taken, whatever the store says: where several people
	// write, git may have taken the note away that has it.
	Given int64
}

// IDsOf returns how the notes of one of the stores of layers are called. The error is that of
// site.Site.Machine.
func IDsOf(one *site.Site) (ids IDs, err error) {
	ids = IDs{User: one.Layer == site.User, Writer: one.Writer()}
	switch {
	case ids.Writer != "":
		ids.Given = one.LastNoteNumber()
	case one.Machine != nil:
		var machine string
		if machine, err = one.Machine(); machine != "" {
			ids.Writer = site.Letters("machine " + machine)
		}
	}
	return ids, err
}

// number returns the number of a note for which the store has the next one.
func (ids IDs) number(next int64) int64 {
	if ids.Writer == "" || ids.Given-next > keypath.MaxGap {
		return next // nobody came to such a number
	}
	return max(next, ids.Given+1)
}

// ID returns the id of the note of a scope with a number.
func (ids IDs) ID(scope string, n int64) string {
	id := fmt.Sprintf("m-%d", n)
	if ids.User && scope == "user" {
		id = fmt.Sprintf("u-%d", n)
	}
	if ids.Writer != "" {
		id += "-" + ids.Writer
	}
	return id
}

// Split returns the key of a note as the key of its scope, see [Space], and its id; not ok for any
// other key.
func Split(key keypath.Key) (space keypath.Key, id string, ok bool) {
	if id, ok = keypath.NoteID(key); !ok {
		return space, "", false
	}
	space, err := keypath.Parse(strings.TrimSuffix(key.String(), "/"+id))
	return space, id, err == nil
}

// AmbiguousError names the keys that an id may mean.
type AmbiguousError struct {
	ID   string
	Keys []keypath.Key
}

func (e *AmbiguousError) Error() string {
	var keys []string
	for _, key := range e.Keys {
		keys = append(keys, key.String())
	}
	return e.ID + ": it may be one of " + strings.Join(keys, ", ")
}

// Is makes every AmbiguousError an ErrAmbiguous, and bad input.
func (e *AmbiguousError) Is(target error) bool {
	return target == ErrAmbiguous || target == mem.ErrInput
}

// Advice returns how to say which is meant.
func (e *AmbiguousError) Advice() advice.List {
	return advice.Say("give the key in place of the id, like " + e.Keys[0].String())
}

// keysOf returns the keys that a note of this id may have, for the scope is no part of it; none if
// it is no id.
func keysOf(id string) (keys []keypath.Key) {
	for _, scope := range Scopes {
		key, err := keypath.Parse(space + "/" + scope + "/" + id)
		if err != nil {
			continue
		}
		if bare, ok := keypath.NoteID(key); ok && bare == id {
			keys = append(keys, key)
		}
	}
	return keys
}

// IsID reports whether a text is spelled as the id of a note, like m-4.
func IsID(text string) bool { return len(keysOf(text)) > 0 }

// Reading returns the store in which a name is looked up. The id u-4 means a note of the user's
// layer alone, whatever a repository has under its key: one is that layer then, and else nil. The
// error is a *TwiceError for any other id that notes of two layers have.
func Reading(ctx context.Context, l *layers.Layers, c mem.Caller, name string) (
	s *mem.Store, one *site.Site, err error) {
	if l.Layered() && IsID(name) {
		if strings.HasPrefix(name, "u-") {
			s, err = l.AdmittedOf(l.Sites.User)
			return s, l.Sites.User, err
		}
		if err = checkLayers(ctx, l, c, name); err != nil {
			return nil, nil, err
		}
	}
	s, err = l.Reading()
	return s, nil, err
}

// TwiceError is the refusal of an id that a note of each layer has.
type TwiceError struct{ ID string }

func (e *TwiceError) Error() string { return e.ID + ": each layer has a note of this id" }

// Is makes every TwiceError an ErrAmbiguous, and bad input.
func (e *TwiceError) Is(target error) bool {
	return target == ErrAmbiguous || target == mem.ErrInput
}

// Advice returns how to say which is meant.
func (e *TwiceError) Advice() advice.List {
	return advice.Shell("--layer project or --layer user says which").
		Tools("give the key, which means the project's note")
}

// checkLayers refuses an id that live notes of several layers have: each store counts its own.
func checkLayers(ctx context.Context, l *layers.Layers, c mem.Caller, id string) error {
	holders := 0
	for _, one := range l.Sites.List() {
		s, err := l.Open(one)
		if err != nil {
			return err
		}
		found, err := stored(ctx, s, c, keysOf(id))
		if err != nil {
			return err
		}
		holders += min(len(found), 1)
	}
	if holders > 1 {
		return &TwiceError{id}
	}
	return nil
}

// unhyphened matches an id of a note in another spelling: without its hyphen, or its letter too.
// Compiled at every start, it took 2 % of the time of a mem get.
var unhyphened = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([mu]?)[-_ ]?([0-9]+)$`)
})

// Resolve returns the key that a name means, as blocks and lists print it: the id of a note, or a
// key, with or without its first slash (keypath.ParseName). An id means the live note that has it
// or the only one of which it is the short form, as m-4 is of m-4-abcd; where there is none, the
// one that had it. A key is meant where no note ever had it. The error is an *UnknownError, an
// *AmbiguousError, or as that of keypath.Parse.
func Resolve(ctx context.Context, s *mem.Store, c mem.Caller, name string) (keypath.Key, error) {
	if !IsID(name) {
		key, err := keypath.ParseName(name)
		if m := unhyphened().FindStringSubmatch(strings.ToLower(name)); m != nil {
			meant := cmp.Or(m[1], "m") + "-" + m[2]
			found, _ := called(ctx, s, c, meant)
			if had, _ := hadNote(ctx, s, c, key); !had && len(found) > 0 {
				err = &UnknownError{name, meant}
			}
		}
		return key, err
	}
	key, err := one(ctx, s, c, name)
	if errors.Is(err, ErrID) {
		plain := keypath.MustParse("/" + name) // as a segment of a note's key it has no fault
		if _, none := s.Get(ctx, c, plain, true); none == nil {
			return plain, nil
		}
	}
	return key, err
}

// Alone returns what reports whether the id in the key of a note means that note alone, to
// [Resolve]. An import may have brought notes of one id in two scopes. done ends it; it looks at
// the store when it is first asked.
func Alone(ctx context.Context, s *mem.Store, c mem.Caller) (alone func(string) bool, done func()) {
	var look *mem.Look
	alone = func(text string) bool {
		key, err := keypath.Parse(text)
		if err == nil && look == nil {
			look, err = s.Reader(c).Look(ctx)
		}
		id, ok := keypath.NoteID(key)
		if err != nil || !ok {
			return false
		}
		for _, other := range keysOf(id) {
			if other == key {
				continue
			}
			if held, err := look.Holds(ctx, other); held || err != nil {
				return false
			}
		}
		return true
	}
	return alone, func() {
		if look != nil {
			look.Close()
		}
	}
}

// one returns the key of the note that an id means, or else meant.
func one(ctx context.Context, s *mem.Store, c mem.Caller, id string) (keypath.Key, error) {
	found, err := called(ctx, s, c, id)
	if err == nil && len(found) == 0 {
		found, err = everCalled(ctx, s, id)
	}
	if err != nil {
		return keypath.Key{}, err
	}
	return only(id, found)
}

// only returns the one key that was found for an id.
func only(id string, found []keypath.Key) (key keypath.Key, err error) {
	switch len(found) {
	case 0:
		return key, &UnknownError{ID: id}
	case 1:
		return found[0], nil
	}
	return key, &AmbiguousError{ID: id, Keys: found}
}

// called returns the keys of the live notes that an id may mean: of those that have it or else of
// those whose short form it is. Among the latter is the deleted note that had the id: a caller who
// deletes it twice means no other one.
func called(ctx context.Context, s *mem.Store, c mem.Caller, id string) (
	found []keypath.Key, err error) {
	keys := keysOf(id)
	found, err = stored(ctx, s, c, keys)
	if err != nil || len(found) > 0 {
		return found, err
	}
	notes, err := keypath.ParsePrefix(space)
	if err != nil {
		return nil, err
	}
	for rec, err := range s.Reader(c).ScanBelow(ctx, notes) {
		if err != nil {
			return nil, err
		}
		if isShort(id, rec.Key) && !slices.Contains(found, rec.Key) {
			found = append(found, rec.Key)
		}
	}
	for i := 0; i < len(keys) && len(found) > 0; i++ {
		had, err := hadNote(ctx, s, c, keys[i])
		if err != nil {
			return nil, err
		}
		if had {
			found = append(found, keys[i])
		}
	}
	return found, nil
}

// hadNote reports whether a key held a memory that is deleted. One that was purged is as one that
// never was: so is the old id of a note that a sync gave letters.
func hadNote(ctx context.Context, s *mem.Store, c mem.Caller, key keypath.Key) (bool, error) {
	versions, err := s.History(ctx, c, key)
	if errors.Is(err, mem.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for rec, err := range versions.Rows {
		return err == nil && !content.MarksPurge(rec.Source), err
	}
	return false, nil
}

// isShort reports whether a text is the short form of the id in the key of a note.
func isShort(text string, key keypath.Key) bool {
	short, ok := keypath.ShortID(key)
	return ok && short == text
}

// stored returns which of these keys hold a memory, expired or not.
func stored(ctx context.Context, s *mem.Store, c mem.Caller, keys []keypath.Key) (
	found []keypath.Key, err error) {
	for _, key := range keys {
		_, err := s.Get(ctx, c, key, true)
		switch {
		case err == nil:
			found = append(found, key)
		case !errors.Is(err, mem.ErrNotFound):
			return nil, err
		}
	}
	return found, nil
}

// everCalled returns the keys of the notes that ever had an id or else of those whose short form it
// is, in one pass over the history.
func everCalled(ctx context.Context, s *mem.Store, id string) (found []keypath.Key, err error) {
	var short []keypath.Key
	keys, purged := keysOf(id), map[keypath.Key]bool{}
	err = s.Everything(ctx, func(rec log.Record) error {
		switch {
		case slices.Contains(keys, rec.Key):
			found = append(found, rec.Key)
			purged[rec.Key] = purged[rec.Key] || content.IsPurgeMark(rec)
		case isShort(id, rec.Key):
			short = append(short, rec.Key)
		}
		return nil
	})
	if len(short) > 0 {
		found = slices.DeleteFunc(found, func(key keypath.Key) bool { return purged[key] })
	}
	if len(found) == 0 {
		found = short
	}
	slices.SortFunc(found, keypath.Key.Compare)
	return slices.Compact(found), err
}
