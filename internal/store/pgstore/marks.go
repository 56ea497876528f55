package pgstore

import (
	"bytes"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
)

var _ backend.Marker = (*Store)(nil)

// marksName is the file of a copy that has the marks as of when this machine last asked.
const marksName = "imported"

// maxMarks is how long that file may be.
const maxMarks = 256 << 20

// Marks returns the lines that an import brought. Where the copy alone answers, these are as of
// when this machine last asked.
func (s *Store) Marks(ctx context.Context) (map[log.Identity]bool, error) {
	dir, err := s.dir()
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	have, err := dir.ReadFile(marksName, maxMarks)
	if s.online() != nil || disk.IgnoreNotExist(err) != nil {
		return marksOf(slices.Collect(slices.Chunk(have, len(log.Identity{})))),
			disk.IgnoreNotExist(err)
	}
	var sums [][]byte
	err = s.reading(ctx, func() error {
		rows, err := s.pool.Query(ctx, `SELECT line FROM mem.imported WHERE space = $1
			ORDER BY line`, s.place.Space)
		if err == nil {
			sums, err = pgx.CollectRows(rows, pgx.RowTo[[]byte])
		}
		return err
	})
	if text := slices.Concat(sums...); err == nil && !bytes.Equal(text, have) {
		// A crash here leaves the old file or the new one; the next call writes it again.
		err = dir.WriteFile(marksName, text)
	}
	return marksOf(sums), err
}

func marksOf(sums [][]byte) map[log.Identity]bool {
	if len(sums) == 0 {
		return nil
	}
	marks := make(map[log.Identity]bool, len(sums))
	for _, sum := range sums {
		marks[log.Identity(sum)] = true
	}
	return marks
}

// MarkImported marks lines. Nothing is locked: what stores them afterwards may fail, and marks stay
// that are of no line.
func (s *Store) MarkImported(ctx context.Context, lines []log.Identity) error {
	if err := s.writable(); err != nil {
		return err
	}
	return s.reading(ctx, func() error {
		_, err := s.pool.Exec(ctx, `INSERT INTO mem.imported (space, line)
			SELECT $1, unnest($2::bytea[]) ON CONFLICT DO NOTHING`, s.place.Space, raw(lines))
		return err
	})
}

const unmarkSQL = "DELETE FROM mem.imported WHERE space = $1 AND line = ANY ($2::bytea[])"

func raw(lines []log.Identity) [][]byte {
	list := make([][]byte, len(lines))
	for i := range lines {
		list[i] = lines[i][:]
	}
	return list
}
