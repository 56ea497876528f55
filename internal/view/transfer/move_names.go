package transfer

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// look reads the history of both stores, for versions and numbers.
func (r *moving) look(found []log.Record) (err error) {
	if !r.History && !r.DryRun {
		return nil
	}
	if r.older, err = r.history(found); err != nil {
		return err
	}
	moved, other := map[string]bool{}, map[keypath.Key]bool{}
	for _, list := range append(slices.Collect(maps.Values(r.older)), found) {
		for _, rec := range list {
			moved[rec.Key.String()+content.Lasting(rec.Content, rec.TS)] = true
			other[rec.Key] = false
		}
	}
	shares := map[keypath.Key]bool{}
	_, err = walk(r.ctx, r.To, func(rec log.Record) error {
		r.numbers.AddKey(rec.Key)
		if _, is := other[rec.Key]; is && isNote(rec.Key) {
			id := rec.Key.String() + content.Lasting(rec.Content, rec.TS)
			other[rec.Key], shares[rec.Key] = true, shares[rec.Key] || moved[id]
		}
		return nil
	})
	for key, was := range other {
		r.taken = r.taken || isUsers(key) || was && !shares[key]
	}
	return err
}

// history returns, by key and oldest first, the versions before those that are moved; of a whole
// store also those of deleted memories. It leaves out records in sessions, which a session takes or
// refuses by its state of today.
func (r *moving) history(found []log.Record) (map[keypath.Key][]log.Record, error) {
	older := map[keypath.Key][]log.Record{}
	if !r.History {
		return older, nil
	}
	moves := map[keypath.Key]log.Stamp{}
	for _, rec := range found {
		moves[rec.Key] = rec.TS
	}
	var list []log.Record
	_, err := walk(r.ctx, r.From, func(rec log.Record) error {
		ts, is := moves[rec.Key]
		if is && rec.TS >= ts || !is && len(r.Keys) > 0 {
			return nil
		}
		_, gated := policy.Gate(rec.Key)
		if !gated && !policy.IsAppendOnly(rec.Key.Class()) && !policy.IsProposal(rec.Key) &&
			policy.Visible(r.caller, rec.Key) {
			list = append(list, rec.Clone())
		}
		return nil
	})
	for _, rec := range inOrder(list) {
		older[rec.Key] = append(older[rec.Key], rec)
	}
	maps.DeleteFunc(older, func(key keypath.Key, list []log.Record) bool {
		_, is := moves[key]
		return !is && list[len(list)-1].Valid() // it is live, and stays
	})
	return older, err
}

// name returns the keys that records get in To. A note has its own where To has no notes, and never
// had another one of its id (keeps); else that of its copy in To, or the next number.
func (r *moving) name(found []log.Record, scan scanFunc, next func() (int64, error)) (
	keys []keypath.Key, keeps bool, err error) {
	there, err := r.notesThere(scan)
	keeps = r.History && len(there) == 0 && !r.taken
	for _, rec := range found {
		key := rec.Key
		switch {
		case err != nil || !isNote(key):
		case keeps:
			key, err = r.kept(key, append(slices.Clone(r.older[key]), rec))
		default:
			key, err = r.renumber(rec, there, next)
		}
		keys = append(keys, key)
	}
	return keys, keeps, err
}

// kept returns the key that a note with these versions has where the notes keep their ids: its own,
// with letters where it had none.
func (r *moving) kept(key keypath.Key, versions []log.Record) (keypath.Key, error) {
	if r.IDs.Draw == nil || !note.IsPlain(key) || len(versions) == 0 {
		return key, nil
	}
	var list []log.Envelope
	for _, rec := range versions {
		list = append(list, rec.Envelope)
	}
	return note.Letter(list)
}

func (r *moving) versions(key keypath.Key) (list []log.Envelope, err error) {
	all, err := r.From.History(r.ctx, r.caller, key)
	if err != nil {
		return nil, err
	}
	for rec, err := range all.Rows {
		if err != nil {
			return nil, err
		}
		list = append(list, rec.Envelope.Clone())
	}
	return list, nil
}

func isNote(key keypath.Key) bool {
	_, is := keypath.NoteID(key)
	return is
}

// isUsers reports whether a key is that of a note about the user, which has another one elsewhere.
func isUsers(key keypath.Key) bool { return strings.HasPrefix(key.String(), "/note/user/") }

func (r *moving) renumber(rec log.Record, there map[string]keypath.Key,
	next func() (int64, error)) (keypath.Key, error) {
	if key, ok := there[content.Lasting(rec.Content, rec.TS)]; ok {
		return key, nil
	}
	space, err := note.Space(r.scopeOf(rec))
	if err != nil {
		return keypath.Key{}, err
	}
	n, err := next()
	if err != nil {
		return keypath.Key{}, err
	}
	versions := []log.Envelope{rec.Envelope}
	if note.IsPlain(rec.Key) && r.IDs.Draw != nil {
		if versions, err = r.versions(rec.Key); err != nil {
			return keypath.Key{}, err
		}
	}
	id, err := r.IDs.Arriving(r.scopeOf(rec), n, versions)
	if err != nil {
		return keypath.Key{}, err
	}
	return keypath.Parse(space.String() + "/" + id)
}

// foresee reports the memories that would be moved, with their new keys.
func (r *moving) foresee(found []log.Record) error {
	keys, _, err := r.name(found, r.To.Reader(r.caller).ScanBelow, func() (int64, error) {
		n, _ := r.numbers.Next("note")
		r.numbers.Add("note", n)
		return n, nil
	})
	for i, key := range keys {
		r.rep.Moved = append(r.rep.Moved, Moved{found[i].Key, key})
	}
	return err
}

// scopeOf returns the scope that a note has in To.
func (r *moving) scopeOf(rec log.Record) string {
	switch scope, _, _ := strings.Cut(strings.TrimPrefix(rec.Key.String(), "/note/"), "/"); {
	case r.User:
		return "user"
	case scope == "user":
		return "workspace"
	default:
		return scope
	}
}

type scanFunc = func(context.Context, keypath.Prefix) iter.Seq2[log.Record, error]

// notesEver notes the keys of the notes that To has or had.
func (r *moving) notesEver() error {
	r.ever = map[string]keypath.Key{}
	below := keypath.MustPrefix(keypath.Notes)
	_, err := walkBelow(r.ctx, r.To, below, func(rec log.Record) error {
		if isNote(rec.Key) && rec.Valid() {
			r.ever[content.Lasting(rec.Content, rec.TS)] = rec.Key
		}
		return nil
	})
	return err
}

// notesThere returns the keys of the notes of a store, over those of notesEver.
func (r *moving) notesThere(scan scanFunc) (map[string]keypath.Key, error) {
	there := map[string]keypath.Key{}
	maps.Copy(there, r.ever)
	below := keypath.MustPrefix(keypath.Notes)
	for rec, err := range scan(r.ctx, below) {
		if err != nil {
			return nil, err
		}
		there[content.Lasting(rec.Content, rec.TS)] = rec.Key
	}
	return there, nil
}
