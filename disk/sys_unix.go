//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// openNonblock keeps an open of a planted fifo from waiting for its other end. Plain files do not care.
const openNonblock = syscall.O_NONBLOCK

// Ino gives the number that tells this file from any copy of it on the same file system.
func Ino(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

func syncDir(f *os.File) error { return f.Sync() }
