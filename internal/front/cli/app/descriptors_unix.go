//go:build unix

package app

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// descriptorsNeeded is more than any verb ever has open at once.
const descriptorsNeeded = 16

// CheckDescriptors returns an error if the process has almost no descriptors left: Go's runtime
// ends a process with a stack trace when it cannot have the descriptors that it needs for itself.
func CheckDescriptors() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return nil
	}
	free, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		unix.Close(free)
	}
	full := err == unix.EMFILE || err == unix.ENFILE
	if full || err == nil && uint64(free+descriptorsNeeded) > uint64(limit.Cur) {
		return &fs.PathError{Op: "open", Path: "file descriptors", Err: unix.EMFILE}
	}
	return nil
}
