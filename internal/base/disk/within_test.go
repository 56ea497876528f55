package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
)

func TestWithin(t *testing.T) {
	root := t.TempDir()
	store := filepath.Join(root, "store")
	if err := os.MkdirAll(filepath.Join(store, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(store, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"store": true, "store/in": true, "store/not/there": true, "link": true, "link/new": true,
		"store/..": false, "store2": false, "": false, "link/../other": false,
	} {
		got, err := disk.IsWithin(store, root+"/"+path)
		if err != nil || got != want {
			t.Errorf("%s: %v %v", path, got, err)
		}
		if got, _ := disk.IsWithin(filepath.Join(root, "link"), root+"/"+path); got != want {
			t.Errorf("%s of the link: %v", path, got)
		}
	}
}
