package filestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
)

var _ backend.Blobs = (*Store)(nil)

// PutBlob keeps what r has in artifacts/, without a lock. It returns when the file, its name and
// that of artifacts/ are on disk: the envelope that names it is written only afterwards.
func (s *Store) PutBlob(ctx context.Context, r io.Reader, limit int64) (blob backend.Blob,
	err error) {
	root, err := rootOrNew(s)
	if err != nil {
		return blob, err
	}
	dir, err := root.Sub(ArtifactsDir, true)
	if err != nil {
		return blob, err
	}
	defer dir.Close()
	p := blobPut{root: root.Dir, dir: dir, now: s.o.Now()}
	if blob, err = p.put(ctx, r, limit); err == nil {
		// A crash before this may lose artifacts/ with its files: the process that made the
		// directory may have been killed before this sync. No envelope names the blob yet.
		err = root.Sync()
	}
	if err != nil {
		return backend.Blob{}, err
	}
	return blob, nil
}

// blobPut is one blob on its way into artifacts/.
type blobPut struct {
	root, dir *disk.Dir
	now       time.Time
}

// errStored ends the writing of a temporary file whose bytes are in artifacts/ already.
var errStored = errors.New("stored already")

func (p blobPut) put(ctx context.Context, r io.Reader, limit int64) (blob backend.Blob, err error) {
	damaged := false
	// A crash within this leaves a temporary file. A blob that exists is not synced again: it was
	// synced before it got its name.
	temp, err := p.dir.TempFileSync(func(w io.Writer) (err error) {
		if blob, err = backend.CopyBlob(ctx, w, r, limit); err == nil {
			damaged, err = p.look(ctx, blob.Sum)
		}
		return err
	})
	if errors.Is(err, errStored) {
		// A crash before this may lose a name that another process has just made.
		return blob, p.dir.Sync()
	}
	if err != nil {
		return blob, err
	}
	if damaged {
		if err := p.keepDamaged(blob.Sum); err != nil {
			return blob, errors.Join(err, disk.IgnoreNotExist(p.dir.Remove(temp)))
		}
	}
	// A crash before the rename within this leaves a temporary file; after it a blob that nobody
	// names, until a power cut or a repair takes it away.
	return blob, p.dir.CommitSync(temp, blob.Sum)
}

// look looks at the file in the place of a blob. The error is errStored where that is the blob.
func (p blobPut) look(ctx context.Context, sum string) (damaged bool, err error) {
	f, _, err := openBlob(ctx, p.dir, sum)
	switch {
	case err == nil:
		return false, errors.Join(errStored, f.Close())
	case errors.Is(err, backend.ErrDamaged):
		return true, nil
	}
	return false, disk.IgnoreNotExist(err)
}

// keepDamaged copies damaged bytes into quarantine/ before the right ones replace them. Nothing is
// removed from artifacts/: no lock is held, and another process may have put it right meanwhile.
func (p blobPut) keepDamaged(sum string) error {
	if err := MakeQuarantine(p.root); err != nil {
		return err
	}
	quarantine, err := p.root.Sub(log.QuarantineDir, false)
	if err != nil {
		return err
	}
	defer quarantine.Close()
	name, err := log.QuarantineName(quarantine, ArtifactsDir+"/"+sum, p.now)
	if err != nil {
		return err
	}
	src, err := p.dir.Open(sum)
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	defer src.Close()
	// A crash within this leaves the damaged file in its place, and perhaps a copy of it.
	if err := quarantine.WriteFileSync(name,
		func(w io.Writer) error { _, err := io.Copy(w, src); return err }); err != nil {
		return err
	}
	// A crash before this may lose a new quarantine/; the damaged file is still in its place.
	return p.root.Sync()
}

// OpenBlob opens a blob after it has read all of it. Nobody changes a blob in place, and one that
// is removed or replaced stays intact for a reader that has it open.
func (s *Store) OpenBlob(ctx context.Context, sum string) (io.ReadSeekCloser, error) {
	if err := backend.CheckSum(sum); err != nil {
		return nil, err
	}
	r, err := s.root()
	if err == nil && r == nil {
		err = &fs.PathError{Op: "open", Path: s.path, Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, err
	}
	dir, err := r.Sub(ArtifactsDir, false)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	f, size, err := openBlob(ctx, dir, sum)
	if err != nil {
		return nil, err
	}
	return &blobReader{io.NewSectionReader(f, 0, size), f}, nil
}

type blobReader struct {
	*io.SectionReader
	file *disk.File
}

// Close closes the file.
func (r *blobReader) Close() error { return r.file.Close() }

// openBlob opens the file of a sum in artifacts/, which is dir, and returns its size. The error
// wraps backend.ErrDamaged where its bytes have another sum.
func openBlob(ctx context.Context, dir *disk.Dir, sum string) (*disk.File, int64, error) {
	f, err := dir.Open(sum)
	if err != nil {
		return nil, 0, err
	}
	have, err := backend.CopyBlob(ctx, io.Discard, f, math.MaxInt64)
	if err == nil && have.Sum != sum {
		err = fmt.Errorf("%s: %w", f.Path(), backend.ErrDamaged)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, have.Size, nil
}

// IsBlob reports whether a file in artifacts/, which is dir, holds the bytes of its name. The error
// wraps fs.ErrNotExist or disk.ErrIrregular, or is the disk's.
func IsBlob(dir *disk.Dir, sum string) (bool, error) {
	f, _, err := openBlob(context.Background(), dir, sum)
	if err != nil {
		return false, disk.Ignore(err, backend.ErrDamaged)
	}
	return true, f.Close()
}
