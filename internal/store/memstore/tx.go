package memstore

import (
	"context"
	"fmt"
	"iter"
	"maps"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// snapshot shows the records that were live when it was made.
type snapshot struct {
	*state.View
	newest state.Fold // what the view shows, tombstones too
	maxTS  log.Stamp
}

// Size adds up the newest lines of the keys below a prefix.
func (s *snapshot) Size(_ context.Context, below keypath.Prefix) (live, deleted int64, err error) {
	if !below.Sized() {
		return 0, 0, fmt.Errorf("%s: %w", below, backend.ErrNoSize)
	}
	live, deleted = sizeBelow(s.newest, below)
	return live, deleted, nil
}

func sizeBelow(newest state.Fold, below keypath.Prefix) (live, deleted int64) {
	for key, rec := range newest {
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
	return live, deleted
}

// Newest returns the newest ts that was ever written.
func (s *snapshot) Newest() log.Stamp { return s.maxTS }

// Damaged returns nothing: there are no lines that could be damaged.
func (s *snapshot) Damaged() []*log.Damage { return nil }

// stored reads the stored records, for an update: nothing changes it meanwhile.
type stored struct{ *Store }

// Newest returns the newest record of each of these keys.
func (s stored) Newest(_ context.Context, keys []keypath.Key, ever bool) (
	map[keypath.Key]log.Record, error) {
	found := make(map[keypath.Key]log.Record, len(keys))
	for _, key := range keys {
		if rec, ok := s.newest[key]; ok && (ever || rec.Valid()) {
			found[key] = rec
		}
	}
	return found, nil
}

// View returns a view of everything.
func (s stored) View(context.Context) (*state.View, func(), error) {
	return state.NewView(nil, s.newest, nil), func() {}, nil
}

// ScanBelow yields the live records under a prefix, by key.
func (s stored) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	return state.NewView(nil, s.newest, nil).ScanBelow(ctx, p)
}

// Size adds up the newest lines of the keys below a prefix.
func (s stored) Size(_ context.Context, below keypath.Prefix, fresh state.Fold) (
	live, deleted int64, err error) {
	newest := maps.Clone(s.newest)
	newest.Merge(fresh)
	live, deleted = sizeBelow(newest, below)
	return live, deleted, nil
}

// Counts returns how far each counter has come.
func (s stored) Counts(context.Context) (keypath.Counts, error) { return s.numbers.Clone(), nil }
