package transfer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// copyBlobs copies the files that live artifacts are about, also where they wait under /untrusted,
// as far as the target does not have them.
func (r *copying) copyBlobs() error {
	r.rep.Absent = 0
	for _, below := range []string{keypath.Artifacts, keypath.Untrusted + keypath.Artifacts} {
		prefix := keypath.MustPrefix(below)
		for rec, err := range r.From.Store.Reader(r.caller).ScanBelow(r.ctx, prefix) {
			if err == nil {
				err = r.copyBlob(rec)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// copyBlob copies the file of an artifact. One that the source does not have, or whose bytes are
// not those of its name any more, is counted.
func (r *copying) copyBlob(rec log.Record) error {
	sum := content.BlobOf(rec.Key, rec.Content)
	if sum == "" {
		return nil
	}
	there, err := r.To.Store.OpenBlob(r.ctx, sum)
	if err == nil {
		return there.Close()
	}
	if !isAbsent(err) {
		return err
	}
	f, err := r.From.Store.OpenBlob(r.ctx, sum)
	switch {
	case isAbsent(err), mem.KindOf(err) == mem.KindInput: // the source keeps no files
		r.rep.Absent++
		return nil
	case err != nil:
		return err
	}
	defer f.Close()
	if !r.DryRun {
		if err := r.putBlob(f, sum); err != nil {
			return fmt.Errorf("%s: %w", rec.Key.Shown(), err)
		}
	}
	r.rep.Artifacts++
	return nil
}

func (r *copying) putBlob(f io.ReadSeeker, sum string) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	blob, err := r.To.Store.PutBlob(r.ctx, f, size)
	if err == nil && blob.Sum != sum {
		err = fmt.Errorf("%s: %w", sum, backend.ErrDamaged)
	}
	return err
}

// isAbsent reports whether a store has no sound file of a sum.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, backend.ErrDamaged)
}
