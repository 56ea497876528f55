package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
)

// Modes of everything below a root: private, except the lock, which every reader of the store may
// open.
const (
	DirMode  fs.FileMode = 0o700
	FileMode fs.FileMode = 0o600
	LockMode fs.FileMode = 0o644
)

// TempPrefix begins the name of every temporary file. No key's path does: a leading dot is encoded.
const TempPrefix = ".tmp-"

// ErrIrregular is returned by every call that opens a file or directory, if the name is not
// that of a plain file, or of a real directory: of a symbolic link, a fifo, a device.
var ErrIrregular = errors.New("not a regular file")

// ErrLarger is wrapped by ReadFile for a file past its limit.
var ErrLarger = errors.New("larger")

// ErrMoved is returned where the directory was moved since it was opened: what stands at its path
// is another one, or nothing.
var ErrMoved = errors.New("the directory was moved or replaced while it was open")

// Dir is one open directory: a memory root, or a directory below it. Names are slash-separated and
// relative to it.
type Dir struct {
	root *os.Root
	path string
	file atomic.Pointer[os.File] // see self; nil before the first call
}

// Open opens an existing directory. The path itself may lead through symbolic links: it is the
// caller's word.
func Open(dir string) (*Dir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		if fi, failed := os.Stat(dir); failed == nil && !fi.IsDir() {
			err = &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
		}
		return nil, err
	}
	return &Dir{root: root, path: dir}, nil
}

// Create opens a directory after making it and its parents durably, if they do not exist.
func Create(dir string) (*Dir, error) {
	if err := makeAll(dir); err != nil {
		return nil, err
	}
	return Open(dir)
}

// makeAll makes the missing directories from the top down and syncs each one's name before the
// next. So a kill leaves at most one that a power cut may still take away, the lowest there is, and
// the next call that finds it there syncs its name first.
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

// syncAbove makes a directory's own name durable. It accepts that the parent may not be read, or
// cannot be synced on its disk: such a parent was not made here.
func syncAbove(dir string) error {
	if err := call(OpSync, filepath.Join(dir, "..")); err != nil {
		return err
	}
	// Not joined: the kernel is to follow a link before it goes up.
	f, err := os.Open(dir + "/..")
	if err != nil {
		return Ignore(err, fs.ErrPermission)
	}
	defer f.Close()
	if err := syncDir(f); !errors.Is(err, syscall.EINVAL) &&
		!errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// Close closes the directory.
func (d *Dir) Close() error {
	if f := d.file.Swap(nil); f != nil {
		f.Close() // it was only read
	}
	return d.root.Close()
}

// Path returns the path that was given to Open or Create.
func (d *Dir) Path() string { return d.path }

// Join returns the path of a name below d, for messages and for people.
func (d *Dir) Join(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// Open opens a plain file for reading. The error wraps [fs.ErrNotExist] or [ErrIrregular].
func (d *Dir) Open(name string) (*File, error) { return openIn(d, name, os.O_RDONLY, OpOpen) }

// Edit opens a plain file for reading and writing, and makes it (mode 0600) if it does not exist.
func (d *Dir) Edit(name string) (*File, error) {
	return openIn(d, name, os.O_RDWR|os.O_CREATE, OpCreate)
}

// Append opens a plain file whose every write goes to its end, and makes it (mode 0600) if it does
// not exist.
func (d *Dir) Append(name string) (*File, error) {
	return openIn(d, name, os.O_RDWR|os.O_CREATE|os.O_APPEND, OpCreate)
}

// New makes a plain file (mode 0600) in d for writing. The error wraps [fs.ErrExist] or
// [ErrIrregular] if something has the name.
func New(d *Dir, name string) (*File, error) {
	return openIn(d, name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, OpCreate)
}

func openIn(d *Dir, name string, flag int, op Op) (*File, error) {
	if err := d.call(op, name); err != nil {
		return nil, err
	}
	switch fi, err := d.root.Lstat(name); {
	case err == nil && !fi.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: d.Join(name), Err: ErrIrregular}
	case err != nil && (flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist)):
		return nil, err
	}
	f, err := d.root.OpenFile(name, flag|openNonblock, FileMode)
	if err != nil {
		return nil, err
	}
	return &File{file: f, name: d.Join(name)}, nil
}

// ReadFile returns the content of a plain file of at most limit bytes.
func (d *Dir) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(f, limit)
	if int64(len(data)) > limit {
		return nil, &fs.PathError{Op: "read", Path: d.Join(name),
			Err: fmt.Errorf("%w than %d bytes", ErrLarger, limit)}
	}
	return data, err
}

// readAll reads until a read comes back short, which for a plain file is its end: one call for
// nearly every file there is.
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

// Lstat returns the description of the file or directory with this name, without following a link.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	if err := d.call(OpStat, name); err != nil {
		return nil, err
	}
	return d.root.Lstat(name)
}

// ReadDir returns the entries of one directory, sorted by name. A link in place of the directory is
// refused.
func (d *Dir) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := d.call(OpRead, name); err != nil {
		return nil, err
	}
	if err := realDir(d, name); err != nil {
		return nil, err
	}
	return fs.ReadDir(d.root.FS(), path.Clean(name))
}

// Names returns the names in one directory, unsorted, without looking at what each of them is: that
// takes a fraction of the time of ReadDir.
func (d *Dir) Names(name string) ([]string, error) {
	if err := d.call(OpRead, name); err != nil {
		return nil, err
	}
	if err := realDir(d, name); err != nil {
		return nil, err
	}
	f, err := d.root.Open(path.Clean(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func realDir(d *Dir, name string) error {
	if name == "." {
		return nil
	}
	fi, err := d.root.Lstat(name)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return &fs.PathError{Op: "open", Path: d.Join(name),
			Err: fmt.Errorf("%w: not a directory", ErrIrregular)}
	}
	return nil
}

// Sub opens a directory below d, one component at a time, and refuses links on the way. With
// create, it makes missing ones.
func (d *Dir) Sub(name string, create bool) (*Dir, error) {
	at := d
	for part := range strings.SplitSeq(name, "/") {
		next, err := step(at, part, create)
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

func step(d *Dir, name string, create bool) (*Dir, error) {
	err := realDir(d, name)
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

// Mkdir makes one directory, mode 0700; it is no error if the directory exists.
func (d *Dir) Mkdir(name string) error {
	if err := d.call(OpMkdir, name); err != nil {
		return err
	}
	if err := d.root.Mkdir(name, DirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return realDir(d, name)
}

// Remove removes one file or empty directory.
func (d *Dir) Remove(name string) error {
	if err := d.call(OpRemove, name); err != nil {
		return err
	}
	// A crash right here leaves the file as it was or gone, and nothing between.
	return d.root.Remove(name)
}

// Rename moves a file below d and replaces the file of the new name. It syncs nothing.
func (d *Dir) Rename(from, to string) error {
	if err := d.call(OpRename, to); err != nil {
		return err
	}
	// A crash right here leaves the file under one of its two names, whole under either.
	return d.root.Rename(from, to)
}

// Chmod sets the permissions of a file.
func (d *Dir) Chmod(name string, mode fs.FileMode) error {
	if err := d.call(OpChmod, name); err != nil {
		return err
	}
	return d.root.Chmod(name, mode)
}

// Sync makes the names in the directory itself durable: creations, renames and removals.
func (d *Dir) Sync() error {
	if err := call(OpSync, d.path); err != nil {
		return err
	}
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	// A crash right here may bring back the directory's earlier names; every caller either repeats
	// its step or rebuilds.
	return syncDir(f)
}

// SyncName makes the names in the directory durable, and its own name too: the process that made
// the directory may have been killed before it did so.
func (d *Dir) SyncName() error {
	if err := d.Sync(); err != nil {
		return err
	}
	return syncAbove(d.path)
}
