package transfer

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// writes returns the writes that bring records to To, with their older versions where the notes
// keep their ids.
func (r *moving) writes(tx *mem.Tx, found []log.Record) (writes []mem.Checked, err error) {
	keys, keeps, err := r.name(found, tx.ScanBelow, func() (int64, error) {
		return tx.NextNumber(r.ctx, "note")
	})
	if err != nil {
		return nil, err
	}
	r.rename(found, keys)
	r.strays = !keeps && !r.Beside
	older, as := r.brought(keeps), map[keypath.Key]keypath.Key{}
	for key, list := range older {
		if as[key], err = r.kept(key, list); err != nil {
			return nil, err
		}
	}
	newest, err := tx.NewestEver(r.ctx, slices.AppendSeq(slices.Clone(keys), maps.Values(as)))
	if err != nil {
		return nil, err
	}
	for i, rec := range found {
		p, isNew := r.arrival(rec, keys[i], newest[keys[i]])
		if isNew {
			list := r.chain(older[rec.Key], keys[i], newest[keys[i]])
			writes = append(append(writes, list...), p)
		}
		delete(older, rec.Key)
	}
	for _, key := range slices.SortedFunc(maps.Keys(older), keypath.Key.Compare) {
		if newest[as[key]].Key.IsZero() { // else it would delete a memory of To
			writes = append(writes, r.chain(older[key], as[key], log.Record{})...)
		}
	}
	return writes, nil
}

// brought returns the versions that come along: all, or of keys that are not renumbered the mark of
// a purge alone. Without that an old copy would bring the memory back.
func (r *moving) brought(all bool) map[keypath.Key][]log.Record {
	older := maps.Clone(r.older)
	for key, list := range older {
		if all {
			break
		}
		older[key] = slices.DeleteFunc(slices.Clone(list), func(rec log.Record) bool {
			return isNote(key) || !content.IsPurgeMark(rec)
		})
	}
	return older
}

// rename notes which notes get another key. One that may not be written there stays.
func (r *moving) rename(found []log.Record, keys []keypath.Key) {
	r.moved, r.comes = map[keypath.Key]keypath.Key{}, map[keypath.Key]bool{}
	for i, rec := range found {
		if _, err := r.check(rec, writeOf(rec, keys[i])); err != nil {
			continue
		}
		if r.comes[keys[i]] = true; keys[i] != rec.Key {
			r.moved[rec.Key] = keys[i]
		}
	}
	r.follow = following(r.moved)
}

// arrival returns the write of a record in To, where old is the newest that the key has had. isNew
// is false for a record that is there, or stays in From.
func (r *moving) arrival(rec log.Record, key keypath.Key, old log.Record) (
	p mem.Checked, isNew bool) {
	has := !old.Key.IsZero()
	w := writeOf(rec, key)
	w.Content = []byte(r.follow.Replace(string(rec.Content)))
	switch {
	case has && old.Valid() && old.TS >= rec.TS && saysTheSame(old.Content, w):
		r.stored(rec, key)
		return p, false
	case has && old.TS >= rec.TS && !old.Valid() && content.LeftByMove(old.Source):
		// It comes back.
	case r.sent && has && old.Valid() && saysTheSame(withoutPin(old).Content, w):
		r.stored(rec, key) // its pin was approved meanwhile
		return p, false
	case r.sent && has && old.Valid():
		r.keep(rec, isTaken)
		return p, false
	case r.loses(successor(w)):
		r.keep(rec, "it is superseded by "+successor(w).Shown()+", which does not come along")
		return p, false
	case has && !rec.Wins(old):
		r.keep(rec, "it was changed or deleted later where it was to go")
		return p, false
	}
	now := rec.TS < r.op.Now() || has && !rec.Wins(old)
	if now { // else a deletion that another machine made before would beat it
		w.Content = content.KeepTime(w.Content, rec.TS)
	}
	p, err := r.check(rec, w)
	if now {
		p = p.Restamped()
	}
	if err != nil {
		r.keep(rec, err.Error())
		return p, false
	}
	r.stored(rec, key)
	return p, true
}

// chain returns the writes of versions of one memory under a key, those that win against the newest
// that To has had. Where one may not be written, by this caller or at all, there are none.
func (r *moving) chain(list []log.Record, key keypath.Key, old log.Record) (
	writes []mem.Checked) {
	for _, rec := range list {
		p, err := r.check(rec, writeOf(rec, key))
		if cmp.Or(err, r.mayBring(rec)) != nil {
			return nil
		}
		if old.Key.IsZero() || rec.Wins(old) {
			writes = append(writes, p)
		}
	}
	return writes
}

// saysTheSame reports whether content is that of a write with the time of its record, or with a new
// one.
func saysTheSame(text []byte, w mem.Write) bool {
	return bytes.Equal(text, w.Content) || bytes.Equal(text, content.KeepTime(w.Content, *w.TS))
}

// loses reports whether the key of a successor may be that of another note in To.
func (r *moving) loses(by keypath.Key) bool {
	return r.strays && isNote(by) && !r.comes[by]
}

// successor returns the key that the content of a write names as its successor; the zero Key for
// none.
func successor(w mem.Write) keypath.Key {
	key, _ := keypath.Parse(content.Successor(w.Content))
	return key
}

// check checks the write of a record in To, which is marked where the record is.
func (r *moving) check(rec log.Record, w mem.Write) (mem.Checked, error) {
	space, id, isNote := note.Split(w.Key)
	if isNote {
		w.Key = space // no write may name the id of a note
	}
	p, err := r.op.Check(r.ctx, w, false)
	origin := r.claims(rec)
	if r.User && !policy.IsPerson(r.caller) && policy.QuotesPrompt(rec.Source) {
		// It would stand in every project below the user's own heading.
		origin = cmp.Or(origin, content.FromClient+" "+cmp.Or(r.caller.Client, r.caller.Agent))
	}
	if origin != "" {
		p = p.Claimed(origin)
	}
	if isNote && err == nil {
		p, err = p.Named(id)
	}
	return p, err
}

// writeOf returns a record as an import under a key.
func writeOf(rec log.Record, key keypath.Key) mem.Write {
	ts := rec.TS
	return mem.Write{Key: key, Content: rec.Content, Source: rec.Source, TS: &ts}
}
