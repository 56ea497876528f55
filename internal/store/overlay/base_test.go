package overlay_test

import (
	"context"
	"iter"
	"maps"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/overlay"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var ctx = context.Background()

// base is a store that is the fold of its history.
type base struct {
	fold   state.Fold
	damage []*log.Damage // that Below meets at its beginning
	failed error         // with which Below ends
	asked  int           // calls of Newest
}

var _ overlay.Base = (*base)(nil)

func (b *base) Get(_ context.Context, key keypath.Key) (log.Record, bool, error) {
	rec, ok := b.fold[key]
	return rec, ok && rec.Valid(), nil
}

func (b *base) Newest(_ context.Context, keys []keypath.Key, ever bool) (
	map[keypath.Key]log.Record, error) {
	b.asked++
	found := map[keypath.Key]log.Record{}
	for _, key := range keys {
		if rec, ok := b.fold[key]; ok && (ever || rec.Valid()) {
			found[key] = rec
		}
	}
	return found, nil
}

func (b *base) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		for _, d := range b.damage {
			if !yield(log.Record{}, d) {
				return
			}
		}
		for rec, err := range state.NewView(nil, b.fold, nil).ScanBelow(ctx, p) {
			if !yield(rec, err) {
				return
			}
		}
		if b.failed != nil {
			yield(log.Record{}, b.failed)
		}
	}
}

func (b *base) Size(_ context.Context, below keypath.Prefix, fresh state.Fold) (
	live, deleted int64, err error) {
	old := maps.Clone(b.fold)
	for key, rec := range fresh { // all of them lie below
		delete(old, key)
		if size := int64(len(rec.Line)) + 1; rec.Valid() {
			live += size
		} else {
			deleted += size
		}
	}
	l, d := sizeOf(old, below)
	return live + l, deleted + d, nil
}

func sizeOf(fold state.Fold, below keypath.Prefix) (live, deleted int64) {
	for key, rec := range fold {
		of, sized := key.SizedBelow()
		switch size := int64(len(rec.Line)) + 1; {
		case !sized || of != below:
		case rec.Valid():
			live += size
		default:
			deleted += size
		}
	}
	return live, deleted
}

func (b *base) View(context.Context) (*state.View, func(), error) {
	return state.NewView(nil, b.fold, nil), func() {}, nil
}

func (b *base) Counts(context.Context) (keypath.Counts, error) {
	var c keypath.Counts
	for key := range b.fold {
		c.AddKey(key)
	}
	return c, nil
}

// epoch is the time of the first write.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newBase returns a store that has these writes.
func newBase(list ...log.Envelope) *base {
	b := &base{fold: state.Fold{}}
	for _, e := range list {
		b.fold.Add(log.Record{Envelope: e, Line: e.Line(), Canonical: true})
	}
	return b
}

// last returns the newest stamp of a store.
func (b *base) last() log.Stamp {
	last := log.MinStamp
	for _, rec := range b.fold {
		last = max(last, rec.TS)
	}
	return last
}

// group returns a group over the store, whose clock stands still.
func (b *base) group() *overlay.Group {
	return overlay.NewGroup(b, func() time.Time { return epoch }, b.last())
}

// write returns an envelope of a key, so many seconds after the epoch.
func write(key, content string, seconds int) log.Envelope {
	return log.Envelope{Key: keypath.MustParse(key), Source: []byte(`"test"`),
		Content: []byte(content),
		TS:      log.StampOf(epoch.Add(time.Duration(seconds) * time.Second))}
}

func stamped(key, content string) backend.Write {
	return backend.Write{Envelope: write(key, content, 0)}
}

func imported(key, content string, seconds int) backend.Write {
	return backend.Write{Envelope: write(key, content, seconds), Imported: true}
}
