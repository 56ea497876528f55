package backend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/set-memory/mem/internal/base/content"
)

// Blobs is a backend that keeps bytes of any kind beside the records, by their SHA-256. A blob that
// no record names (content.BlobOf) is nobody's, and a backend may put it away.
//
// A writer of an artifact puts its blob first and writes the record afterwards. Within that update
// it opens the blob, and puts it again where an erasure or a repair has taken it away since. No
// blob is taken away while an update runs. Both calls may be made from within one: they take no
// lock.
type Blobs interface {
	// PutBlob keeps what r has up to its end, durably, in a root that need not exist. A blob that
	// exists is not stored twice, and a damaged one is replaced. On an error nothing new is there;
	// it wraps ErrTooLarge for a blob of more than limit bytes, or is that of r, of ctx or of the
	// disk.
	PutBlob(ctx context.Context, r io.Reader, limit int64) (Blob, error)
	// OpenBlob returns the blob of a sum. The error wraps ErrSum for a text that is not a sum,
	// fs.ErrNotExist for an absent blob, or ErrDamaged.
	OpenBlob(ctx context.Context, sum string) (io.ReadSeekCloser, error)
}

// Blob is the content kept under one sum.
type Blob struct {
	Sum  string // SHA-256, 64 hexadecimal digits in lower case
	Size int64  // bytes
}

// CheckSum returns an error that wraps ErrSum for what no blob can be asked for by.
func CheckSum(sum string) error {
	if !content.IsBlobSum(sum) {
		return fmt.Errorf("%.80q: %w", sum, ErrSum)
	}
	return nil
}

// CopyBlob copies what r has up to its end. The error wraps ErrTooLarge where that is more than
// limit bytes, or is that of r, w or ctx; the bytes written then are worthless.
func CopyBlob(ctx context.Context, w io.Writer, r io.Reader, limit int64) (Blob, error) {
	h := &hasher{ctx, w, sha256.New()}
	n, err := io.CopyBuffer(h, io.LimitReader(r, limit), make([]byte, copyBytes))
	if err != nil {
		return Blob{}, err
	}
	if more, err := io.ReadFull(r, make([]byte, 1)); more > 0 {
		return Blob{}, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	} else if !errors.Is(err, io.EOF) {
		return Blob{}, err
	}
	return Blob{Sum: hex.EncodeToString(h.hash.Sum(nil)), Size: n}, nil
}

// copyBytes is how much of a blob is in memory at once.
const copyBytes = 64 << 10

// hasher hashes the bytes written through it, until ctx ends.
type hasher struct {
	ctx  context.Context // of the one copy that it lives for
	w    io.Writer
	hash hash.Hash
}

// Write hashes b and writes it.
func (h *hasher) Write(b []byte) (int, error) {
	if h.ctx.Err() != nil {
		return 0, fmt.Errorf("artifact: %w", context.Cause(h.ctx))
	}
	h.hash.Write(b) // it never fails
	return h.w.Write(b)
}
