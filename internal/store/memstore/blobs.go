package memstore

import (
	"bytes"
	"context"
	"io"
	"io/fs"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
)

var _ backend.Blobs = (*Store)(nil)

// PutBlob keeps what r has.
func (s *Store) PutBlob(ctx context.Context, r io.Reader, limit int64) (backend.Blob, error) {
	var text bytes.Buffer
	b, err := backend.CopyBlob(ctx, &text, r, limit)
	if err != nil {
		return b, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blobs[b.Sum] = text.Bytes()
	return b, nil
}

// OpenBlob returns the bytes of a sum.
func (s *Store) OpenBlob(_ context.Context, sum string) (io.ReadSeekCloser, error) {
	if err := backend.CheckSum(sum); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.blobs[sum]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: sum, Err: fs.ErrNotExist}
	}
	return blobReader{bytes.NewReader(text)}, nil
}

// blobReader is an open blob.
type blobReader struct{ *bytes.Reader }

// Close does nothing.
func (blobReader) Close() error { return nil }

// removeBlobs removes what the artifacts that go were about, but for what a live one is about too,
// and returns that. The caller has the turn: nobody is about to write another.
func (s *Store) removeBlobs(sums []string) (kept []string) {
	used := map[string]bool{}
	for _, rec := range s.newest {
		used[content.BlobOf(rec.Key, rec.Content)] = true
	}
	for _, sum := range sums {
		if used[sum] {
			kept = append(kept, sum)
		} else {
			delete(s.blobs, sum)
		}
	}
	return kept
}
