package session

import (
	"errors"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// groupBytes is how much content one update stores, so that other writers get the lock in between.
const groupBytes = 4 << 20

// storeAll stores the sessions one after the other, or with DryRun counts what that would do.
func (im *incoming) storeAll() (err error) {
	store := im.store
	if im.o.DryRun {
		store, err = im.counter()
	} else {
		err = im.op.LookAhead(im.ctx, im.keys())
	}
	if err != nil {
		return err
	}
	for _, one := range im.sessions {
		left, err := store(one)
		switch {
		case err == nil:
		case im.o.KeepGoing && mem.KindOf(err) == mem.KindRefused:
			im.refuse(left, &mem.LineError{File: im.from.Path, Err: err})
		case im.rep.New > 0:
			return &mem.PartialError{Stored: im.rep.New, Already: im.rep.Unchanged,
				Total: im.total(), Err: err}
		default:
			return err
		}
	}
	return nil
}

// total returns how many entries the import has.
func (im *incoming) total() (n int) {
	for _, one := range im.sessions {
		n += len(one.entries)
	}
	return n
}

// keys returns those of all that the import has.
func (im *incoming) keys() (keys []keypath.Key) {
	for _, one := range im.sessions {
		keys = append(keys, one.keys(one.entries)...)
	}
	return keys
}

// keys returns the keys of the session itself and of some of its entries.
func (a *arriving) keys(entries []mem.Checked) []keypath.Key {
	keys := []keypath.Key{a.head.Key()}
	for _, p := range entries {
		keys = append(keys, p.Key())
	}
	return keys
}

// fresh returns those of the entries of which the store knows nothing, and counts the others; known
// has the newest record of each key there ever was. Of a session that was deleted none is.
func (a *arriving) fresh(known map[keypath.Key]log.Record, entries []mem.Checked) (
	fresh []mem.Checked, rep ImportReport) {
	head, is := known[a.head.Key()]
	gone := is && !head.Valid()
	for _, p := range entries {
		old, is := known[p.Key()]
		switch {
		case gone || is && !old.Valid():
			rep.Deleted++
		case !is:
			rep.New++
			fresh = append(fresh, p)
		case jsontext.Equal(normal(old), p.Content()):
			rep.Unchanged++
		default:
			rep.Stale++
		}
	}
	return fresh, rep
}

// counter returns a function that counts what store would do with a session. What does not fit,
// only the import itself finds.
func (im *incoming) counter() (func(*arriving) (int, error), error) {
	known := map[keypath.Key]log.Record{}
	for _, key := range im.keys() {
		known[key] = log.Record{}
	}
	err := im.to.Everything(im.ctx, func(rec log.Record) error {
		if old, asked := known[rec.Key]; asked && (old.Key.IsZero() || rec.Wins(old)) {
			known[rec.Key] = rec.Clone()
		}
		return nil
	})
	for key, rec := range known {
		if rec.Key.IsZero() {
			delete(known, key)
		}
	}
	return func(one *arriving) (left int, err error) {
		fresh, rep := one.fresh(known, one.entries)
		if head, is := known[one.head.Key()]; is && len(fresh) > 0 {
			if err := parse(head).writable(); err != nil {
				return len(one.entries), err
			}
		}
		im.rep.add(rep)
		return 0, nil
	}, err
}

// store stores a session, and returns how many of its entries are not stored where that fails.
func (im *incoming) store(one *arriving) (left int, err error) {
	w, err := newWriter(im.ctx, im.op, one.id)
	if err != nil {
		return 0, err
	}
	s := &storing{incoming: im, one: one, w: w}
	for rest := one.entries; ; {
		n := groupLen(rest)
		if err := s.update(rest[:n]); err != nil {
			return len(rest), err
		}
		if rest = rest[n:]; len(rest) == 0 {
			return 0, nil
		}
	}
}

// groupLen returns how many of the entries one update stores.
func groupLen(entries []mem.Checked) int {
	size := 0
	for i, p := range entries {
		if size += len(p.Content()); i > 0 && size > groupBytes {
			return i
		}
	}
	return len(entries)
}

// storing is a session of an import while it is stored.
type storing struct {
	*incoming
	one  *arriving
	w    *writer
	made bool // the session, by an earlier update of this import: it may be one that is closed
}

// update stores a group of entries, and before the first the session where it is not there.
func (s *storing) update(group []mem.Checked) error {
	var rep ImportReport
	made, own := false, slices.Clip(s.w.own) // what the import has stored before stays, too
	s.updates++
	_, err := s.op.UpdateAsOne(s.ctx, func(tx *mem.Tx) error {
		s.w.done, s.w.own = Compacted{}, own
		known, err := tx.NewestEver(s.ctx, s.one.keys(group))
		if err != nil {
			return err
		}
		var fresh []mem.Checked
		fresh, rep = s.one.fresh(known, group)
		made, err = s.put(tx, known, fresh)
		return err
	})
	s.w.tell(err)
	if err == nil || errors.Is(err, backend.ErrStored) {
		s.rep.add(rep)
		if s.made = s.made || made; made {
			logEvent(s.to, s.one.id, "Session created", err)
		}
	}
	return err
}

// put stores entries, and reports whether it made the session for them.
func (s *storing) put(tx *mem.Tx, known map[keypath.Key]log.Record, fresh []mem.Checked) (
	made bool, err error) {
	head, is := known[s.one.head.Key()]
	switch {
	case len(fresh) == 0 && (is || !s.one.named):
		return false, nil
	case is:
		s.w.session = parse(head.Clone())
		if err := s.w.session.writable(); err != nil && !(s.made && isClosed(err)) {
			return false, err
		}
	default:
		s.w.session = parse(s.one.record)
		if err := tx.Put(s.one.head); err != nil {
			return false, err
		}
	}
	s.w.rules.Own = s.w.session.Own
	return !is, s.w.put(tx, fresh)
}
