package pgstore

import (
	"context"
	"errors"
	"maps"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// snapshot is a shared view for one reader. The state is the reader's own, for it may switch to the
// whole history.
type snapshot struct {
	*state.View
	store  *Store
	shared *shared
	at     int64 // head of the space
}

// Snapshot returns the records that are live now. Where this machine has no copy of the space yet
// it waits for one, until ctx ends: the error is a *backend.CatchingUpError then.
func (s *Store) Snapshot(ctx context.Context) (backend.Snapshot, error) {
	return s.snapshot(ctx)
}

func (s *Store) snapshot(ctx context.Context) (*snapshot, error) {
	sh, err := s.follow.current(ctx)
	if err != nil {
		return nil, err
	}
	view := sh.view.Fork(func() (state.Fold, error) {
		return s.whole(context.WithoutCancel(ctx), sh.head.seq)
	})
	view.Debug = s.o.Debug
	return &snapshot{view, s, sh, sh.head.seq}, nil
}

// Size returns the bytes of the newest lines as the server has them, with tombstones.
func (s *snapshot) Size(ctx context.Context, below keypath.Prefix) (
	live, deleted int64, err error) {
	if s.store.place.FromCopy && below.Sized() {
		for rec, err := range s.ScanBelow(ctx, below) {
			if err != nil {
				return 0, 0, err
			}
			if rec.Key.String() != below.String() {
				live += int64(len(rec.Line)) + 1
			}
		}
		return live, 0, nil
	}
	return s.store.size(ctx, s.store.pool, s.at, below)
}

// Newest returns the newest ts that was ever written.
func (s *snapshot) Newest() log.Stamp { return s.shared.head.high }

// Damaged returns the lines that were left out.
func (s *snapshot) Damaged() []*log.Damage { return s.shared.damaged }

// Close releases the view.
func (s *snapshot) Close() {
	s.View.Close()
	s.shared.release()
}

// Match returns the records that match. Where this machine has no copy yet it returns nothing: it
// is asked beside every note.
func (s *Store) Match(ctx context.Context, m backend.Matcher, w backend.Where, limit int) (
	[]log.Record, error) {
	snap, err := s.snapshot(ctx)
	if errors.As(err, new(*backend.CatchingUpError)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	found := map[keypath.Key]log.Record{}
	since := snap.Since()
	if file := snap.shared.file; file != nil {
		list, err := state.Match(file, m, w)
		if err != nil {
			s.o.Debug("sidecar not used: " + err.Error())
		}
		for _, rec := range list {
			if _, newer := since[rec.Key]; !newer {
				found[rec.Key] = rec.Clone()
			}
		}
	}
	for key, rec := range since {
		if m.MayMatch(rec.Content) {
			found[key] = rec
		}
	}
	return backend.BestMatches(m, w, maps.Values(found), limit), nil
}
