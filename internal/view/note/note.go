package note

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// space is the namespace of notes; below it come the scope and the id.

// Scopes are the scopes of a note, which is stored with it and filters nothing yet.
var Scopes = [...]string{"user", "workspace", "session"}

// DefaultScope is that of a note that names none.
const DefaultScope = "workspace"

// maxFound is how many notes a search brings.
const maxFound = 20

var (
	// ErrID is wrapped by *UnknownError.
	ErrID = errors.New("no such note")
	// ErrAmbiguous is wrapped for an id of several notes; it is a mem.ErrInput.
	ErrAmbiguous error = &fault.Fault{Why: "an id of two", Err: mem.ErrInput}
)

// UnknownError names the id of a note that is not there, and the note that was probably meant, ""
// for none; errors.Is(err, mem.ErrNotFound) holds.
type UnknownError struct{ ID, Meant string }

func (e *UnknownError) Error() string { return e.ID + ": no such note" }

// Is makes every UnknownError a mem.ErrNotFound.
func (e *UnknownError) Is(target error) bool { return target == mem.ErrNotFound || target == ErrID }

// Advice returns where to look.
func (e *UnknownError) Advice() advice.List {
	if e.Meant != "" {
		return advice.Say("did you mean " + e.Meant + "?")
	}
	return advice.Run("notes").Then(" shows the newest, with their ids").
		Tools("").Run("search").Then(" finds memories and their keys")
}

// Space returns the key below which the notes of a scope lie; "" is DefaultScope. The error wraps
// mem.ErrInput if the scope is unknown.
func Space(scope string) (keypath.Key, error) {
	scope = cmp.Or(scope, DefaultScope)
	if !slices.Contains(Scopes[:], scope) {
		return keypath.Key{}, fmt.Errorf("scope %q: %w: want user, workspace or session", scope,
			mem.ErrInput)
	}
	return keypath.Parse(keypath.Notes + "/" + scope)
}

// Filter is which notes a search finds. An empty field is no condition.
type Filter struct {
	Query string // words that are all parts of the text, in any case and order
	Tag   string // a whole tag, in any case
}

// Find returns the newest notes that meet the filter, at most twenty, and how many do.
func Find(ctx context.Context, s *mem.Store, c mem.Caller, f Filter) (
	found []readout.Note, total int, err error) {
	untrusted := map[keypath.Key]bool{}
	notes, err := live(ctx, s, c, func(rec log.Record) bool {
		if !s.Trusts(rec) {
			untrusted[rec.Key] = true
		}
		return true
	})
	if err != nil {
		return nil, 0, err
	}
	for i := range notes {
		notes[i].Untrusted = untrusted[notes[i].Key]
	}
	found = slices.DeleteFunc(notes, func(n readout.Note) bool { return !f.meets(n) })
	slices.SortFunc(found, readout.Note.Newer)
	total, found = len(found), found[:min(len(found), maxFound)]
	err = nameShort(ctx, s, c, func(yield func(*readout.Note) bool) {
		for i := range found {
			if !yield(&found[i]) {
				return
			}
		}
	})
	return found, total, err
}

// nameShort names notes for people: by the short form of the id where that means the note alone.
func nameShort(ctx context.Context, s *mem.Store, c mem.Caller,
	notes iter.Seq[*readout.Note]) error {
	all, err := s.Reader(c).Numbers(ctx)
	if err != nil {
		return err
	}
	defer all.Close()
	for n := range notes {
		short, _ := keypath.ShortID(n.Key)
		if !HasLetters(n.Key) || !strings.HasPrefix(n.ID, short) {
			continue // it has no other name
		}
		if found, err := calledAmong(ctx, s, c, all, short); err == nil && len(found) == 1 {
			n.Name = short
		}
	}
	return nil
}

func (f Filter) meets(n readout.Note) bool {
	tagged := func(tag string) bool { return strings.EqualFold(tag, f.Tag) }
	if f.Tag != "" && !slices.ContainsFunc(n.Tags, tagged) {
		return false
	}
	text := strings.ToLower(n.Text)
	for word := range strings.FieldsSeq(strings.ToLower(f.Query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// Named returns the key of the live note that an id, or its short form, means. The key is accepted
// too, with its first slash or without, for a page shows it so. The error is an *UnknownError where
// there is none, an *AmbiguousError where there are two, or wraps mem.ErrInput.
func Named(ctx context.Context, s *mem.Store, c mem.Caller, id string) (
	key keypath.Key, err error) {
	var found []keypath.Key
	plain, _ := keypath.Parse("/" + strings.TrimPrefix(id, "/"))
	_, isKey := keypath.NoteID(plain)
	switch {
	case IsID(id):
		if found, err = called(ctx, s, c, id); err == nil && len(found) == 1 {
			found, err = stored(ctx, s, c, found) // a deleted one is not there
		}
	case isKey:
		found, err = stored(ctx, s, c, []keypath.Key{plain})
	default:
		err = fmt.Errorf("id %q: %w: want one like m-4", id, mem.ErrInput)
	}
	if err != nil {
		return key, err
	}
	return only(id, found)
}

// Forget deletes the note of an id with a tombstone. The error is as that of [Named].
func Forget(ctx context.Context, s *mem.Store, c mem.Caller, id string, source []byte) error {
	key, err := Named(ctx, s, c, id)
	if err != nil {
		return err
	}
	op, err := s.Begin(c, policy.Forget)
	if err != nil {
		return err
	}
	deleted, _, err := op.Delete(ctx, "user", []keypath.Key{key}, source)
	if err == nil && len(deleted) == 0 {
		return &UnknownError{ID: id}
	}
	return err
}

// ReadOptions are for which prompt notes are read.
type ReadOptions struct {
	Message string           // the user's last message
	Mode    readout.NoteMode // empty: as configured
}

// Read chooses the notes for a prompt, by the limits of the configuration.
func Read(ctx context.Context, s *mem.Store, c mem.Caller, o ReadOptions) (
	page readout.NotePage, err error) {
	op, err := s.Begin(c, policy.Read)
	if err != nil {
		return page, err
	}
	conf, err := s.InjectConfig(ctx)
	if err != nil {
		return page, err
	}
	m := conf.Memory
	q := readout.NoteQuery{
		Now: op.Now(), Message: o.Message, Mode: cmp.Or(o.Mode, m.InjectMode),
		MaxChars: m.MaxInjectChars, MaxCount: m.MaxInjectCount,
	}
	if !q.Mode.IsKnown() {
		return page, fmt.Errorf("mode %q: %w: want %s", q.Mode, mem.ErrInput, readout.NoteModes)
	}
	if q.Mode == readout.NotesOff {
		return page, nil
	}
	notes, err := live(ctx, s, c, isCurrent)
	if err == nil {
		page = q.Page(notes)
	}
	if err == nil {
		err = nameShort(ctx, s, c, func(yield func(*readout.Note) bool) {
			for i := range page.Entries {
				if !yield(&page.Entries[i].Note) {
					return
				}
			}
		})
	}
	standing := s.Reader(c).Standing
	for i := range page.Entries {
		n := &page.Entries[i].Note
		n.Repository = standing(&readout.Item{Key: n.Key.String(), TS: n.TS,
			Layer: n.Layer}) == readout.RepositoryFact
	}
	op.Done(len(page.Entries), err)
	return page, err
}

// Newest returns the newest notes that are accepted, newest first, by the limits of the
// configuration. A nil accept takes them all.
func Newest(ctx context.Context, s *mem.Store, c mem.Caller, l mem.NoteLimits,
	accept func(log.Record) bool) (newest []log.Record, err error) {
	records := map[keypath.Key]log.Record{}
	notes, err := live(ctx, s, c, func(rec log.Record) bool {
		if !isCurrent(rec) || accept != nil && !accept(rec) {
			return false
		}
		records[rec.Key] = rec.Clone()
		return true
	})
	q := readout.NoteQuery{
		Mode: readout.NotesRecent, MaxChars: l.MaxInjectChars, MaxCount: l.MaxInjectCount,
	}
	page := q.Page(notes).Entries
	slices.SortFunc(page, func(a, b readout.NoteEntry) int { return a.Newer(b.Note) })
	for _, e := range page {
		newest = append(newest, records[e.Key])
	}
	return newest, err
}

// live returns all notes that are live and accepted; a nil accept takes them all.
func live(ctx context.Context, s *mem.Store, c mem.Caller, accept func(log.Record) bool) (
	notes []readout.Note, err error) {
	below := keypath.MustPrefix(keypath.Notes)
	err = s.List(ctx, c, mem.Filter{Prefix: below}, func(rec log.Record) error {
		if n, ok := parse(rec); ok && (accept == nil || accept(rec)) {
			notes = append(notes, n)
		}
		return nil
	})
	return notes, err
}

// isCurrent reports whether no other memory has replaced a note.
func isCurrent(rec log.Record) bool { return content.Successor(rec.Content) == "" }

// parse parses a record as a note. ok is false if its key is not that of a note, or it has no text.
func parse(rec log.Record) (n readout.Note, ok bool) {
	id, ok := keypath.NoteID(rec.Key)
	f := content.Parse(rec.Content)
	if rec.Layer == policy.ProjectLayer && strings.HasPrefix(id, "u-") {
		id = keypath.Name(rec.Key.String()) // the id means a note of the user's layer
	}
	return readout.Note{Key: rec.Key, ID: id, Text: f.Text, Tags: f.Tags, TS: rec.TS,
		Time: f.Time(rec.TS), Layer: rec.Layer, Files: f.Files,
		SupersededBy: f.SupersededBy}, ok && f.Text != ""
}
