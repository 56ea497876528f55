package mem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/union"
)

// Blob is what is kept under one SHA-256.
type Blob = backend.Blob

// PutBlob keeps the bytes that r has, whatever they are, for an artifact whose record is written
// afterwards. Within that write the view asks [Store.OpenBlob] whether they are still there, and puts
// them again if not: a purge may have taken them away in between. Neither takes a lock. The error
// wraps ErrInput where the store keeps no files, backend.ErrTooLarge for more than limit bytes, and
// union.ErrReadOnly for several stores that are read together.
func (s *Store) PutBlob(ctx context.Context, r io.Reader, limit int64) (Blob, error) {
	if s.members != nil {
		return Blob{}, fmt.Errorf("artifact: %w", union.ErrReadOnly)
	}
	b, err := s.blobs()
	if err != nil {
		return Blob{}, err
	}
	return b.PutBlob(ctx, r, limit)
}

// OpenBlob returns the bytes of a SHA-256, from the first of several stores that are read together
// which has them. The error wraps ErrInput for what is no SHA-256 or where the store keeps no
// files, fs.ErrNotExist where there are no such bytes, and backend.ErrDamaged where what is kept
// under the name are others: these are never returned.
func (s *Store) OpenBlob(ctx context.Context, sum string) (io.ReadSeekCloser, error) {
	if s.members != nil {
		return openFirst(ctx, s.members, sum)
	}
	b, err := s.blobs()
	if err != nil {
		return nil, err
	}
	f, err := b.OpenBlob(ctx, sum)
	if errors.Is(err, backend.ErrSum) {
		err = fmt.Errorf("%w: %w", ErrInput, err)
	}
	return f, err
}

// openFirst asks each of several stores. What is wrong in one of them matters only where no other
// has the bytes.
func openFirst(ctx context.Context, members []LayerMember, sum string) (
	io.ReadSeekCloser, error) {
	var err error
	for _, m := range members {
		f, failed := m.Store.OpenBlob(ctx, sum)
		if failed == nil {
			return f, nil
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = failed
		}
	}
	return nil, err
}

// blobs returns the blobs of a store's backend.
func (s *Store) blobs() (backend.Blobs, error) {
	if b, ok := s.backend.(backend.Blobs); ok {
		return b, nil
	}
	return nil, fmt.Errorf("%w: this store keeps no files of artifacts", ErrInput)
}
