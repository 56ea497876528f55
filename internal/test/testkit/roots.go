package testkit

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// onDisk are where directories on a disk may be made, the best first.
var onDisk = []string{os.TempDir(), "/var/tmp", "/tmp"}

// The directories of tests lie in memory where that can be. What most of them are about is not the
// disk, and a sync costs nothing there. A search upward from there, for a repository or for what
// keeps old versions, finds nothing of this machine either. A package whose tests have directories
// imports this one.
func init() {
	if canHoldRoots() {
		_ = os.Setenv("TMPDIR", memory) // it fails for names that are none
	}
}

// Tests make thousands of small stores, one after the other, on a heap of few MiB: with the
// collections that a program needs a quarter of their time went there.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// OnDisk is t.TempDir for a test of what mem says of the disk. It lies in no repository, if there
// is such a place.
func OnDisk(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(diskPlace(), "mem_test_")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// diskPlace returns where a directory on a disk is made.
func diskPlace() string {
	for _, dir := range onDisk {
		if !isInRepository(dir) {
			return dir
		}
	}
	return onDisk[0]
}

// isInRepository reports whether a directory, or one above it, has a .git.
func isInRepository(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
}
