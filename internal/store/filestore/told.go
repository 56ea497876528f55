package filestore

import (
	"context"
	"log/slog"
	"time"

	"github.com/set-memory/mem/internal/base/logline"
	"github.com/set-memory/mem/log"
)

// takeLock takes the store's lock for op, and tells when it was taken and released (S-82).
func takeLock(ctx context.Context, s *Store, r *root, op string) (unlock func() error, err error) {
	tells := s.o.Log.Enabled(ctx, slog.LevelDebug)
	began := clockOf(s, tells)
	l, err := r.locker.Acquire(ctx, op, s.o.Now(), s.o.LockWait)
	switch {
	case err != nil:
		return nil, err
	case !tells:
		return l.Unlock, nil
	}
	told := s.o.Log.With(logline.Component, "lock", "op", op)
	taken := clockOf(s, tells)
	told.Debug("lock taken", "wait_ms", taken.Sub(began))
	return func() error {
		err := l.Unlock()
		told.Debug("lock released", "held_ms", clockOf(s, tells).Sub(taken))
		return err
	}, nil
}

// clockOf returns the time that waits are measured by; 0 where none are told.
func clockOf(s *Store, tells bool) (now time.Time) {
	if tells && s.o.Clock != nil {
		now = s.o.Clock()
	}
	return now
}

// TellDamage tells of a line that was left out: a log as an error (S-82), or warn where there is no
// log; it may be nil. program is as for [log.Damage.LeftOut].
func TellDamage(to *slog.Logger, warn func(string), program string, d *log.Damage) {
	switch {
	case to.Enabled(context.Background(), slog.LevelError):
		to.Error(d.LeftOut(program), "file", d.Pos.File, "line", d.Pos.Line)
	case warn != nil:
		warn(d.LeftOut(program))
	}
}
