//go:build unix

package setup

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner sets the owner of a new file to that of the old one: mem may run as root.
func keepOwner(f *os.File, old fs.FileInfo) error {
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok || int(was.Uid) == os.Geteuid() && int(was.Gid) == os.Getegid() {
		return nil
	}
	return f.Chown(int(was.Uid), int(was.Gid))
}

func mayKeepOwner(old fs.FileInfo) bool {
	was, ok := old.Sys().(*syscall.Stat_t)
	return !ok || os.Geteuid() == 0 || int(was.Uid) == os.Geteuid()
}

// syncDir makes a rename durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
