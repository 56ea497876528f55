package changes

import (
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// At returns the version of a key of one ts. The error is a *mem.NotFoundError where the key was
// never written, wraps ErrNoVersion, or is the file system's.
func At(ctx context.Context, s *mem.Store, c mem.Caller, key keypath.Key, ts log.Stamp) (
	log.Record, error) {
	versions, err := s.History(ctx, c, key)
	if err != nil {
		return log.Record{}, err
	}
	for v, err := range versions.Rows {
		if err != nil {
			return v, err
		}
		if v.TS == ts {
			return v.Clone(), nil
		}
	}
	return log.Record{}, &Error{key, ErrNoVersion}
}
