package disk

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return wrapSync(f, err)
		}
	}
}

// bootID reads with bare system calls: every start of mem calls it, and package os would set up its
// poller first.
func bootID() string {
	fd, err := unix.Open("/proc/sys/kernel/random/boot_id", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	var buf [64]byte
	n, err := unix.Read(fd, buf[:])
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(buf[:n]))
}

// self returns the directory as a file, for calls that os.Root does not have; it stays open.
func (d *Dir) self() (*os.File, error) {
	if f := d.file.Load(); f != nil {
		return f, nil
	}
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	if !d.file.CompareAndSwap(nil, f) {
		f.Close() // another goroutine was faster
	}
	return d.file.Load(), nil
}

// renameOver puts a temporary file in the place of another file, or in an empty place. When a file
// is renamed over another, ext4 begins to write the new one to disk at once. WriteFile promises no
// durability, so the two exchange their names, and the old one is removed.
func renameOver(d *Dir, temp, name string) error {
	if strings.Contains(name, "/") {
		return d.Rename(temp, name)
	}
	if err := d.call(OpRename, name); err != nil {
		return err
	}
	dir, err := d.self()
	if err != nil {
		return err
	}
	// A crash right here leaves the file under one of its two names, whole under either.
	at := int(dir.Fd())
	if unix.Renameat2(at, temp, at, name, unix.RENAME_NOREPLACE) == nil {
		return nil // nothing had the name, as that of most files
	}
	if fi, err := d.root.Lstat(name); err != nil || !fi.Mode().IsRegular() {
		return d.root.Rename(temp, name)
	}
	// A crash right here leaves either file under the name, whole, and the other one under the
	// temporary name.
	if err := unix.Renameat2(at, temp, at, name, unix.RENAME_EXCHANGE); err != nil {
		return d.root.Rename(temp, name) // not every file system can exchange names
	}
	return d.Remove(temp)
}

// SyncTree makes every file below d durable with one call, as a compaction needs before it says
// that the index need not be replayed.
func (d *Dir) SyncTree() error {
	if err := call(OpSyncTree, d.path); err != nil {
		return err
	}
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	// A crash before this returns may lose any rename since the last one; the checkpoint that would
	// hide it is written later.
	return wrapSync(f, unix.Syncfs(int(f.Fd())))
}

func wrapSync(f *os.File, err error) error {
	if err != nil {
		return &fs.PathError{Op: "sync", Path: f.Name(), Err: err}
	}
	return nil
}

// Identity returns a text that distinguishes a file or directory from every other one that was
// ever on its file system, and that a rename does not change: its inode, and the time of its birth,
// for inodes are used again. The device is no part of it: its number may change at a mount. It is
// "" where the file system does not know the time.
func Identity(path string) string {
	var st unix.Statx_t
	const want = unix.STATX_INO | unix.STATX_BTIME
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, want, &st)
	if err != nil || st.Mask&want != want {
		return ""
	}
	return fmt.Sprintf("%d-%d.%09d", st.Ino, st.Btime.Sec, st.Btime.Nsec)
}
