//go:build unix

package app

import (
	"os"
	"strconv"
	"syscall"
)

// keepListed is keepDescriptors for the descriptors that a directory of the system lists.
func keepListed(dir string) {
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
