package overlay

import (
	"context"
	"iter"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Base reads the stored records while a group of updates runs, without anything that they put.
type Base interface {
	// Get returns the newest live record of a key, expired or not.
	Get(ctx context.Context, key keypath.Key) (log.Record, bool, error)
	// Newest returns the newest record of each of these keys, at least one: that it ever had,
	// tombstones too, or only those that are live. The caller may change the map.
	Newest(ctx context.Context, keys []keypath.Key, ever bool) (
		map[keypath.Key]log.Record, error)
	// ScanBelow yields the live records under a prefix, by key, as backend.Reader does. After a
	// *log.Damage there may be more.
	ScanBelow(ctx context.Context, prefix keypath.Prefix) iter.Seq2[log.Record, error]
	// Size is that of backend.Reader with fresh records in the place of the stored ones of their
	// keys, which lie below the prefix.
	Size(ctx context.Context, below keypath.Prefix, fresh state.Fold) (
		live, deleted int64, err error)
	// View returns a view of everything, which is used until it is released.
	View(ctx context.Context) (v *state.View, release func(), err error)
	// Counts returns how far each counter has come. The caller may change them.
	Counts(ctx context.Context) (keypath.Counts, error)
}

// Group collects the envelopes of updates that run one after the other, to append them together.
type Group struct {
	Batch   []log.Envelope // in the order in which they were appended
	Numbers keypath.Counts // that the updates returned or appended
	Last    log.Stamp      // the newest that there is, in the store or in the batch

	base   Base
	now    func() time.Time
	writes writes
}

// NewGroup returns an empty group over the stored records, of which newest is the newest stamp.
func NewGroup(base Base, now func() time.Time, newest log.Stamp) *Group {
	return &Group{Last: newest, base: base, now: now}
}

// Begin begins an update, which ends before the next one begins. What it appends is its own until
// it is taken.
func (g *Group) Begin(ctx context.Context, c backend.Caller) *Tx {
	return &Tx{group: g, ctx: ctx, caller: c, last: g.Last}
}

// Take adds what an update has appended to the group, and reports whether there was anything.
func (g *Group) Take(t *Tx) bool {
	if len(t.Batch) == 0 {
		return false
	}
	g.Last = t.last
	g.Numbers.Merge(t.numbers)
	if len(g.Batch) == 0 {
		g.Batch, g.writes = t.Batch, t.writes
		return true
	}
	g.Batch = append(g.Batch, t.Batch...)
	for key, rec := range t.writes {
		g.writes[key] = rec
	}
	return true
}

// writes is the newest envelope of each key that was put, as a record without its line: that is
// made where somebody reads it.
type writes map[keypath.Key]log.Record

// withLine returns a record with its line.
func withLine(rec log.Record) log.Record {
	if rec.Line == nil {
		rec.Line, rec.Canonical = rec.Envelope.Line(), true
	}
	return rec
}

// wins is [log.Record.Wins] of an envelope; lines are made only where they decide.
func wins(e log.Envelope, old log.Record) bool {
	if e.TS != old.TS {
		return e.TS > old.TS
	}
	return withLine(log.Record{Envelope: e}).Wins(withLine(old))
}
