package exchange

import (
	"maps"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// purged is what the marks of purges say of a key.
type purged struct {
	mark log.Envelope // the one that takes most
	to   log.Stamp    // versions up to it go
	last log.Stamp    // time of the newest mark: what is between is hidden
}

// mark notes the mark of a purge.
func (x *exchange) mark(e log.Envelope) {
	if rec := (log.Record{Envelope: e}); !content.IsPurgeMark(rec) || !x.travels(rec) {
		return
	}
	old, known := x.marks[e.Key]
	one := purged{e.Clone(), content.PurgedTo(e), max(e.TS, old.last)}
	if known && old.to > one.to {
		one.mark, one.to = old.mark, old.to
	}
	x.marks[e.Key] = one
	if !x.seen.lines[e.Identity()] {
		x.fresh = true
		x.unmet[e.Key] = true
	}
}

// isPurged reports whether a line is one that the mark of its key's purge takes, also one by which
// an undo brought back what it takes. A line ahead of the purge's clock is one that this copy has
// had, and has no more.
func (x *exchange) isPurged(e log.Envelope) bool {
	of, ok := x.marks[e.Key]
	return ok && (content.VersionOf(e) <= of.to ||
		(e.TS < of.last || e.TS > x.limit) && x.lost[e.Identity()])
}

// hides notes a version that a purge elsewhere has not seen, and hides: it stays in the history.
func (x *exchange) hides(e log.Envelope, from places.Machine) {
	of, ok := x.marks[e.Key]
	if ok && e.Valid() && e.TS > of.to && e.TS < of.last && !x.hidden[e.Key] {
		x.hidden[e.Key] = true
		x.rep.Hidden = append(x.rep.Hidden, Named{e.Key, from})
	}
}

// replaces notes a memory of this machine that a line of another one replaces, which had not seen
// it.
func (x *exchange) replaces(own map[keypath.Key]log.Envelope, a arrived) {
	mine, ok := own[a.Key]
	if ok && wins(a.Envelope, mine) && string(a.Content) != string(mine.Content) {
		delete(own, a.Key)
		x.rep.Replaced = append(x.rep.Replaced, Named{a.Key, a.from})
	}
}

// concurrent returns the newest of the live lines that no other machine has seen, by key.
func (x *exchange) concurrent() map[keypath.Key]log.Envelope {
	own := map[keypath.Key]log.Envelope{}
	for _, e := range x.unsent {
		if x.had[e.Identity()] {
			continue
		}
		if old, ok := own[e.Key]; !ok || wins(e, old) {
			own[e.Key] = e
		}
	}
	maps.DeleteFunc(own, func(_ keypath.Key, e log.Envelope) bool { return !e.Valid() })
	return own
}

// isMarked reports whether an older build has marked a line of this copy.
func (x *exchange) isMarked(e log.Envelope) bool {
	return x.imported != nil && x.imported(log.Record{Envelope: e})
}

func wins(a, b log.Envelope) bool {
	return log.Record{Envelope: a, Line: a.Line()}.Wins(log.Record{Envelope: b, Line: b.Line()})
}
