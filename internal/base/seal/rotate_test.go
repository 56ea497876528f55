package seal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
)

// After a Rotate all that was sealed is opened, and what is sealed now needs the new identity.
func TestRotate(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	before, first := textOf(t, path), load(t, path)
	old := sealed(t, first, "old")
	must(t, Rotate(path, now.Add(time.Hour)))
	after := textOf(t, path)
	if !strings.HasPrefix(after, before) || len(identities(after)) != 2 ||
		!strings.Contains(after, "# created: 2026-11-22T10:00:00Z\n") {
		t.Errorf("%q became %q", before, after)
	}
	second := load(t, path)
	for text, want := range map[string]string{
		string(old): "old", string(sealed(t, second, "new")): "new",
	} {
		if got, err := second.Open([]byte(text)); err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if _, err := first.Open(sealed(t, second, "new")); !errors.Is(err, ErrNotOurs) {
		t.Errorf("with the old identity: %v", err)
	}
	if got, err := second.Open(sealed(t, first, "late")); err != nil || string(got) != "late" {
		t.Errorf("sealed by who has loaded before: %q, %v", got, err)
	}
}

// The last line of a file may have no end, and a link stays a link.
func TestRotateThroughALink(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	text := strings.TrimSpace(textOf(t, path))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(path, link))
	must(t, Rotate(link, now))
	if fi, err := os.Lstat(link); err != nil || fi.Mode().IsRegular() {
		t.Errorf("the link is %v, %v", fi.Mode(), err)
	}
	if got := textOf(t, path); !strings.HasPrefix(got, text+"\n#") || len(identities(got)) != 2 {
		t.Errorf("%q became %q", text, got)
	}
}

func TestRotateRefuses(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	must(t, os.WriteFile(path, []byte("no key\n"), 0o600))
	if err := Rotate(path, now); !errors.Is(err, ErrKeyFile) || textOf(t, path) != "no key\n" {
		t.Errorf("of what is no key file: %v", err)
	}
	if err := Rotate(path+"x", now); !errors.Is(err, ErrKeyFile) {
		t.Errorf("of nothing: %v", err)
	}
}

// Of Rotates at the same time none is lost, and who loads meanwhile finds a whole file.
func TestRotatesAtOnce(t *testing.T) {
	t.Parallel()
	const rotates = 12
	path := newFile(t)
	var wg sync.WaitGroup
	for range rotates {
		wg.Go(func() {
			if err := Rotate(path, now); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if _, err := Load(path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all := identities(textOf(t, path))
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != rotates+1 {
		t.Errorf("%d identities after %d rotates", n, rotates)
	}
}

// Whatever call fails, the file is the old or the new one, whole, and a Rotate that says that it
// is done has synced the file before its rename, and the name after it.
func TestRotateSurvivesEveryFault(t *testing.T) {
	for fault := 0; ; fault++ {
		path := newFile(t)
		before := textOf(t, path)
		var ops []disk.Op
		disk.SetHook(func(op disk.Op, _ string) error {
			if op.Mutates() {
				ops = append(ops, op)
				if len(ops) == fault+1 {
					return syscall.EIO
				}
			}
			return nil
		})
		err := Rotate(path, now)
		disk.SetHook(nil)
		after := textOf(t, path)
		if !strings.HasPrefix(after, before) || len(load(t, path).all) != len(identities(after)) {
			t.Fatalf("fault %d: %q became %q", fault, before, after)
		}
		if len(ops) <= fault {
			want := []disk.Op{disk.OpCreate, disk.OpWrite, disk.OpSync, disk.OpRename, disk.OpSync}
			if err != nil || len(identities(after)) != 2 || !slices.Equal(ops, want) {
				t.Errorf("without a fault: %v, calls %v", err, ops)
			}
			return
		}
		var e *FileError
		if !errors.As(err, &e) || !errors.Is(err, syscall.EIO) || e.Kind() != "io" {
			t.Errorf("fault %d: %v", fault, err)
		}
	}
}

// A Create that fails leaves nothing, and one that does not has synced the file and its name.
func TestCreateSurvivesEveryFault(t *testing.T) {
	for fault := 0; ; fault++ {
		path := filepath.Join(t.TempDir(), "keys.txt")
		var ops []disk.Op
		disk.SetHook(func(op disk.Op, _ string) error {
			if op.Mutates() && op != disk.OpRemove {
				ops = append(ops, op)
				if len(ops) == fault+1 {
					return syscall.EIO
				}
			}
			return nil
		})
		err := Create(path, now)
		disk.SetHook(nil)
		if len(ops) <= fault {
			must(t, err)
			load(t, path)
			want := []disk.Op{disk.OpSync, disk.OpCreate, disk.OpWrite, disk.OpSync, disk.OpSync}
			if !slices.Equal(ops, want) { // the first is of the directory's own name
				t.Errorf("calls %v, want %v", ops, want)
			}
			return
		}
		if _, there := os.Lstat(path); !errors.Is(err, syscall.EIO) || there == nil {
			t.Errorf("fault %d: %v, %v", fault, err, there)
		}
	}
}

// Load makes durable what it has read, where that can be done.
func TestLoadSettles(t *testing.T) {
	path := newFile(t)
	for fault, works := range map[error]bool{nil: true, syscall.EROFS: true, syscall.EINVAL: true,
		syscall.EACCES: true, syscall.EIO: false} {
		synced := 0
		disk.SetHook(func(op disk.Op, _ string) error {
			if op != disk.OpSync {
				return nil
			}
			synced++
			return fault
		})
		_, err := Load(path)
		disk.SetHook(nil)
		if synced != 1 || works != (err == nil) || !works && !errors.Is(err, syscall.EIO) {
			t.Errorf("%v: %v, synced %d times", fault, err, synced)
		}
	}
}
