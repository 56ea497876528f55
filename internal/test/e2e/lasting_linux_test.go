package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"golang.org/x/sys/unix"
)

// A disk that fails and goes on failing is told in one line, which is the first failure: the lock
// cannot be released either, and that says nothing new.
func TestALastingErrorIsOneLine(t *testing.T) {
	f := newStore(t)
	f.Put("/a", "1")
	for name, do := range map[string]func() error{
		"set": func() error {
			_, err := f.Set(ctx, mem.Caller{}, write("/a", "2"), mem.SetOptions{})
			return err
		},
		"compact": func() error {
			_, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
			return err
		},
	} {
		disk.SetHook(func(op disk.Op, path string) error {
			if op == disk.OpCreate && filepath.Base(path) == "log.jsonl" {
				loseLock(t, f.Root)
				return &os.PathError{Op: "open", Path: path, Err: syscall.EIO}
			}
			return nil
		})
		err := do()
		disk.SetHook(nil)
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		if got := mem.Message(err); strings.Contains(got, "\n") ||
			!strings.Contains(got, "log.jsonl: open: input/output error") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// loseLock puts something in the place of the lock's descriptor, behind the back of who has it,
// that cannot be unlocked.
func loseLock(t *testing.T, root string) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	path, err := unix.Open(root, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(path)
	for _, e := range list {
		name, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil || name != filepath.Join(root, "lock") {
			continue
		}
		fd, err := strconv.Atoi(e.Name())
		if err == nil {
			err = unix.Dup3(path, fd, unix.O_CLOEXEC)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A compaction that is at work while another directory takes the place of its root ends without
// having touched that one.
func TestCompactionOfARootThatWasMoved(t *testing.T) {
	f := newStore(t)
	f.Put("/a", "1")
	moved, done := f.Root+"-moved", false
	disk.SetHook(func(op disk.Op, path string) error {
		if op == disk.OpSyncTree && !done {
			done = true
			f.Must(os.Rename(f.Root, moved))
			f.Must(exec.Command("cp", "-a", moved, f.Root).Run())
		}
		return nil
	})
	_, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	disk.SetHook(nil)
	if kind := mem.KindOf(err); kind != mem.KindIO || !strings.Contains(err.Error(), "moved") {
		t.Errorf("%s: %v", kind, err)
	}
	for _, root := range []string{f.Root, moved} {
		if _, err := os.Stat(filepath.Join(root, "checkpoint.json")); !os.IsNotExist(err) {
			t.Errorf("%s has a checkpoint: %v", root, err)
		}
		if h, err := examine(root); err != nil || h.Moving {
			t.Errorf("%s: %+v, %v", root, h, err)
		}
	}
	f.Put("/b", "2")
	if f.Keys() != "/a /b" || f.Content("/a") != "1" {
		t.Error(f.Keys())
	}
	for _, name := range []string{".", "cache"} {
		drafts(t, filepath.Join(f.Root, name))
	}
}

func examine(root string) (h filestore.Health, err error) {
	dir, err := disk.Open(root)
	if err != nil {
		return h, err
	}
	defer dir.Close()
	return filestore.Examine(dir, disk.BootID())
}

// drafts removes the temporary files that a copy has taken along.
func drafts(t *testing.T, dir string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, disk.TempPrefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}
