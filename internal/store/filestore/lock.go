package filestore

import (
	"context"
	"log/slog"
	"time"

	"github.com/set-memory/mem/internal/base/logline"
)

// takeLock takes the store's lock for op, and logs when it was taken and released.
func takeLock(ctx context.Context, s *Store, r *root, op string) (unlock func() error, err error) {
	logs := s.o.Log.Enabled(ctx, slog.LevelDebug)
	began := clockOf(s, logs)
	l, err := r.locker.Acquire(ctx, op, s.o.Now(), s.o.LockWait)
	switch {
	case err != nil:
		return nil, err
	case !logs:
		return l.Unlock, nil
	}
	to := s.o.Log.With(logline.Component, "lock", "op", op)
	taken := clockOf(s, logs)
	to.Debug("lock taken", "wait_ms", taken.Sub(began))
	return func() error {
		err := l.Unlock()
		to.Debug("lock released", "held_ms", clockOf(s, logs).Sub(taken))
		return err
	}, nil
}

// clockOf returns the time by which waits are measured; 0 where they are not logged.
func clockOf(s *Store, logs bool) (now time.Time) {
	if logs && s.o.Clock != nil {
		now = s.o.Clock()
	}
	return now
}
