package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/testkit"
)

// A rename leaves the identity of a directory as it is, and no other directory has it: one that is
// made later has another time of birth, whatever its inode.
func TestIdentity(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	if got := disk.Identity(a); got != "" {
		t.Errorf("nothing is there: %q", got)
	}
	must(t, os.Mkdir(a, 0o700))
	id := disk.Identity(a)
	testkit.Need(t, id != "", "a file system that knows when a file was made")
	must(t, os.Rename(a, b))
	if got := disk.Identity(b); got != id {
		t.Errorf("renamed: %q, want %q", got, id)
	}
	must(t, os.Remove(b))
	for { // until the clock of the file system has moved on
		must(t, os.Mkdir(b, 0o700))
		if disk.Identity(b) != id {
			return
		}
		must(t, os.Remove(b))
	}
}
