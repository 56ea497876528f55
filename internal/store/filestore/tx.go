package filestore

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// overlay is the newest record of each key that was written and is not in the log yet.
type overlay map[keypath.Key]log.Record

// put adds a record. Its line is made when it is needed.
func (o *overlay) put(e log.Envelope) {
	if *o == nil {
		*o = overlay{}
	}
	if old, ok := (*o)[e.Key]; !ok || wins(e, old) {
		(*o)[e.Key] = log.Record{Envelope: e}
	}
}

// wins is [log.Record.Wins] of an envelope; lines are made only where they decide.
func wins(e log.Envelope, old log.Record) bool {
	if e.TS != old.TS {
		return e.TS > old.TS
	}
	return withLine(log.Record{Envelope: e}).Wins(withLine(old))
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
	last   log.Stamp // newest that was stamped here

	numbers keypath.Counts // that were returned or appended
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
		wr := t.group.wr // nothing changes its watermark meanwhile
		v, err := wr.load(wr.w, true, below(prefix), math.MaxInt64)
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

// Select returns what meets the conditions, in an order; of what this group has written too.
func (t *tx) Select(_ context.Context, w backend.Where, o backend.Order, limit int) (
	[]log.Record, error) {
	v, err := t.group.wr.Load()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	all := v.With(t.group.writes, t.writes)
	defer all.Close()
	return all.Select(w, o, limit)
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
		if err != nil {
			return nil, err
		}
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
		rec, ok := t.written(key)
		switch {
		case ok && (ever || rec.Valid()):
			found[key] = rec
		case ok:
			delete(found, key)
		}
	}
	return found, nil
}

// manyOrNone returns the newest record that each of these keys ever had. For no key it reads
// nothing.
func (t *tx) manyOrNone(keys []keypath.Key) (map[keypath.Key]log.Record, error) {
	if len(keys) == 0 {
		return map[keypath.Key]log.Record{}, nil
	}
	return t.many(keys, true)
}

// NextNumber returns the next number of a counter.
func (t *tx) NextNumber(_ context.Context, counter string) (int64, error) {
	if !slices.Contains(keypath.Counters(), counter) {
		return 0, fmt.Errorf("%s: %w", counter, backend.ErrNoCounter)
	}
	all, err := t.group.store.counts.current(t.group.wr)
	if err != nil {
		return 0, err
	}
	all.Merge(t.group.numbers)
	all.Merge(t.numbers)
	next, ok := all.Next(counter)
	if !ok {
		return 0, fmt.Errorf("%s: %w", counter, backend.ErrUsedUp)
	}
	t.numbers.Add(counter, next)
	return next, nil
}

// Append adds envelopes to what the group will append, and stamps those that have no ts.
func (t *tx) Append(writes ...backend.Write) ([]log.Stamp, error) {
	now := t.group.store.o.Now()
	if t.caller.Now != 0 {
		now = t.caller.Now.Time()
	}
	last := t.last
	// The caller's stay as they are, for the update may run again.
	batch, stamps := make([]log.Envelope, len(writes)), make([]log.Stamp, len(writes))
	for i, w := range writes {
		if batch[i] = w.Envelope; !w.Imported {
			ts, err := log.NextStamp(now, max(last, t.group.newest))
			if err != nil {
				return nil, err
			}
			batch[i].TS = ts
		}
		stamps[i] = batch[i].TS
		last = max(last, stamps[i])
	}
	if err := t.mayImport(writes, batch); err != nil {
		return nil, err
	}
	t.last = last
	for _, e := range batch {
		t.put(e)
	}
	return stamps, nil
}

// put adds one envelope that has its ts.
func (t *tx) put(e log.Envelope) {
	t.batch = append(t.batch, e)
	t.writes.put(e)
	t.numbers.AddKey(e.Key)
}

// mayImport refuses envelopes that bring a ts, where the history has something as new for the key,
// or the batch before them: what stands behind a checkpoint replaces what the state has, and that
// has no tombstones. What the update has asked for is known already.
func (t *tx) mayImport(writes []backend.Write, batch []log.Envelope) error {
	var keys []keypath.Key // that the history may have something as new for
	last, inOrder := t.newest(), true
	for i, e := range batch {
		if writes[i].Imported && e.TS <= t.newest() {
			keys = append(keys, e.Key)
		}
		inOrder = inOrder && e.TS > last
		last = max(last, e.TS)
	}
	if inOrder {
		return nil
	}
	newest, err := t.manyOrNone(keys)
	if err != nil {
		return err
	}
	for i, e := range batch {
		old, ok := newest[e.Key]
		if ok && writes[i].Imported && !wins(e, old) {
			return fmt.Errorf("%s of %s: %w of %s", e.Key, e.TS, backend.ErrOlder, old.TS)
		}
		newest[e.Key] = log.Record{Envelope: e}
	}
	return nil
}
