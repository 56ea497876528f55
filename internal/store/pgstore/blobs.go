package pgstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
)

// partSize is how many bytes of a blob a row has: so much is in memory at once, on both sides.
const partSize = 256 << 10

// PutBlob keeps what r has. It lies in a file without a name until all of it is there, for its sum
// is not known before.
func (s *Store) PutBlob(ctx context.Context, r io.Reader, limit int64) (b backend.Blob, err error) {
	if err := s.writable(); err != nil {
		return b, err
	}
	temp, err := nameless()
	if err != nil {
		return b, err
	}
	defer temp.Close()
	if b, err = backend.CopyBlob(ctx, temp, r, limit); err != nil {
		return backend.Blob{}, err
	}
	err = s.reading(ctx, func() error { return blobs{s.database}.store(ctx, temp, b) })
	if err != nil {
		return backend.Blob{}, err
	}
	return b, nil
}

// blobs is the rows of mem.blobs.
type blobs struct{ *database }

// nameless returns a temporary file that nobody else can open, and that is gone when it is closed.
func nameless() (*os.File, error) {
	f, err := os.CreateTemp("", "mem-blob-")
	if err == nil {
		err = os.Remove(f.Name()) // a crash before this leaves a temporary file
	}
	return f, err
}

// store writes a blob, in place of one that is damaged. A crash before the commit leaves nothing.
func (s blobs) store(ctx context.Context, f io.ReadSeeker, b backend.Blob) error {
	conn, err := s.spare().acquire(ctx) // the caller may have the space
	if err != nil {
		return err
	}
	defer conn.Release()
	return pgx.BeginFunc(ctx, conn, func(t pgx.Tx) error {
		if err := s.pool.enter(ctx, t); err != nil {
			return err
		}
		if sound, err := s.isSound(ctx, t, b); sound || err != nil {
			return err
		}
		_, err := t.Exec(ctx, "DELETE FROM mem.blobs WHERE space = $1 AND sum = $2",
			s.place.Space, b.Sum)
		if err != nil {
			return err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		part := make([]byte, partSize)
		for i := 0; ; i++ {
			n, err := io.ReadFull(f, part)
			if err == io.EOF && i > 0 {
				return nil
			}
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return err
			}
			if _, err := t.Exec(ctx, `INSERT INTO mem.blobs (space, sum, part, size, body)
				VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
				s.place.Space, b.Sum, i, b.Size, part[:n]); err != nil {
				return err
			}
		}
	})
}

// isSound reports whether the server has a blob, with the bytes of its name.
func (s blobs) isSound(ctx context.Context, q querier, b backend.Blob) (bool, error) {
	h := sha256.New()
	n, err := s.parts(ctx, q, b.Sum, h)
	return err == nil && n == b.Size && hex.EncodeToString(h.Sum(nil)) == b.Sum,
		disk.IgnoreNotExist(err)
}

// parts writes the bytes of a blob. The error wraps fs.ErrNotExist where there are none.
func (s blobs) parts(ctx context.Context, q querier, sum string, w io.Writer) (
	n int64, err error) {
	rows, err := q.Query(ctx, `SELECT body FROM mem.blobs WHERE space = $1 AND sum = $2
		ORDER BY part`, s.place.Space, sum)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	found := false
	for rows.Next() {
		body := rows.RawValues()[0] // shared until the next row
		if _, err := w.Write(body); err != nil {
			return n, err
		}
		n, found = n+int64(len(body)), true
	}
	if err := rows.Err(); err != nil || found {
		return n, err
	}
	return 0, &fs.PathError{Op: "open", Path: sum, Err: fs.ErrNotExist}
}

// OpenBlob returns the bytes of a sum, which were fetched and verified.
func (s *Store) OpenBlob(ctx context.Context, sum string) (io.ReadSeekCloser, error) {
	if err := errorOr(backend.CheckSum(sum), s.online()); err != nil {
		return nil, err
	}
	temp, err := nameless()
	if err != nil {
		return nil, err
	}
	err = s.reading(ctx, func() error {
		if _, err := temp.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := temp.Truncate(0); err != nil { // a crash leaves nothing: it has no name
			return err
		}
		h := sha256.New()
		_, err := blobs{s.database}.parts(ctx, s.spare(), sum, io.MultiWriter(temp, h))
		if err == nil && hex.EncodeToString(h.Sum(nil)) != sum {
			err = fmt.Errorf("%s: %w", sum, backend.ErrDamaged)
		}
		return err
	})
	if err == nil {
		_, err = temp.Seek(0, io.SeekStart)
	}
	if err != nil {
		temp.Close()
		return nil, err
	}
	return temp, nil
}
