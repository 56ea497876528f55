//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openNonblock keeps the open of a planted fifo from waiting for its other end.
const openNonblock = syscall.O_NONBLOCK

// Ino returns the number that distinguishes this file from any copy of it on the same file system.
func Ino(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// Changed returns when the file, its name or its mode last changed, in nanoseconds of the file
// system's clock. Nobody can set it.
func Changed(fi fs.FileInfo) int64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return changed(st)
	}
	return fi.ModTime().UnixNano()
}

func syncDir(f *os.File) error { return f.Sync() }

// Owner returns the user whom a file belongs to; ok is false where files have no such number.
func Owner(fi fs.FileInfo) (uid int, ok bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// Device returns the number of the file system that a file is on.
func Device(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev)
	}
	return 0
}

// IsNotEmpty reports whether a directory was not removed because it has entries.
func IsNotEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}
