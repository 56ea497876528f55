package pgstore

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/overlay"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// attempt is one try to commit the updates of a group: what they looked at is the space as of head.
type attempt struct {
	*overlay.Group
	store *Store
	ctx   context.Context // of the whole try
	head  head

	remembered bool // head is what this process knew; nobody was asked
	looked     bool // an update saw something of the space
	locked     bool // the space is ours

	seen   map[keypath.Key]log.Record // newest as of head; the zero Record for none
	counts *keypath.Counts            // as of head; nil: not read yet
	of     []*backend.Turn            // whose each envelope of the batch is
	config *int64                     // version that the updates go by; nil: any
}

// pool returns where it reads from.
func (a *attempt) pool() *lane {
	if a.locked {
		return a.store.inside
	}
	return a.store.spare()
}

// run runs updates, one after the other. The error is for all: they are to be run again.
func (a *attempt) run(turns []*backend.Turn) error {
	for _, t := range turns {
		if t.Ctx.Err() != nil {
			t.Err = context.Cause(t.Ctx)
			continue
		}
		tx := update{a.Begin(a.ctx, t.Caller), a}
		t.Do(tx)
		if errors.Is(t.Err, errMoved) {
			return errMoved
		}
		if t.Err == nil {
			t.Err = a.count(tx.Batch)
		}
		if t.Err == nil && a.Take(tx.Tx) {
			a.of = append(a.of, slices.Repeat([]*backend.Turn{t}, len(tx.Batch))...)
		}
	}
	return nil
}

// count reads the counters if the batch has numbers, so that the commit counts them.
func (a *attempt) count(batch []log.Envelope) error {
	for _, e := range batch {
		if _, _, numbered := e.Key.Number(); numbered {
			_, err := a.counted(a.ctx)
			return err
		}
	}
	return nil
}

// ask reads the newest records of keys that were not asked for yet.
func (a *attempt) ask(ctx context.Context, keys []keypath.Key) error {
	a.looked = a.looked || len(keys) > 0
	var missing []keypath.Key
	for _, key := range keys {
		if _, ok := a.seen[key]; !ok {
			missing = append(missing, key)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return a.store.reading(ctx, func() error {
		found, err := a.store.newest(ctx, a.pool(), a.head.seq, missing)
		if err != nil {
			return err
		}
		for _, key := range missing {
			a.seen[key] = found[key]
		}
		return nil
	})
}

// stored reads what the space has as of an attempt.
type stored struct{ *attempt }

// Newest returns the newest record of each of these keys.
func (s stored) Newest(ctx context.Context, keys []keypath.Key, ever bool) (
	map[keypath.Key]log.Record, error) {
	if err := s.ask(ctx, keys); err != nil {
		return nil, err
	}
	found := make(map[keypath.Key]log.Record, len(keys))
	for _, key := range keys {
		if rec := s.seen[key]; !rec.Key.IsZero() && (ever || rec.Valid()) {
			found[key] = rec
		}
	}
	return found, nil
}

// Get returns the newest live record of a key, expired or not.
func (s stored) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	found, err := s.Newest(ctx, []keypath.Key{key}, false)
	rec, ok := found[key]
	return rec, ok, err
}

// ScanBelow yields the live records under a prefix, by key.
func (s stored) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	if p == (keypath.Prefix{}) {
		return state.ReadBelow(ctx, p, func() (*state.View, func(), error) { return s.View(ctx) })
	}
	s.looked = true
	return belowFrom(ctx, s.store.database, s.pool(), s.head.seq, p)
}

// Size returns the bytes of the newest lines below a prefix.
func (s stored) Size(ctx context.Context, below keypath.Prefix, fresh state.Fold) (
	live, deleted int64, err error) {
	s.looked = true
	live, deleted, err = s.store.size(ctx, s.pool(), s.head.seq, below)
	if err == nil {
		err = s.ask(ctx, slices.Collect(maps.Keys(fresh)))
	}
	if err != nil {
		return 0, 0, err
	}
	add := func(rec log.Record, sign int64) {
		size := sign * (int64(len(rec.Line)) + 1)
		switch {
		case rec.Key.IsZero():
		case rec.Valid():
			live += size
		default:
			deleted += size
		}
	}
	for key, rec := range fresh {
		add(s.seen[key], -1)
		add(rec, 1)
	}
	return live, deleted, nil
}

// View returns the live records as of the attempt.
func (s stored) View(ctx context.Context) (*state.View, func(), error) {
	s.looked = true
	snap, err := s.store.snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	if snap.at != s.head.seq {
		snap.Close()
		return nil, nil, errMoved
	}
	return snap.View, snap.Close, nil
}

// Counts returns how far the counters have come as of the attempt.
func (s stored) Counts(ctx context.Context) (keypath.Counts, error) {
	counts, err := s.counted(ctx)
	return counts.Clone(), err
}
