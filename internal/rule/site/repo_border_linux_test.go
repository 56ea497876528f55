package site_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// Nothing above the border of the file system is looked at, and its own first directory is.
func TestFindEndsAtTheFileSystem(t *testing.T) {
	dir := realTemp(t)
	put(t, dir+"/.git/HEAD", "")
	mount := dir + "/mount"
	must(t, os.Mkdir(mount, 0o700))
	err := syscall.Mount("mem-test", mount, "tmpfs", 0, "size=64k")
	testkit.Need(t, err == nil, "mounts")
	defer syscall.Unmount(mount, syscall.MNT_DETACH)
	must(t, os.Mkdir(mount+"/sub", 0o700))
	expect(t, dir, "mount/sub", "", "", "")
	put(t, mount+"/.git/HEAD", "")
	expect(t, dir, "mount/sub", "mount", "mount/.git", "mount/.git")
}
