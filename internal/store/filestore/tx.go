package filestore

import (
	"context"
	"iter"
	"math"

	"github.com/set-memory/mem/internal/store/sizes"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// stored reads what a store has, for the updates of a group.
type stored struct {
	store *Store
	wr    *Writer
}

// Get returns the newest live record of a key, expired or not.
func (s stored) Get(_ context.Context, key keypath.Key) (log.Record, bool, error) {
	return s.wr.Newest(key)
}

// Newest returns the newest record of each of these keys, at the cost of one pass.
func (s stored) Newest(_ context.Context, keys []keypath.Key, ever bool) (
	map[keypath.Key]log.Record, error) {
	return s.store.many.newest(s.wr, keys, ever)
}

// ScanBelow yields the live records under a prefix.
func (s stored) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	return state.ReadBelow(ctx, p, func() (*state.View, func(), error) {
		// Nothing changes the watermark meanwhile.
		return released(s.wr.load(s.wr.w, true, scanBelow(p), math.MaxInt64))
	})
}

// View returns a view of everything.
func (s stored) View(context.Context) (*state.View, func(), error) { return released(s.wr.Load()) }

// released returns a view with what releases it.
func released(v *View, err error) (*state.View, func(), error) {
	if err != nil {
		return nil, nil, err
	}
	return v.View, v.Close, nil
}

// Size returns the bytes of the newest lines of the keys below a prefix.
func (s stored) Size(_ context.Context, below keypath.Prefix, fresh state.Fold) (
	live, deleted int64, err error) {
	var more []sizes.Line
	for _, rec := range fresh {
		l, _ := sizes.LineOf(rec)
		more = append(more, l)
	}
	return s.store.tallies.size(s.wr, below, more)
}

// Counts returns how far each counter has come.
func (s stored) Counts(context.Context) (keypath.Counts, error) {
	return s.store.counts.current(s.wr)
}
