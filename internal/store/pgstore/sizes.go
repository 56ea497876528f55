package pgstore

import (
	"context"

	"github.com/set-memory/mem/internal/store/backend"
)

// Sizes counts what the space holds on the server, each line with its end as in a file.
func (s *Store) Sizes(ctx context.Context) (z backend.Sizes, err error) {
	if err := s.online(); err != nil {
		return z, err
	}
	err = s.pool.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM mem.envelopes WHERE space = $1),
		(SELECT coalesce(sum(octet_length(line) + 1), 0)::bigint FROM mem.envelopes WHERE space = $1),
		(SELECT count(*) FROM mem.blobs WHERE space = $1 AND part = 0),
		(SELECT coalesce(sum(size), 0)::bigint FROM mem.blobs WHERE space = $1 AND part = 0)`,
		s.place.Space).Scan(&z.LogLines, &z.LogBytes, &z.Blobs, &z.BlobBytes)
	return z, ofContext(ctx, failure(err))
}
