package exchange

import (
	"maps"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

type purged struct {
	marks []log.Envelope
	reach content.Reach // what they take
	known bool          // to the others: one of them is not ahead of the clock
	last  log.Stamp     // time of the newest: versions that are older, and not taken, are hidden
}

// mark notes the mark of a purge. One that is ahead takes what it will take once it is repaired.
func (x *exchange) mark(e log.Envelope) {
	if rec := (log.Record{Envelope: e}); !content.IsPurgeMark(rec) || !x.travels(rec) {
		return
	}
	all, known := x.marks[e.Key]
	if reach := content.ReachOf(x.asTaken(e)); !known {
		all = purged{reach: reach, marks: []log.Envelope{e.Clone()}}
	} else if all.reach.Add(reach) {
		all.marks = append(all.marks, e.Clone())
	}
	all.last, all.known = max(all.last, e.TS), all.known || e.TS <= x.limit
	x.marks[e.Key] = all
	if !x.seen.lines[e.Identity()] {
		x.fresh = true
		x.unmet[e.Key] = true
	}
}

// noteOwn notes the marks of this copy, but for those in whose place others were taken.
func (x *exchange) noteOwn() {
	for _, e := range x.own {
		if !x.taken.Has(e.Identity(), e.TS) {
			x.mark(e)
		}
	}
}

// noteMarks notes the marks of this copy and those that were fetched, in whatever order they and
// what they take came.
func (x *exchange) noteMarks() {
	x.noteOwn()
	for _, s := range x.fetched {
		for _, e := range s.lines {
			id := e.Identity()
			if e.TS <= x.limit && !x.future.waited[id] && !x.future.dropped[id] &&
				!x.taken.Has(id, e.TS) {
				x.mark(e)
				if _, is := x.marks[e.Key]; is && !x.local[id] {
					x.purgers[e.Key] = places.Machine{ID: s.Machine, Name: s.Name}
				}
			}
		}
	}
}

// isPurged reports whether a line is one that the mark of its key's purge takes, also one by which
// an undo brought back what it takes. A line ahead of the purge's clock is one that this copy has
// had, and has no more.
func (x *exchange) isPurged(e log.Envelope) bool {
	of, ok := x.marks[e.Key]
	return ok && (of.reach.Takes(e) ||
		(e.TS < of.last || e.TS > x.limit) && x.lost[e.Identity()])
}

// noteHidden notes a version that a purge elsewhere has not seen, and hides: it stays in the
// history.
func (x *exchange) noteHidden(e log.Envelope, from places.Machine) {
	of, ok := x.marks[e.Key]
	if ok && e.Valid() && !of.reach.Takes(e) && e.TS < of.last && !x.hidden[e.Key] {
		x.hidden[e.Key] = true
		x.rep.Hidden = append(x.rep.Hidden, Named{e.Key, from})
	}
}

// look looks in the history for what the marks of purges take.
func (x *exchange) look() error {
	if len(x.marks) == 0 {
		return nil
	}
	due := maps.Clone(x.unmet) // only quarantine may have what their marks take
	later := map[keypath.Key]log.Envelope{}
	err := x.Store.Everything(x.ctx, func(rec log.Record) error {
		if x.isPurged(rec.Envelope) {
			due[rec.Key] = true
		} else if x.unmet[rec.Key] {
			x.noteHidden(rec.Envelope, places.Machine{})
			x.keepLater(later, rec)
		}
		return nil
	})
	x.noteLater(later)
	for key := range due {
		for _, mark := range x.marks[key].marks {
			x.overdue = append(x.overdue, x.asTaken(mark))
		}
	}
	return err
}

// keepLater keeps the newest version of a memory that was written here after a purge elsewhere
// which it had not seen.
func (x *exchange) keepLater(later map[keypath.Key]log.Envelope, rec log.Record) {
	_, is := x.purgers[rec.Key]
	if old, had := later[rec.Key]; is && rec.TS > x.marks[rec.Key].last &&
		(!had || rec.Envelope.Wins(old)) {
		later[rec.Key] = rec.Envelope.Clone()
	}
}

// noteLater notes such versions, which the purge does not take: that of its key where it is live,
// and where the memory was renamed, or merged into another one, that.
func (x *exchange) noteLater(later map[keypath.Key]log.Envelope) {
	for _, key := range slices.SortedFunc(maps.Keys(later), keypath.Key.Compare) {
		e := later[key]
		if !e.Valid() {
			var err error
			if key, err = keypath.Parse(content.WentTo(e.Source)); err != nil {
				continue // it was deleted
			}
		}
		x.rep.Later = append(x.rep.Later, Named{key, x.purgers[e.Key]})
	}
}

// rivals are the versions of memories that neither of two machines had seen when it wrote its own.
type rivals struct {
	own    map[keypath.Key]log.Envelope
	losers map[keypath.Key]arrived // the newest version of another machine, where that here wins
}

// noteRival notes a memory of this machine that another one replaces, or is replaced by.
func (x *exchange) noteRival(r *rivals, a arrived) {
	mine, ok := r.own[a.Key]
	switch {
	case !ok, x.lost[a.Identity()]:
	case !mine.Wins(a.Envelope):
		if string(a.Content) == string(mine.Content) {
			break
		}
		delete(r.own, a.Key)
		if one := (Named{a.Key, a.from}); x.isPurged(mine) {
			x.rep.Erased = append(x.rep.Erased, one)
		} else {
			x.rep.Replaced = append(x.rep.Replaced, one)
		}
	default:
		if old, met := r.losers[a.Key]; !met || a.Envelope.Wins(old.Envelope) {
			r.losers[a.Key] = a
		}
	}
}

// noteOverruled notes the live versions of other machines that those here replace.
func (x *exchange) noteOverruled(r *rivals) {
	for _, key := range slices.SortedFunc(maps.Keys(r.losers), keypath.Key.Compare) {
		a := r.losers[key]
		mine, ok := r.own[key]
		if ok && a.Valid() && !x.isPurged(mine) && string(a.Content) != string(mine.Content) {
			x.rep.Overruled = append(x.rep.Overruled, Named{key, a.from})
		}
	}
}

// concurrent returns the newest of the live lines that no other machine has seen.
func (x *exchange) concurrent() *rivals {
	own := map[keypath.Key]log.Envelope{}
	for _, e := range x.unsent {
		if x.had[e.Identity()] {
			continue
		}
		if old, ok := own[e.Key]; !ok || e.Wins(old) {
			own[e.Key] = e
		}
	}
	maps.DeleteFunc(own, func(_ keypath.Key, e log.Envelope) bool { return !e.Valid() })
	return &rivals{own, map[keypath.Key]arrived{}}
}
