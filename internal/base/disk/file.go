package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Failed reports whether an error is a failure of the file system.
func Failed(err error) bool {
	return errors.As(err, new(syscall.Errno)) && !errors.Is(err, fs.ErrNotExist)
}

// IsNotExist reports whether an error says that a file is absent.
func IsNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Ignore returns nil for an error that is harmless, and any other as it is.
func Ignore(err, harmless error) error {
	if errors.Is(err, harmless) {
		return nil
	}
	return err
}

// IgnoreNotExist returns nil for an error that says a file is absent, and any other as it is.
func IgnoreNotExist(err error) error { return Ignore(err, fs.ErrNotExist) }

// File is an open file whose every call passes the hook, and whose errors name its full path.
type File struct {
	file *os.File
	name string
}

// Read reads as [os.File.Read] does.
func (f *File) Read(b []byte) (int, error) {
	if err := call(OpRead, f.name); err != nil {
		return 0, err
	}
	return f.file.Read(b)
}

// ReadAt reads as [os.File.ReadAt] does.
func (f *File) ReadAt(b []byte, off int64) (int, error) {
	if err := call(OpRead, f.name); err != nil {
		return 0, err
	}
	return f.file.ReadAt(b, off)
}

// Write writes b with one system call where the kernel takes it whole.
func (f *File) Write(b []byte) (int, error) {
	if err := call(OpWrite, f.name); err != nil {
		return f.short(b, err)
	}
	return f.file.Write(b)
}

// WriteAt writes b at an offset, in place.
func (f *File) WriteAt(b []byte, off int64) (int, error) {
	if err := call(OpWrite, f.name); err != nil {
		return 0, err
	}
	return f.file.WriteAt(b, off)
}

// short writes half of b if err is a [Short], as a disk does that fills up during a write.
func (f *File) short(b []byte, err error) (int, error) {
	if fault, ok := err.(*Short); ok {
		n, _ := f.file.Write(b[:len(b)/2])
		return n, fault.Err
	}
	return 0, err
}

// Sync returns once the file's bytes are on disk. Its failure is final: the kernel may have dropped
// the dirty pages, so a second call on the same descriptor would succeed and prove nothing.
func (f *File) Sync() error {
	if err := call(OpSync, f.name); err != nil {
		return err
	}
	// A crash before this returns may lose or keep any part of the bytes written since the last
	// sync.
	return syncData(f.file)
}

// Truncate changes the size of the file.
func (f *File) Truncate(size int64) error {
	if err := call(OpTruncate, f.name); err != nil {
		return err
	}
	// A crash right here leaves the old or the new length; the bytes below it are not touched.
	return f.file.Truncate(size)
}

// Stat returns the description of the open file.
func (f *File) Stat() (fs.FileInfo, error) {
	if err := call(OpStat, f.name); err != nil {
		return nil, err
	}
	return f.file.Stat()
}

// Path returns the name for messages.
func (f *File) Path() string { return f.name }

// Close closes the file. It writes nothing that was not written before.
func (f *File) Close() error { return f.file.Close() }

// Finish ends what a function has opened or locked: it calls end, and keeps its error where the
// function has none.
func Finish(err *error, end func() error) {
	if failed := end(); *err == nil {
		*err = failed
	}
}
