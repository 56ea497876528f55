package filestore

import (
	"context"
	"errors"

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
		if err != nil || after.Gen == before.Gen || try == Retries {
			return backend.VersionsOf(list, damaged), err
		}
	}
}

// versions returns the records of a key in archives and log, and the damaged lines there that may
// be records of it too.
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
