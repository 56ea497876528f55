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
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// IDs is how the notes of a store are called: m-<n>-<letters> in a layer, m-<n> elsewhere.
type IDs struct {
	// User is whether notes of scope user are called u-<n>: they are read together with the m-<n>
	// of a project, which is a store of its own.
	User bool
	// Draw returns the letters of a new note, keypath.LettersLen of them; nil: ids have none.
	Draw func() string
	// Given is the highest number that is taken, whatever the store says: where several people
	// write, git may have taken the note away that has it.
	Given int64
}

// IDsOf returns how the notes of one of the stores of layers are called.
func IDsOf(one *site.Site) IDs {
	ids := IDs{User: one.IsUsers()}
	if one.IsLayer() {
		ids.Draw, ids.Given = drawLetters, one.LastNoteNumber()
	}
	return ids
}

// Number returns the number of a note for which the store has the next one.
func (ids IDs) Number(next int64) int64 {
	if ids.Given-next > keypath.MaxGap {
		return next // nobody came to such a number
	}
	return max(next, ids.Given+1)
}

// ID returns an id for a new note of a scope with a number.
func (ids IDs) ID(scope string, n int64) string {
	id := ids.short(scope, n)
	if ids.Draw != nil {
		id += "-" + ids.Draw()
	}
	return id
}

// short returns the id of the note of a scope with a number, without letters.
func (ids IDs) short(scope string, n int64) string {
	if ids.User && scope == "user" {
		return fmt.Sprintf("u-%d", n)
	}
	return fmt.Sprintf("m-%d", n)
}

// Split returns the key of a note as its [Space] and id; not ok for any other key.
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
	if id, is := keypath.NoteID(e.Keys[0]); is && id != e.ID {
		return advice.Say("give the whole id, like " + id)
	}
	return advice.Say("give the key in place of the id, like " + e.Keys[0].String())
}

// keysOf returns the keys that a note of this id may have; none if it is no id.
func keysOf(id string) (keys []keypath.Key) {
	for _, scope := range Scopes {
		key, err := keypath.Parse(keypath.Notes + "/" + scope + "/" + id)
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
// error wraps ErrAmbiguous for any other id that notes of two layers have.
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

// twice returns the refusal of an id that a note of each layer has or had under one key: an
// ErrAmbiguous, and bad input.
func twice(id string) error {
	return &fault.Fault{What: id, Why: "each layer has a note of this id", Err: ErrAmbiguous,
		Do: advice.Shell("--layer project or --layer user says which").
			Tools("give the key, which means the project's note")}
}

// checkLayers refuses an id that notes of several layers have or had under one key: each store
// counts its own. Where their keys differ, [Resolve] decides.
func checkLayers(ctx context.Context, l *layers.Layers, c mem.Caller, id string) error {
	seen := map[keypath.Key]bool{}
	for _, one := range l.Sites.List() {
		s, err := l.Open(one)
		if err != nil {
			return err
		}
		found, err := called(ctx, s, c, id)
		if err != nil {
			return err
		}
		for _, key := range found {
			if seen[key] {
				return twice(id)
			}
			seen[key] = true
		}
	}
	return nil
}

// unhyphened matches an id of a note without its hyphen, or its letter too, compiled when needed.
var unhyphened = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([mu]?)[-_ ]?([0-9]+)$`)
})

// Resolve returns the key that a name means, as blocks and lists print it: the id of a note, or a
// key, with or without its first slash. An id, or a short one, means the note that has it if no
// other note ever had it, see [called]. The error is an *UnknownError, an *AmbiguousError, or as
// that of keypath.Parse.
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
	found, err := called(ctx, s, c, name)
	if err != nil {
		return keypath.Key{}, err
	}
	if len(found) == 0 {
		plain := keypath.MustParse("/" + name) // as a segment of a note's key it has no fault
		if _, none := s.Get(ctx, c, plain, true); none == nil {
			return plain, nil
		}
		return plain, &UnknownError{name, renumbered(ctx, s, c, name)}
	}
	return only(name, found)
}

// renumbered returns the id of the live note that has the letters of an id: a move gives a note the
// next free number of the store, while the old id stands in a conversation. "" is none.
func renumbered(ctx context.Context, s *mem.Store, c mem.Caller, id string) (now string) {
	letters := id[strings.LastIndexByte(id, '-'):]
	if !HasLetters(keysOf(id)[0]) {
		return ""
	}
	below := keypath.MustPrefix(keypath.Notes)
	err := s.List(ctx, c, mem.Filter{Prefix: below}, func(rec log.Record) error {
		if one, ok := keypath.NoteID(rec.Key); ok && strings.HasSuffix(one, letters) {
			now = one
		}
		return nil
	})
	if err != nil {
		return "" // the id is unknown all the same
	}
	return now
}

// Alone returns what reports whether the id in the key of a note means that note alone. done ends
// it.
func Alone(ctx context.Context, s *mem.Store, c mem.Caller) (alone func(string) bool, done func()) {
	var all *mem.Numbers
	alone = func(text string) bool {
		key, err := keypath.Parse(text)
		if err == nil && all == nil {
			all, err = s.Reader(c).Numbers(ctx)
		}
		id, ok := keypath.NoteID(key)
		if err != nil || !ok {
			return false
		}
		found, err := calledAmong(ctx, s, c, all, id)
		isOther := func(other keypath.Key) bool { return other != key }
		return err == nil && !slices.ContainsFunc(found, isOther)
	}
	return alone, func() {
		if all != nil {
			all.Close()
		}
	}
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

// called returns the keys of the notes that an id may mean: those that have it or of which it is
// the short form, live or deleted. A purge leaves nothing of a plain id beside those with letters.
func called(ctx context.Context, s *mem.Store, c mem.Caller, id string) ([]keypath.Key, error) {
	all, err := s.Reader(c).Numbers(ctx)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	return calledAmong(ctx, s, c, all, id)
}

func calledAmong(ctx context.Context, s *mem.Store, c mem.Caller, all *mem.Numbers, id string) (
	found []keypath.Key, err error) {
	keys := keysOf(id)
	if len(keys) == 0 {
		return nil, nil
	}
	_, n, _ := keys[0].Number()
	if found, err = all.Of(n); err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(key keypath.Key) bool {
		return !slices.Contains(keys, key) && !isShort(id, key)
	})
	if len(found) < 2 || !slices.ContainsFunc(found, HasLetters) {
		return found, nil
	}
	var failed error
	return slices.DeleteFunc(found, func(key keypath.Key) bool {
		if HasLetters(key) {
			return false
		}
		had, err := hadNote(ctx, s, c, key)
		failed = cmp.Or(failed, err)
		return !had
	}), failed
}

// hadNote reports whether a key holds or held a memory. One that was purged is as one that never
// was: so is the old id of a note that got letters.
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
