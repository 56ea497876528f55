package memstore

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// reader answers from a view that nobody changes.
type reader struct {
	view   *state.View
	newest state.Fold // what the view shows, tombstones too
}

// Get returns the newest live record of a key, expired or not.
func (r reader) Get(_ context.Context, key keypath.Key) (log.Record, bool, error) {
	return r.view.Get(key)
}

// Below yields the live records under a prefix, by key.
func (r reader) Below(
	ctx context.Context, prefix keypath.Prefix,
) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		for rec, err := range r.view.Below(prefix) {
			if err == nil && ctx.Err() != nil {
				err = fmt.Errorf("reading: %w", context.Cause(ctx))
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// Size adds up the newest lines of the keys below a prefix.
func (r reader) Size(
	_ context.Context, below keypath.Prefix,
) (live, deleted int64, err error) {
	if !below.Sized() {
		return 0, 0, fmt.Errorf("%s: %w", below, backend.ErrNoSize)
	}
	for key, rec := range r.newest {
		of, sized := key.SizedBelow()
		size := int64(len(rec.Line)) + 1
		switch {
		case !sized || of != below:
		case rec.Valid():
			live += size
		default:
			deleted += size
		}
	}
	return live, deleted, nil
}

// Select returns what meets the conditions, in an order.
func (r reader) Select(
	_ context.Context, w backend.Where, o backend.Order, limit int,
) ([]log.Record, error) {
	return r.view.Select(w, o, limit)
}

// snapshot is what was live when it was asked for.
type snapshot struct {
	reader
	maxTS log.Stamp
}

// Has reports whether a key has a live record that has not expired at now.
func (s *snapshot) Has(_ context.Context, key keypath.Key, now log.Stamp) (bool, error) {
	return s.view.Has(key, now)
}

// Rank ranks what the conditions let pass.
func (s *snapshot) Rank(
	_ context.Context, q readout.Query, w backend.Where,
) (backend.Ranking, error) {
	return s.view.Rank(q, w)
}

// Search finds what fits a query best.
func (s *snapshot) Search(
	_ context.Context, q *fts.Query, w backend.Where, o backend.SearchOptions,
) ([]backend.Hit, error) {
	return s.view.Search(q, w, o)
}

// Newest returns the newest ts that was ever written.
func (s *snapshot) Newest() log.Stamp { return s.maxTS }

// Damaged returns nothing: there are no lines that could be damaged.
func (s *snapshot) Damaged() []*log.Damage { return nil }

// Close does nothing.
func (s *snapshot) Close() {}

// tx is an update while it runs. Whatever it appends is its own until it has ended.
type tx struct {
	store   *Store
	caller  backend.Caller
	batch   []log.Record
	writes  state.Fold     // the newest record of each key in batch
	numbers keypath.Counts // that were returned or appended
	last    log.Stamp      // newest of all, batch included
}

// reader returns a reader of now.
func (t *tx) reader() reader {
	newest := t.store.newest
	if len(t.writes) > 0 {
		newest = maps.Clone(newest)
		newest.Merge(t.writes)
	}
	return reader{state.NewView(nil, newest, nil), newest}
}

// ever returns the newest record of a key, a tombstone too.
func (t *tx) ever(key keypath.Key) (log.Record, bool) {
	rec, ok := t.writes[key]
	if !ok {
		rec, ok = t.store.newest[key]
	}
	return rec, ok
}

// Get returns the newest live record of a key, expired or not.
func (t *tx) Get(_ context.Context, key keypath.Key) (log.Record, bool, error) {
	rec, ok := t.ever(key)
	return rec, ok && rec.Valid(), nil
}

// Below yields the live records under a prefix, by key.
func (t *tx) Below(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	return t.reader().Below(ctx, p)
}

// Size adds up the newest lines of the keys below a prefix.
func (t *tx) Size(ctx context.Context, below keypath.Prefix) (live, deleted int64, err error) {
	return t.reader().Size(ctx, below)
}

// Select returns what meets the conditions, in an order.
func (t *tx) Select(
	ctx context.Context, w backend.Where, o backend.Order, limit int,
) ([]log.Record, error) {
	return t.reader().Select(ctx, w, o, limit)
}

// Newest returns the newest live record of each of these keys.
func (t *tx) Newest(
	ctx context.Context, keys []keypath.Key,
) (map[keypath.Key]log.Record, error) {
	found, err := t.NewestEver(ctx, keys)
	maps.DeleteFunc(found, func(_ keypath.Key, rec log.Record) bool { return !rec.Valid() })
	return found, err
}

// NewestEver returns the newest record of each of these keys, tombstones too.
func (t *tx) NewestEver(
	_ context.Context, keys []keypath.Key,
) (map[keypath.Key]log.Record, error) {
	found := make(map[keypath.Key]log.Record, len(keys))
	for _, key := range keys {
		if rec, ok := t.ever(key); ok {
			found[key] = rec
		}
	}
	return found, nil
}

// NextNumber returns the next number of a counter.
func (t *tx) NextNumber(_ context.Context, counter string) (int64, error) {
	if !slices.Contains(keypath.Counters(), counter) {
		return 0, fmt.Errorf("%s: %w", counter, backend.ErrNoCounter)
	}
	all := t.store.numbers.Clone()
	all.Merge(t.numbers)
	next, ok := all.Next(counter)
	if !ok {
		return 0, fmt.Errorf("%s: %w", counter, backend.ErrUsedUp)
	}
	t.numbers.Add(counter, next)
	return next, nil
}

// Append adds writes, and stamps those that are not imported.
func (t *tx) Append(writes ...backend.Write) ([]log.Stamp, error) {
	now := t.store.now()
	if t.caller.Now != 0 {
		now = t.caller.Now.Time()
	}
	batch, stamps, last := make([]log.Record, len(writes)), make([]log.Stamp, len(writes)), t.last
	before := map[keypath.Key]log.Record{} // by the writes so far
	for i, w := range writes {
		rec, err := t.record(w, now, last, before)
		if err != nil {
			return nil, err
		}
		batch[i], stamps[i], before[w.Key], last = rec, rec.TS, rec, max(last, rec.TS)
	}
	for _, rec := range batch {
		t.numbers.AddKey(rec.Key)
		t.writes[rec.Key] = rec
	}
	t.batch, t.last = append(t.batch, batch...), last
	return stamps, nil
}

// record returns an envelope as it is stored, with a ts that is later than the last, or the one
// that it brings.
func (t *tx) record(
	w backend.Write, now time.Time, last log.Stamp, before map[keypath.Key]log.Record,
) (rec log.Record, err error) {
	e := w.Envelope
	if !w.Imported {
		if e.TS, err = log.NextStamp(now, last); err != nil {
			return rec, err
		}
	}
	// The clone shares the bytes of its line, and none of the caller's.
	rec = log.Record{Envelope: e, Line: e.Line(), Canonical: true}.Clone()
	old, ok := before[e.Key]
	if !ok {
		old, ok = t.ever(e.Key)
	}
	if w.Imported && ok && !rec.Wins(old) {
		return rec, fmt.Errorf("%s of %s: %w of %s", e.Key, e.TS, backend.ErrOlder, old.TS)
	}
	return rec, nil
}
