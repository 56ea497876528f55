package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/natefinch/atomic"
)

// Modes of everything below a root (S-75): private, but for the lock, which anybody who may read the store may see.
const (
	DirMode  fs.FileMode = 0o700
	FileMode fs.FileMode = 0o600
	LockMode fs.FileMode = 0o644
)

// TempPrefix begins the name of every temporary file. No key's path does: a leading dot is encoded.
const TempPrefix = ".tmp-"

// ErrIrregular is returned by every call that opens, when what stands under the name is not a plain file (or, for
// a directory, not a real directory): a symbolic link, a fifo, a device.
var ErrIrregular = errors.New("not a regular file")

// Dir is one open directory: a memory root, or a directory below it. Names are slash-separated and relative to it.
type Dir struct {
	root *os.Root
	path string
}

// Open opens an existing directory. The path itself may lead through symbolic links: it is the caller's word.
func Open(dir string) (*Dir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Dir{root: root, path: dir}, nil
}

// Create opens a directory and makes it, and what leads to it, where absent, durably.
func Create(dir string) (*Dir, error) {
	if err := makeAll(dir); err != nil {
		return nil, err
	}
	return Open(dir)
}

// makeAll makes the missing directories from the top down and syncs each one's name before the next: so a kill leaves at most one
// that a power cut may still take away, the lowest there is, and whoever finds it there syncs its name first.
func makeAll(dir string) error {
	fi, err := os.Stat(dir)
	switch {
	case err == nil && fi.IsDir():
		return syncAbove(dir)
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := makeAll(parent); err != nil {
			return err
		}
	}
	if err := call(OpMkdir, dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, DirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncAbove(dir)
}

// syncAbove makes a directory's own name durable. A directory above that may not be read, or that stands on a disk which cannot sync
// directories, was not made here.
func syncAbove(dir string) error {
	if err := call(OpSync, filepath.Join(dir, "..")); err != nil {
		return err
	}
	// Not joined: the kernel is to follow a link before it goes up.
	f, err := os.Open(dir + "/..")
	if err != nil {
		return ignorePermission(err)
	}
	defer f.Close()
	if err := syncDir(f); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

func ignorePermission(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// Close lets the directory go.
func (d *Dir) Close() error { return d.root.Close() }

// Path is the directory as it was given to Open or Create.
func (d *Dir) Path() string { return d.path }

// Join gives the path of a name below d, for messages and for people.
func (d *Dir) Join(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// Open opens a plain file for reading. The error wraps [fs.ErrNotExist] or [ErrIrregular].
func (d *Dir) Open(name string) (*File, error) { return d.open(name, os.O_RDONLY, OpOpen) }

// Edit opens a plain file for reading and writing and makes it (mode 0600) where absent.
func (d *Dir) Edit(name string) (*File, error) { return d.open(name, os.O_RDWR|os.O_CREATE, OpCreate) }

// Append opens a plain file whose every write goes to its end, and makes it (mode 0600) where absent.
func (d *Dir) Append(name string) (*File, error) {
	return d.open(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, OpCreate)
}

func (d *Dir) open(name string, flag int, op Op) (*File, error) {
	if err := call(op, d.Join(name)); err != nil {
		return nil, err
	}
	switch fi, err := d.root.Lstat(name); {
	case err == nil && !fi.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: d.Join(name), Err: ErrIrregular}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	f, err := d.root.OpenFile(name, flag|openNonblock, FileMode)
	if err != nil {
		return nil, err
	}
	return &File{file: f, name: d.Join(name)}, nil
}

// ReadFile reads a whole plain file of at most limit bytes.
func (d *Dir) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(f, limit)
	if int64(len(data)) > limit {
		return nil, &fs.PathError{Op: "read", Path: d.Join(name), Err: fmt.Errorf("larger than %d bytes", limit)}
	}
	return data, err
}

// readAll reads until a read comes back short, which for a plain file is its end: one call for nearly every file there is.
func readAll(f *File, limit int64) ([]byte, error) {
	data := make([]byte, 0, 2048)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case err == io.EOF || err == nil && len(data) < cap(data):
			return data, nil
		case err != nil:
			return nil, err
		case int64(len(data)) > limit:
			return data, nil
		}
		data = append(data, 0)[:len(data)]
	}
}

// Lstat describes what stands under a name, without following a link.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	if err := call(OpStat, d.Join(name)); err != nil {
		return nil, err
	}
	return d.root.Lstat(name)
}

// ReadDir lists one directory, sorted by name. A link in place of the directory is refused.
func (d *Dir) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := call(OpRead, d.Join(name)); err != nil {
		return nil, err
	}
	if err := d.realDir(name); err != nil {
		return nil, err
	}
	return fs.ReadDir(d.root.FS(), path.Clean(name))
}

// Names lists one directory like ReadDir, but only what stands in it and not what each of them is: a fraction of the cost.
func (d *Dir) Names(name string) ([]string, error) {
	if err := call(OpRead, d.Join(name)); err != nil {
		return nil, err
	}
	if err := d.realDir(name); err != nil {
		return nil, err
	}
	f, err := d.root.Open(path.Clean(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func (d *Dir) realDir(name string) error {
	if name == "." {
		return nil
	}
	fi, err := d.root.Lstat(name)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return &fs.PathError{Op: "open", Path: d.Join(name), Err: fmt.Errorf("%w: not a directory", ErrIrregular)}
	}
	return nil
}

// Sub opens a directory below d, one component at a time, refusing links on the way. With create, missing ones are made.
func (d *Dir) Sub(name string, create bool) (*Dir, error) {
	at := d
	for part := range strings.SplitSeq(name, "/") {
		next, err := at.step(part, create)
		if at != d {
			at.Close()
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

func (d *Dir) step(name string, create bool) (*Dir, error) {
	err := d.realDir(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		err = d.Mkdir(name)
	}
	if err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Dir{root: root, path: d.Join(name)}, nil
}

// Mkdir makes one directory, mode 0700; one that is there already is no error.
func (d *Dir) Mkdir(name string) error {
	if err := call(OpMkdir, d.Join(name)); err != nil {
		return err
	}
	if err := d.root.Mkdir(name, DirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return d.realDir(name)
}

// Remove removes one file or empty directory.
func (d *Dir) Remove(name string) error {
	if err := call(OpRemove, d.Join(name)); err != nil {
		return err
	}
	// A crash right here leaves the file as it was or gone, and nothing between.
	return d.root.Remove(name)
}

// Rename moves a file below d, replacing what stands under the new name. It syncs nothing.
func (d *Dir) Rename(from, to string) error {
	if err := call(OpRename, d.Join(to)); err != nil {
		return err
	}
	// A crash right here leaves the file under one of its two names, whole under either.
	return d.root.Rename(from, to)
}

// Chmod sets the permissions of a file.
func (d *Dir) Chmod(name string, mode fs.FileMode) error {
	if err := call(OpChmod, d.Join(name)); err != nil {
		return err
	}
	return d.root.Chmod(name, mode)
}

// Sync makes the names in the directory itself durable: what was created, renamed or removed in it.
func (d *Dir) Sync() error {
	if err := call(OpSync, d.path); err != nil {
		return err
	}
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	// A crash right here may bring back the directory's earlier names; every caller either repeats its step or rebuilds.
	return syncDir(f)
}

// SyncName makes durable that the directory is there at all, besides the names in it: whoever made it may have been killed before that.
func (d *Dir) SyncName() error {
	if err := d.Sync(); err != nil {
		return err
	}
	return syncAbove(d.path)
}

// Put replaces a file by one rename and syncs nothing: readers see the old or the new content, whole, and a power cut may lose
// either. It is for files that are rebuilt from the log.
func (d *Dir) Put(name string, data []byte) error {
	temp, err := d.writeTemp(path.Dir(name), func(w io.Writer) error { _, err := w.Write(data); return err }, false)
	if err != nil {
		return err
	}
	return d.Place(temp, name)
}

// Draft writes a temporary file in d, without syncing it, and returns its name, for [Dir.Place].
func (d *Dir) Draft(fill func(io.Writer) error) (string, error) { return d.writeTemp(".", fill, false) }

// Place renames a file made by [Dir.Draft] to its name, as Put does.
func (d *Dir) Place(temp, name string) error {
	if err := d.supplant(temp, name); err != nil {
		d.root.Remove(temp)
		return err
	}
	return nil
}

// Replace writes a file through fill and puts it durably in place of the old one: sync the file, rename, sync the directory.
// On an error the old file stands untouched, unless only the last step failed: then the new one is there, but not yet durably. name has no
// directory part.
func (d *Dir) Replace(name string, fill func(io.Writer) error) error {
	temp, err := d.Temp(fill)
	if err != nil {
		return err
	}
	return d.Promote(temp, name)
}

// Temp writes and syncs a temporary file in d and returns its name, for [Dir.Promote].
func (d *Dir) Temp(fill func(io.Writer) error) (string, error) { return d.writeTemp(".", fill, true) }

// Promote renames a file made by [Dir.Temp] to its name and syncs the directory. The rename is the commit point. name has no directory part.
func (d *Dir) Promote(temp, name string) error {
	if err := call(OpRename, d.Join(name)); err != nil {
		d.root.Remove(temp)
		return err
	}
	// A crash before the rename leaves the old file and a stray temporary one; after it, the new file, which a power cut may
	// still turn into the old one until the directory is synced.
	if err := atomic.ReplaceFile(d.Join(temp), d.Join(name)); err != nil {
		d.root.Remove(temp)
		return err
	}
	return d.Sync()
}

func (d *Dir) writeTemp(dir string, fill func(io.Writer) error, durable bool) (string, error) {
	name := path.Join(dir, fmt.Sprintf("%s%016x", TempPrefix, rand.Uint64()))
	if err := call(OpCreate, d.Join(name)); err != nil {
		return "", err
	}
	file, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|openNonblock, FileMode)
	if err != nil {
		return "", err
	}
	f := &File{file: file, name: d.Join(name)}
	err = fill(f)
	if err == nil && durable {
		// A crash before this sync leaves a stray temporary file of any content; nothing refers to it.
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
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
