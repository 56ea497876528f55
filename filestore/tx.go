package filestore

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"strconv"

	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/state"
)

// overlay is the newest record of each key that was written and is not in the log yet.
type overlay map[keypath.Key]log.Record

// put adds a record. Its line is made when it is needed.
func (o *overlay) put(e log.Envelope) {
	if *o == nil {
		*o = overlay{}
	}
	old, ok := (*o)[e.Key]
	if !ok || e.TS > old.TS || e.TS == old.TS &&
		withLine(log.Record{Envelope: e}).Wins(withLine(old)) {
		(*o)[e.Key] = log.Record{Envelope: e}
	}
}

func withLine(rec log.Record) log.Record {
	if rec.Line == nil {
		rec.Line = rec.Envelope.Line()
	}
	return rec
}

// fold returns the records with their lines.
func (o overlay) fold() state.Fold {
	f := make(state.Fold, len(o))
	for key, rec := range o {
		f[key] = withLine(rec)
	}
	return f
}

// tx is one update of a group.
type tx struct {
	group  *groupTx
	caller backend.Caller
	batch  []log.Envelope
	writes overlay
	number map[string]int64 // highest that was returned, by counter
	last   log.Stamp        // newest that was stamped here
}

func (t *tx) newest() log.Stamp { return max(t.last, t.group.newest) }

// written returns the newest record of a key that this group has written.
func (t *tx) written(key keypath.Key) (log.Record, bool) {
	rec, ok := t.writes[key]
	if !ok {
		rec, ok = t.group.writes[key]
	}
	if ok {
		rec = withLine(rec)
	}
	return rec, ok
}

// Get returns the newest live record of a key, expired or not.
func (t *tx) Get(_ context.Context, key keypath.Key) (log.Record, bool, error) {
	if rec, ok := t.written(key); ok {
		return rec, rec.Valid(), nil
	}
	return t.group.wr.Newest(key)
}

// Below yields the live records under a prefix, those of this group among them.
func (t *tx) Below(_ context.Context, prefix keypath.Prefix) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		v, err := t.group.wr.Load()
		if err != nil {
			yield(log.Record{}, err)
			return
		}
		defer v.Close()
		for rec, err := range v.With(t.group.writes, t.writes).Below(prefix) {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// With returns the view with records that are not in the log yet.
func (v *View) With(writes ...overlay) *state.View {
	n := 0
	for _, o := range writes {
		n += len(o)
	}
	if n == 0 {
		return v.View
	}
	since := maps.Clone(v.Since())
	for _, o := range writes {
		since.Merge(o.fold())
	}
	return state.NewView(v.file, since, func() (state.Fold, error) {
		whole, err := v.foldHistory()
		for _, o := range writes {
			whole.Merge(o.fold())
		}
		return whole, err
	})
}

// Newest returns the newest live record of each of these keys, at the cost of one pass.
func (t *tx) Newest(_ context.Context, keys []keypath.Key) (map[keypath.Key]log.Record, error) {
	return t.many(keys, false)
}

// NewestEver returns the newest record of each of these keys in the whole history, tombstones too.
func (t *tx) NewestEver(_ context.Context, keys []keypath.Key) (map[keypath.Key]log.Record, error) {
	return t.many(keys, true)
}

func (t *tx) many(keys []keypath.Key, ever bool) (map[keypath.Key]log.Record, error) {
	found, err := t.group.store.many.newest(t.group.wr, keys, ever)
	if err != nil || len(t.group.writes)+len(t.writes) == 0 {
		return found, err
	}
	for _, key := range keys {
		if rec, ok := t.written(key); ok {
			found[key] = rec
		}
	}
	return found, nil
}

// NextNumber returns the next number of a counter.
func (t *tx) NextNumber(_ context.Context, counter string) (int64, error) {
	highest, err := t.group.store.counts.highest(t.group.wr, counter)
	if err != nil {
		return 0, err
	}
	next := max(highest, t.group.number[counter], t.number[counter]) + 1
	if _, ok := keypath.ParseNumber(strconv.FormatInt(next, 10)); !ok {
		return 0, fmt.Errorf("%s: %w", counter, backend.ErrUsedUp)
	}
	if t.number == nil {
		t.number = map[string]int64{}
	}
	t.number[counter] = next
	return next, nil
}

// Append adds envelopes to what the group will append, and stamps those that have no ts.
func (t *tx) Append(writes ...log.Envelope) ([]log.Stamp, error) {
	stamps := make([]log.Stamp, len(writes))
	now := t.group.store.o.Now()
	if t.caller.Now != 0 {
		now = t.caller.Now.Time()
	}
	last := t.last
	for i, e := range writes {
		if e.TS == 0 {
			ts, err := log.NextStamp(now, max(last, t.group.newest))
			if err != nil {
				return nil, err
			}
			writes[i].TS = ts
		}
		stamps[i] = writes[i].TS
		last = max(last, stamps[i])
	}
	t.last = last
	for _, e := range writes {
		t.writes.put(e)
	}
	t.batch = append(t.batch, writes...)
	return stamps, nil
}
