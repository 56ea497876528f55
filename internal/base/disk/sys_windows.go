package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

const openNonblock = 0

// Ino returns the file's creation time; see the package comment.
func Ino(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Win32FileAttributeData); ok {
		return uint64(st.CreationTime.Nanoseconds())
	}
	return 0
}

// Identity returns the time of creation, of which a rename is none; "" where there is none.
func Identity(path string) string {
	if fi, err := os.Lstat(path); err == nil && Ino(fi) != 0 {
		return fmt.Sprint(Ino(fi))
	}
	return ""
}

// Changed returns when the file's text last changed, in nanoseconds.
func Changed(fi fs.FileInfo) int64 { return fi.ModTime().UnixNano() }

// syncDir does nothing: NTFS journals names, and a directory handle cannot be flushed.
func syncDir(*os.File) error { return nil }

// Owner knows no owner: Windows has no number for one in a FileInfo.
func Owner(fs.FileInfo) (uid int, ok bool) { return 0, false }

// Device returns 0: a path of Windows begins with its file system.
func Device(fs.FileInfo) uint64 { return 0 }

// IsNotEmpty reports whether a directory was not removed because it has entries.
func IsNotEmpty(err error) bool { return errors.Is(err, windows.ERROR_DIR_NOT_EMPTY) }
