package filestore

import (
	"context"
	"errors"
	"iter"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Versions returns every version of a key that archives and log hold, newest first. It keeps them
// in memory: a purge may replace an archive before the caller has read all of them.
func (s *Store) Versions(ctx context.Context, key keypath.Key) (backend.Versions, error) {
	r, err := s.root()
	if r == nil || err != nil {
		return backend.Versions{}, err
	}
	warnOfHistory(s, r)
	files := filesOf(s, r)
	for try := 0; ; try++ {
		before, _, err := ReadWatermark(r.Dir)
		if err != nil {
			return backend.Versions{}, err
		}
		list, damaged, err := files.versions(ctx, key)
		if err != nil {
			return backend.Versions{}, err
		}
		after, _, err := ReadWatermark(r.Dir)
		if err != nil || after.Gen == before.Gen || try == retries {
			return backend.VersionsOf(list, damaged), err
		}
	}
}

// versions returns the records of a key in archives and log, and damaged lines there.
func (s Files) versions(ctx context.Context, key keypath.Key) (
	list []log.Record, damaged []*log.Damage, err error) {
	all := s.history(recordsOf(log.Want(key)))
	for rec, err := range backend.Until(ctx, all) {
		var damage *log.Damage
		switch {
		case errors.As(err, &damage):
			damaged = WithDamage(damaged, damage)
		case err != nil:
			return nil, nil, err
		case rec.Key == key:
			list = append(list, rec.Clone())
		}
	}
	return list, damaged, nil
}

// warnOfHistory warns a reader of the history of absent archives, and of a log that has lost lines.
func warnOfHistory(s *Store, r *root) {
	if s.o.Warn == nil || s.o.Shared {
		return
	}
	if h, err := Examine(r.Dir, s.boot); err == nil {
		s.onFault(r.Dir, h.Fault)
	}
	faults, _ := ArchiveFaults(r.Dir) // an error will come again where they are read
	for _, fault := range faults {
		s.o.Warn(fault + ": " + PutBack)
	}
}

// History yields every envelope ever written: the archives by name, then the log.
func (s *Store) History(ctx context.Context) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		r, err := s.root()
		if r == nil || err != nil {
			if err != nil {
				yield(log.Record{}, err)
			}
			return
		}
		warnOfHistory(s, r)
		backend.Until(ctx, filesOf(s, r).History())(yield)
	}
}
