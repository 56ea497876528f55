//go:build darwin || freebsd || netbsd

package disk

import (
	"fmt"
	"syscall"
)

func changed(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }

// Identity is as on Linux.
func Identity(path string) string {
	var st syscall.Stat_t
	if syscall.Lstat(path, &st) != nil || st.Birthtimespec.Sec <= 0 {
		return ""
	}
	return fmt.Sprintf("%d-%d.%09d", st.Ino, st.Birthtimespec.Sec, st.Birthtimespec.Nsec)
}
