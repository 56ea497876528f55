//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// openNonblock keeps the open of a planted fifo from waiting for its other end. It has no effect on
// plain files.
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
