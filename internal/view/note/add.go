package note

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Options go with a note.
type Options struct {
	Tags       []string       // at most policy.MaxNoteTags
	Type       string         // content.type; empty is note
	Scope      string         // one of Scopes; empty is DefaultScope
	Pinned     bool           // injected at every start, and never evicted
	Importance []byte         // a JSON number, as content.importance; nil: none
	Expires    []byte         // content.expired_at, as JSON; nil: never
	Files      []content.File // that it is about
	// Now returns the record of a file as that is now; nil: it has its name alone.
	Now    func(content.File) content.File
	IDs    IDs
	Source []byte // as in mem.Write; nil stands for the caller
	// AllowSecrets is as in mem.SetOptions.
	AllowSecrets []string

	// User is the user's store, where the note goes to one of a project that is read together with
	// it: a text that is known there is not noted again. nil: there is no other.
	User *mem.Store
	// Repository is whether the store is one inside a repository, see policy.IsPinned.
	Repository bool

	// Seen reports whether a note of the store was let in, see site.Book: other notes do not count
	// as known. nil: all were let in.
	Seen func(log.Record) bool
	// filed skips notes that the user's store holds for no project, for hooks inject them in none.
	filed bool
	// renews has only a note that is known written.
	renews bool

	// Replaces are the memories of the store whose place the note takes; package edit has the
	// function that marks them. The note keeps their pin, and where none are given their tags,
	// files and importance.
	Replaces  []keypath.Key
	Supersede func(ctx context.Context, op *mem.Operation, tx *mem.Tx, old []log.Record,
		by mem.Checked) error
}

// Added is what became of a text that was noted.
type Added struct {
	ID    string
	Key   keypath.Key
	Store *mem.Store // that has the note
	Known bool       // there was a note of this text, which was renewed

	Replaced []keypath.Key // what it has taken the place of
	Evicted  []string      // ids of the notes that made room
	// Near names the memories that say nearly the same as the note, and then those that say nearly
	// the same as what it replaced, by id or else by key, the nearest first.
	Near []string
}

// Add stores a short fact under an id of its own, which no other note ever had or will have, or
// renews the note that says the same. Where notes are at their limit the oldest that are not pinned
// get tombstones in the same append. The error wraps policy.ErrPinned where all are, or is as that
// of mem.Store.Set; it is a *mem.NotFoundError if a memory to be replaced does not exist.
func Add(ctx context.Context, s *mem.Store, c mem.Caller, text string, o Options) (
	added Added, err error) {
	if with, ok, err := o.renewing(ctx, c, text); err != nil {
		return added, err
	} else if ok {
		added, err := addTo(ctx, o.User, c, text, with)
		if !errors.Is(err, errUnknown) { // somebody may have forgotten it meanwhile
			return added, err
		}
	}
	return addTo(ctx, s, c, text, o)
}

// errUnknown is why nothing is renewed.
var errUnknown = errors.New("no note says that")

// addTo is Add to one store.
func addTo(ctx context.Context, s *mem.Store, c mem.Caller, text string, o Options) (
	added Added, err error) {
	if err := policy.CheckSource(c, o.Source); err != nil {
		return added, err
	}
	op, err := s.Begin(c, policy.Note, o.AllowSecrets...)
	if err != nil {
		return added, err
	}
	if o.Source == nil {
		o.Source = op.Source("user", "mem note", "scope", cmp.Or(o.Scope, DefaultScope))
	}
	p, err := check(ctx, op, text, o)
	if err != nil {
		op.Failed(p.Key(), err)
		return added, err
	}
	conf, err := op.Config(ctx)
	if err != nil {
		return added, err
	}
	most := maxNear + len(o.Replaces) + 2 // and the note itself, one evicted
	near := lookFor(ctx, s, c, text, most)
	defer near.end.Wait()
	a := addition{op: op, text: text, note: p, limit: conf.Memory.MaxTotal}
	_, err = op.Update(ctx, func(tx *mem.Tx) error {
		a.Added, a.options, a.replaced = Added{Store: s}, o, nil
		return a.put(ctx, tx)
	})
	if err == nil && !a.Known {
		but := append(slices.Concat(o.Replaces, a.Replaced), a.Key)
		a.Near = near.names(but, a.Evicted)
		for _, old := range a.replaced {
			f := content.Parse(old.Content)
			alike := lookFor(ctx, s, c, cmp.Or(f.Text, f.Summary), most).names(but, a.Evicted)
			a.Near = union(a.Near, alike)
		}
	}
	return a.Added, err
}

// check checks a note as any write, before its number is known.
func check(ctx context.Context, op *mem.Operation, text string, o Options) (
	p mem.Checked, err error) {
	key, err := Space(o.Scope)
	if err != nil {
		return p, err
	}
	if text == "" {
		return p, fmt.Errorf("text: %w: it is empty, want 1 to %d characters", mem.ErrInput,
			policy.MaxNote)
	}
	if err := policy.CheckNote(text, o.Tags); err != nil {
		return p, err
	}
	w := mem.Write{Key: key, Content: contentOf(text, o), Source: o.Source}
	return op.Check(ctx, w, false)
}

func contentOf(text string, with Options) []byte {
	var o jsontext.Object
	o.Text("type", cmp.Or(with.Type, "note"))
	o.Text("text", text)
	if with.Importance != nil {
		o.Raw("importance", with.Importance)
	}
	if with.Expires != nil {
		o.Raw("expired_at", with.Expires)
	}
	if len(with.Files) > 0 {
		o.Raw("files", content.AppendFiles(nil, with.Files))
	}
	if len(with.Tags) > 0 {
		o.Raw("tags", jsontext.AppendStrings(nil, with.Tags))
	}
	if with.Pinned {
		o.Raw("pinned", []byte("true"))
	}
	return o.Bytes()
}

// addition is a text on its way into a store.
type addition struct {
	Added
	op      *mem.Operation
	text    string
	note    mem.Checked // of the text, without its number
	options Options     // with the pin, tags, files and importance of the replaced memories
	limit   int         // notes

	notes    []log.Record // those that there are
	replaced []log.Record
}

// put renews the note of the text, or stores one, and supersedes the memories that it replaces.
func (a *addition) put(ctx context.Context, tx *mem.Tx) error {
	if err := a.findReplaced(ctx, tx); err != nil {
		return err
	}
	notes, known, err := notesOf(ctx, tx.ScanBelow, a.op.Now(), a.text, a.options)
	if err != nil {
		return err
	}
	a.notes = notes
	var stored mem.Checked
	switch {
	case known >= 0 && !a.corrects(notes[known]) && !a.makesRule(ctx, notes[known]):
		stored, err = a.renew(ctx, tx, notes[known])
	case a.options.renews:
		return errUnknown
	default:
		stored, err = a.add(ctx, tx)
	}
	if err != nil || len(a.replaced) == 0 {
		return err
	}
	for _, rec := range a.replaced {
		a.Replaced = append(a.Replaced, rec.Key)
	}
	return a.options.Supersede(ctx, a.op, tx, a.replaced, stored)
}

// corrects reports whether the note replaces one with the same in other letters.
func (a *addition) corrects(rec log.Record) bool {
	return content.Parse(rec.Content).Text != a.text &&
		slices.ContainsFunc(a.replaced, func(old log.Record) bool { return old.Key == rec.Key })
}

// makesRule reports whether a person makes a rule of a text that an agent or an import brought as a
// fact: then it is another note.
func (a *addition) makesRule(ctx context.Context, rec log.Record) bool {
	it := mem.ItemOf(log.Record{Envelope: a.note.Envelope()})
	if a.options.Repository || !policy.IsPerson(a.op.Caller()) || !policy.ClaimsRule(&it) {
		return false
	}
	return a.op.ClaimOf(rec) != "" ||
		content.Origin(rec.Source) == "agent" && !a.options.Pinned
}

// findReplaced finds what the note replaces, and takes over its pin, tags, files and importance.
func (a *addition) findReplaced(ctx context.Context, tx *mem.Tx) error {
	untagged, plain := len(a.options.Tags) == 0, a.options.Importance == nil
	fileless := len(a.options.Files) == 0
	for _, key := range a.options.Replaces {
		rec, err := a.current(ctx, tx, key)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(a.replaced, func(o log.Record) bool { return o.Key == rec.Key }) {
			continue
		}
		a.replaced = append(a.replaced, rec)
		a.options.Pinned = a.options.Pinned || policy.IsPinned(rec, a.options.Repository)
		f := content.Parse(rec.Content)
		if untagged && len(a.options.Tags) == 0 {
			a.options.Tags = f.Tags[:min(len(f.Tags), policy.MaxNoteTags)]
		}
		if fileless && len(a.options.Files) == 0 {
			a.options.Files = a.options.filesNow(f.Files)
		}
		if plain && a.options.Importance == nil && f.Importance != content.DefaultImportance {
			a.options.Importance = strconv.AppendFloat(nil, f.Importance, 'f', -1, 64)
		}
	}
	return nil
}

// filesNow returns the records of the files of a replaced memory as they are now.
func (o *Options) filesNow(list []content.File) (files []content.File) {
	for _, f := range list[:min(len(list), content.MaxFiles)] {
		now := content.File{Path: f.Path}
		if o.Now != nil {
			now = o.Now(now)
		}
		files = append(files, now)
	}
	return files
}

// current returns the memory of a key or, where that was replaced, its successor: a caller that
// corrects a text may know it by the id of an older one.
func (a *addition) current(ctx context.Context, tx *mem.Tx, key keypath.Key) (
	rec log.Record, err error) {
	for seen := map[keypath.Key]bool{}; !seen[key]; {
		seen[key] = true
		next, found, err := tx.Get(ctx, key)
		if err != nil {
			return rec, err
		}
		if !found || !policy.Permits(a.op.Caller(), key) {
			break
		}
		rec = next.Clone()
		if key, err = keypath.Parse(content.Successor(rec.Content)); err != nil {
			return rec, nil // nothing has replaced it
		}
	}
	if rec.Key.IsZero() {
		return rec, &mem.NotFoundError{Key: key}
	}
	return rec, nil
}

// add stores the note under the next id, after tombstones for those that are too many.
func (a *addition) add(ctx context.Context, tx *mem.Tx) (p mem.Checked, err error) {
	n, err := tx.NextNumber(ctx, "note")
	if err != nil {
		return p, err
	}
	a.ID = a.options.IDs.ID(cmp.Or(a.options.Scope, DefaultScope), a.options.IDs.Number(n))
	if p = a.note; len(a.replaced) > 0 {
		if p, err = check(ctx, a.op, a.text, a.options); err != nil {
			return p, err
		}
	}
	if p, err = p.Named(a.ID); err != nil {
		return p, err
	}
	a.Key = p.Key()
	writes, err := a.evict(ctx)
	if err != nil {
		return p, err
	}
	return p, tx.Put(append(writes, p)...)
}

// evict returns tombstones for as many of the notes as would be too many with one more: the oldest
// that are not pinned, or that another memory has replaced.
func (a *addition) evict(ctx context.Context) (tombstones []mem.Checked, err error) {
	surplus := len(a.notes) + 1 - a.limit
	if surplus <= 0 {
		return nil, nil
	}
	var list []readout.Note
	for _, rec := range a.notes {
		n, ok := parse(rec)
		switch {
		case !ok:
		case n.SupersededBy != "":
			list = append(list, n)
		case !policy.IsPinned(rec, a.options.Repository):
			n.Time = n.TS // one that was restored or edited counts from then
			list = append(list, n)
		}
	}
	slices.SortFunc(list, readout.Note.Newer)
	list = append(a.pinnedReplaced(list, surplus), list...)
	if len(list) < surplus && policy.IsPerson(a.op.Caller()) {
		list = append(list, a.pinnedFacts(ctx)...)
	}
	if len(list) < surplus {
		return nil, fmt.Errorf("note: %w: %d are pinned, and no more than %d are kept",
			policy.ErrPinned, len(a.notes)-len(list), a.limit)
	}
	reason := fmt.Sprintf("more than %d notes", a.limit)
	source := a.op.Source("system", "mem note", "reason", reason)
	for _, n := range slices.Backward(list[len(list)-surplus:]) {
		p, err := a.op.Tombstone(ctx, n.Key, "system", source)
		if err != nil {
			return nil, err
		}
		tombstones, a.Evicted = append(tombstones, p), append(a.Evicted, n.ID)
		a.replaced = slices.DeleteFunc(a.replaced, func(rec log.Record) bool {
			return rec.Key == n.Key // it has a tombstone in place of a successor
		})
	}
	return tombstones, nil
}

// pinnedFacts returns the notes that are pinned and no rules of the user, the newest first: they
// make room for a note of a person.
func (a *addition) pinnedFacts(ctx context.Context) (list []readout.Note) {
	for _, rec := range a.notes {
		n, ok := parse(rec)
		if ok && n.SupersededBy == "" && policy.IsPinned(rec, a.options.Repository) &&
			!a.op.IsRule(rec) {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, readout.Note.Newer)
	return list
}

// pinnedReplaced returns as many of the notes that are to be replaced as lack on a list of those
// that can be evicted: where all others are pinned, a rule can still be corrected.
func (a *addition) pinnedReplaced(list []readout.Note, wanted int) (more []readout.Note) {
	for _, rec := range a.replaced {
		n, ok := parse(rec)
		among := func(o readout.Note) bool { return o.Key == n.Key }
		if ok && len(list)+len(more) < wanted && !slices.ContainsFunc(list, among) {
			more = append(more, n)
		}
	}
	return more
}
