package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strings"

	"github.com/natefinch/atomic"
)

// WriteFile replaces a file by one rename and syncs nothing: readers see the old or the new
// content, whole, and a power cut may lose either. It is for files that are rebuilt from the log.
func (d *Dir) WriteFile(name string, data []byte) error {
	temp, err := writeTemp(d, path.Dir(name),
		func(w io.Writer) error { _, err := w.Write(data); return err }, false)
	if err != nil {
		return err
	}
	return d.Commit(temp, name)
}

// TempFile writes a temporary file in d through fill, without syncing it, and returns its name, for
// [Dir.Commit].
func (d *Dir) TempFile(fill func(io.Writer) error) (string, error) {
	return writeTemp(d, ".", fill, false)
}

// Commit renames a file made by [Dir.TempFile] to its name, as WriteFile does.
func (d *Dir) Commit(temp, name string) error {
	if err := renameOver(d, temp, name); err != nil {
		d.root.Remove(temp)
		return err
	}
	return nil
}

// WriteFileSync replaces a file durably by what fill writes. On an error the old file stands
// untouched, unless only the last step failed: then the new one is there, but not yet durable.
func (d *Dir) WriteFileSync(name string, fill func(io.Writer) error) error {
	temp, err := d.TempFileSync(fill)
	if err != nil {
		return err
	}
	return d.CommitSync(temp, name)
}

// WriteBytesSync is [Dir.WriteFileSync] for content that is in memory.
func (d *Dir) WriteBytesSync(name string, data []byte) error {
	return d.WriteFileSync(name, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// TempFileSync is [Dir.TempFile] for [Dir.CommitSync]: it syncs the file too.
func (d *Dir) TempFileSync(fill func(io.Writer) error) (string, error) {
	return writeTemp(d, ".", fill, true)
}

// CommitSync renames a file made by [Dir.TempFileSync] to its name and syncs the directory. The
// rename is the commit point. name has no directory part.
func (d *Dir) CommitSync(temp, name string) error {
	if err := d.call(OpRename, name); err != nil {
		d.root.Remove(temp)
		return err
	}
	if err := sameByPath(d, temp); err != nil {
		d.root.Remove(temp)
		return err
	}
	// A crash before the rename leaves the old file and a stray temporary one; after it, the new
	// file, which a power cut may still turn into the old one until the directory is synced.
	if err := atomic.ReplaceFile(d.Join(temp), d.Join(name)); err != nil {
		d.root.Remove(temp)
		return err
	}
	return d.Sync()
}

// sameByPath returns ErrMoved where the path of a name below d does not lead to its file: the
// library that renames takes paths.
func sameByPath(d *Dir, name string) error {
	mine, err := d.root.Lstat(name)
	if err != nil {
		return err
	}
	there, err := os.Lstat(d.Join(name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(mine, there) {
		return fmt.Errorf("%s: %w", d.path, ErrMoved)
	}
	return err
}

func writeTemp(d *Dir, dir string, fill func(io.Writer) error, durable bool) (string, error) {
	name := path.Join(dir, fmt.Sprintf("%s%016x", TempPrefix, rand.Uint64()))
	if err := d.call(OpCreate, name); err != nil {
		return "", err
	}
	file, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|openNonblock, FileMode)
	if err != nil {
		return "", err
	}
	f := &File{file: file, name: d.Join(name)}
	err = fill(f)
	if err == nil && durable {
		// A crash before this sync leaves a stray temporary file of any content; nothing refers to
		// it.
		err = f.Sync()
	}
	Finish(&err, f.Close)
	if err != nil {
		d.root.Remove(name)
		return "", err
	}
	return name, nil
}

// IsTemp reports whether a base name is one of the temporary names made here.
func IsTemp(base string) bool {
	hex, ok := strings.CutPrefix(base, TempPrefix)
	return ok && len(hex) == 16 && strings.Trim(hex, "0123456789abcdef") == ""
}
