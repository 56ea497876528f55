package mem

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/readout"
)

// noteSpace is the namespace of notes: /note/<scope>/m-<number>.
const noteSpace = policy.Notes

// NoteScopes are the scopes of a note, which is stored with it and filters nothing yet (N-10, N-46).
var NoteScopes = [...]string{"user", "workspace", "session"}

// DefaultNoteScope is that of a note that names none.
const DefaultNoteScope = "workspace"

// mostFound is how many notes a search gives (N-22).
const mostFound = 20

// NoteOptions go with a note.
type NoteOptions struct {
	Tags   []string // at most policy.MaxNoteTags
	Scope  string   // one of NoteScopes; empty is DefaultNoteScope
	Source []byte   // as in Write; nil says that an agent ran mem note
	// AllowSecrets is as in SetOptions.
	AllowSecrets []string
}

// Note stores a short fact under an id of its own, which no other note ever had or will have (N-08, N-13). Where notes are at their limit the
// oldest get tombstones in the same append (N-18). The error is as that of Set.
func (s *Store) Note(text string, o NoteOptions) (id string, err error) {
	if err := checkAllowed(o.AllowSecrets); err != nil {
		return "", err
	}
	done := s.begin("note")
	done.allowed = o.AllowSecrets
	p, err := s.prepareNote(text, o)
	if err != nil {
		done.write(p.Key, p, err)
		return "", err
	}
	note := noting{store: s, note: p}
	if err := note.run(); !stored(err) {
		done.write(p.Key, p, err)
		return "", err
	}
	for _, w := range note.written {
		done.write(w.Key, w, nil)
	}
	return note.id, err
}

// prepareNote checks a note as any write. Its key is only the namespace yet: the number is known under the lock.
func (s *Store) prepareNote(text string, o NoteOptions) (p prepared, err error) {
	if o.Scope == "" {
		o.Scope = DefaultNoteScope
	}
	if !slices.Contains(NoteScopes[:], o.Scope) {
		return p, fmt.Errorf("scope %q: %w: want user, workspace or session", o.Scope, ErrInput)
	}
	if text == "" {
		return p, fmt.Errorf("text: %w: it is empty, want 1 to %d characters", ErrInput, policy.MaxNote)
	}
	if err := policy.CheckNote(text, o.Tags); err != nil {
		return p, err
	}
	w := Write{Content: noteContent(text, o.Tags), Source: o.Source}
	if w.Source == nil {
		w.Source = s.source("agent", "mem note", "scope", o.Scope)
	}
	if w.Key, err = keypath.Parse(noteSpace + "/" + o.Scope); err != nil {
		return p, err
	}
	return s.prepare(w, false, o.AllowSecrets)
}

func noteContent(text string, tags []string) []byte {
	b := jsontext.AppendString([]byte(`{"type":"note","text":`), text)
	if len(tags) == 0 {
		return append(b, '}')
	}
	b = append(b, `,"tags":[`...)
	for _, tag := range tags {
		b = append(jsontext.AppendString(b, tag), ',')
	}
	return append(b[:len(b)-1], "]}"...)
}

// NoteFilter says which notes a search finds (N-20). What is empty asks for nothing.
type NoteFilter struct {
	Query string // a part of the text, in any case
	Tag   string // a whole tag, in any case
}

// Notes finds the newest notes that meet the filter, at most twenty, and says how many do (N-20 to N-22).
func (s *Store) Notes(f NoteFilter) (found []readout.Note, total int, err error) {
	notes, err := s.liveNotes()
	if err != nil {
		return nil, 0, err
	}
	found = slices.DeleteFunc(notes, func(n readout.Note) bool { return !f.meets(n) })
	slices.SortFunc(found, readout.Note.Newer)
	return found[:min(len(found), mostFound)], len(found), nil
}

func (f NoteFilter) meets(n readout.Note) bool {
	tagged := func(tag string) bool { return strings.EqualFold(tag, f.Tag) }
	return strings.Contains(strings.ToLower(n.Text), strings.ToLower(f.Query)) && (f.Tag == "" || slices.ContainsFunc(n.Tags, tagged))
}

// Forget voids the note of an id with a tombstone (N-23). Its key will do for the id, with its first slash or without, for so a page shows it. The error is
// a *NoteError where there is none, or wraps ErrInput.
func (s *Store) Forget(id string, source []byte) error {
	if key, err := keypath.Parse("/" + strings.TrimPrefix(id, "/")); err == nil {
		if bare, ok := noteID(key); ok {
			id = bare
		}
	}
	if _, ok := noteNumber(id); !ok {
		return fmt.Errorf("id %q: %w: want one like m-4", id, ErrInput)
	}
	// The scope is no part of an id.
	var keys []keypath.Key
	for _, scope := range NoteScopes {
		key, err := keypath.Parse(noteSpace + "/" + scope + "/" + id)
		if err != nil {
			return err
		}
		keys = append(keys, key)
	}
	deleted, _, err := s.void("forget", "agent", keys, source)
	if err == nil && len(deleted) == 0 {
		return &NoteError{ID: id}
	}
	return err
}

// NoteReadOptions say what a prompt needs of the notes.
type NoteReadOptions struct {
	Message string           // the user's last message
	Mode    readout.NoteMode // empty: as configured
}

// ReadNotes chooses the notes for a prompt (N-24 to N-33), by the limits of the configuration.
func (s *Store) ReadNotes(o NoteReadOptions) (page readout.NotePage, err error) {
	done := s.begin("read")
	conf, err := s.Config()
	if err != nil {
		return page, err
	}
	m := conf.Memory
	q := readout.NoteQuery{Now: s.stamp(), Message: o.Message, Mode: cmp.Or(o.Mode, m.InjectMode), MaxChars: m.MaxInjectChars, MaxCount: m.MaxInjectCount}
	if !q.Mode.Known() {
		return page, fmt.Errorf("mode %q: %w: want %s", q.Mode, ErrInput, readout.NoteModes)
	}
	if q.Mode == readout.NotesOff {
		return page, nil
	}
	notes, err := s.liveNotes()
	if err == nil {
		page = q.Page(notes)
	}
	done.batch(len(page.Entries), err)
	return page, err
}

// liveNotes gives all that are live. What stands among them under another name, or has no text, is no note.
func (s *Store) liveNotes() (notes []readout.Note, err error) {
	below, err := keypath.ParsePrefix(noteSpace)
	if err != nil {
		return nil, err
	}
	err = s.List(Filter{Prefix: below}, func(rec log.Record) error {
		id, ok := noteID(rec.Key)
		if f := content.Parse(rec.Content); ok && f.Text != "" {
			notes = append(notes, readout.Note{Key: rec.Key, ID: id, Text: f.Text, Tags: f.Tags, TS: rec.TS})
		}
		return nil
	})
	return notes, err
}

// noting is a note on its way into the store.
type noting struct {
	store   *Store
	note    prepared
	ids     noteIDs
	id      string
	written []prepared // tombstones first, then the note
}

func (n *noting) run() error {
	conf, err := n.store.Config()
	if err != nil {
		return err
	}
	n.ids.load(n.store.root())
	if err := n.ids.catchUpArchives(n.store.root()); err != nil {
		return err
	}
	return n.store.update("note", func(wr *compact.Writer) error { return n.append(wr, conf.Memory.MaxTotal) })
}

// append stores the note under the next id, and a tombstone for each of the oldest that would be too many with it.
func (n *noting) append(wr *compact.Writer, most int) error {
	err := n.number(wr)
	if err != nil {
		return err
	}
	// A number may stand once in each scope, if by hand: while even that could not be too many, nobody need count.
	if int64(most) <= n.ids.Highest*int64(len(NoteScopes)) {
		if n.written, err = n.store.surplus(most - 1); err != nil {
			return err
		}
	}
	n.written = append(n.written, n.note)
	newest := wr.MaxTS()
	for i := range n.written {
		if newest, err = log.NextStamp(n.store.now(), newest); err != nil {
			return err
		}
		n.written[i].TS = newest
	}
	err = wr.Append(envelopesOf(n.written))
	if stored(err) {
		n.ids.given(wr)
	}
	return err
}

// number gives the note its id and its whole key.
func (n *noting) number(wr *compact.Writer) (err error) {
	if err = n.ids.catchUp(wr); err != nil {
		return err
	}
	if n.id, err = n.ids.next(); err != nil {
		return err
	}
	n.note.Key, err = keypath.Parse(n.note.Key.String() + "/" + n.id)
	return err
}

// surplus gives tombstones for all but the newest notes.
func (s *Store) surplus(keep int) (voids []prepared, err error) {
	notes, err := s.liveNotes()
	if err != nil || len(notes) <= keep {
		return nil, err
	}
	slices.SortFunc(notes, readout.Note.Newer)
	source := s.source("system", "mem note", "reason", fmt.Sprintf("more than %d notes", keep+1))
	for _, n := range slices.Backward(notes[keep:]) {
		voids = append(voids, prepared{Envelope: log.Envelope{Key: n.Key, Source: source, Content: []byte("null")}})
	}
	return voids, nil
}
