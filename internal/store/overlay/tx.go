package overlay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Tx is one update of a group.
type Tx struct {
	Batch []log.Envelope // what it has appended

	group   *Group
	ctx     context.Context // of the update
	caller  backend.Caller
	writes  writes
	numbers keypath.Counts // that were returned or appended
	last    log.Stamp      // newest of all, Batch included
}

// put returns the newest record of a key that the update sees and that is not stored yet.
func (t *Tx) put(key keypath.Key) (log.Record, bool) {
	rec, ok := t.writes[key]
	if !ok {
		rec, ok = t.group.writes[key]
	}
	if ok {
		rec = withLine(rec)
	}
	return rec, ok
}

// fresh returns the newest unstored records of the keys for which holds is true.
func (t *Tx) fresh(holds func(keypath.Key) bool) state.Fold {
	if len(t.group.writes)+len(t.writes) == 0 {
		return nil
	}
	fresh := state.Fold{}
	for _, w := range [...]writes{t.group.writes, t.writes} { // the later one wins
		for key, rec := range w {
			if holds(key) {
				fresh[key] = withLine(rec)
			}
		}
	}
	return fresh
}

// Get returns the newest live record of a key, expired or not.
func (t *Tx) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	if rec, ok := t.put(key); ok {
		return rec, rec.Valid(), nil
	}
	return t.group.base.Get(ctx, key)
}

// Newest returns the newest live record of each of these keys.
func (t *Tx) Newest(ctx context.Context, keys []keypath.Key) (
	map[keypath.Key]log.Record, error) {
	found, err := t.newest(ctx, keys, false)
	maps.DeleteFunc(found, func(_ keypath.Key, rec log.Record) bool { return !rec.Valid() })
	return found, err
}

// NewestEver returns the newest record of each of these keys in the whole history, tombstones too.
func (t *Tx) NewestEver(ctx context.Context, keys []keypath.Key) (
	map[keypath.Key]log.Record, error) {
	return t.newest(ctx, keys, true)
}

// newest asks the store for all keys, those that were put too: it may keep what it has read for the
// next update. For no key it reads nothing.
func (t *Tx) newest(ctx context.Context, keys []keypath.Key, ever bool) (
	map[keypath.Key]log.Record, error) {
	if len(keys) == 0 {
		return map[keypath.Key]log.Record{}, nil
	}
	found, err := t.group.base.Newest(ctx, keys, ever)
	if err != nil || len(t.group.writes)+len(t.writes) == 0 {
		return found, err
	}
	for _, key := range keys {
		if rec, ok := t.put(key); ok {
			found[key] = rec
		}
	}
	return found, nil
}

// ScanBelow yields the live records under a prefix, by key.
func (t *Tx) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		merged(t.group.base.ScanBelow(ctx, p), t.fresh(p.Holds))(yield)
	}
}

// merged yields live records by key, fresh ones in the place of those of the same key.
func merged(old iter.Seq2[log.Record, error], fresh state.Fold) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		keys := fresh.Keys()
		before := func(rec log.Record) bool { // yields the fresh records before one
			for ; len(keys) > 0 && keys[0].Compare(rec.Key) < 0; keys = keys[1:] {
				if r := fresh[keys[0]]; r.Valid() && !yield(r, nil) {
					return false
				}
			}
			return true
		}
		for rec, err := range old {
			switch {
			case err != nil:
				if !yield(rec, err) || !errors.As(err, new(*log.Damage)) {
					return
				}
				continue
			case !before(rec):
				return
			case len(keys) > 0 && keys[0] == rec.Key:
				continue // the fresh one comes with those before the next key
			case !yield(rec, nil):
				return
			}
		}
		for _, key := range keys {
			if r := fresh[key]; r.Valid() && !yield(r, nil) {
				return
			}
		}
	}
}

// Size returns the bytes of the newest lines of the keys below a prefix.
func (t *Tx) Size(ctx context.Context, below keypath.Prefix) (live, deleted int64, err error) {
	if !below.Sized() {
		return 0, 0, fmt.Errorf("%s: %w", below, backend.ErrNoSize)
	}
	return t.group.base.Size(ctx, below, t.fresh(func(key keypath.Key) bool {
		of, sized := key.SizedBelow()
		return sized && of == below
	}))
}

// Select returns what meets the conditions, in an order.
func (t *Tx) Select(ctx context.Context, w backend.Where, o backend.Order, limit int) (
	[]log.Record, error) {
	v, release, err := t.group.base.View(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	fresh := t.fresh(func(keypath.Key) bool { return true })
	if len(fresh) > 0 {
		v = v.With(fresh)
		defer v.Close()
	}
	return v.Select(ctx, w, o, limit)
}

// NextNumber returns the next number of a counter.
func (t *Tx) NextNumber(ctx context.Context, counter string) (int64, error) {
	if !slices.Contains(keypath.Counters(), counter) {
		return 0, fmt.Errorf("%s: %w", counter, backend.ErrNoCounter)
	}
	all, err := t.group.base.Counts(ctx)
	if err != nil {
		return 0, err
	}
	all.Merge(t.group.Numbers)
	all.Merge(t.numbers)
	next, ok := all.Next(counter)
	if !ok {
		return 0, fmt.Errorf("%s: %w", counter, backend.ErrUsedUp)
	}
	t.numbers.Add(counter, next)
	return next, nil
}
