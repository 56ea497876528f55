package site_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/site"
)

// bookIn returns the book of a person whose state is below a directory.
func bookIn(state string) *site.Book {
	return site.OpenBook(func(name string) string {
		return map[string]string{"XDG_STATE_HOME": state}[name]
	}, "")
}

func machineOn(t testing.TB, state, host string) string {
	t.Helper()
	id, err := site.MachineOn(bookIn(state), host)
	must(t, err)
	if len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
		t.Fatalf("id %q", id)
	}
	return id
}

// The id of a machine stays, whatever boots, and is another one where the same files are on another
// host, and where the same host has other files.
func TestMachineID(t *testing.T) {
	state := t.TempDir()
	one := machineOn(t, state, "host a")
	fi, err := os.Stat(filepath.Join(state, "mem", "machine"))
	must(t, err)
	if fi.Mode() != 0o600 {
		t.Errorf("mode %v", fi.Mode())
	}
	path := filepath.Join(state, "mem", "machine")
	before := read(t, path)
	restored := machineOn(t, state, "host b")
	if restored == one || machineOn(t, state, "host b") != restored {
		t.Error("a copy on another host is no machine of its own")
	}
	if machineOn(t, state, "host a") != one || read(t, path) != before {
		t.Error("the host has another id than before")
	}
	if machineOn(t, t.TempDir(), "host a") == one {
		t.Error("two people on a host are one machine")
	}
	real, err := bookIn(state).MachineID()
	must(t, err)
	if again, err := bookIn(state).MachineID(); again != real || err != nil || real == one {
		t.Errorf("%s and then %s, %v", real, again, err)
	}
}

// A file that does not hold an id is replaced; one that is no plain file is an error.
func TestMachineIDDamaged(t *testing.T) {
	state := t.TempDir()
	path := filepath.Join(state, "mem", "machine")
	put(t, path, "0123456789")
	id := machineOn(t, state, "host")
	if machineOn(t, state, "host") != id || len(read(t, path)) != 33 {
		t.Error("the damaged file was not replaced")
	}
	must(t, os.Remove(path))
	must(t, os.Symlink("/etc/hostname", path))
	if _, err := site.MachineOn(bookIn(state), "host"); !errors.Is(err, disk.ErrIrregular) {
		t.Errorf("a link: %v", err)
	}
	none := site.OpenBook(func(string) string { return "" }, "")
	if _, err := none.MachineID(); !errors.Is(err, site.ErrNoState) {
		t.Errorf("no state: %v", err)
	}
}

// Processes that ask at once for an id that nobody has made agree on one.
func TestMachineIDOfManyAtOnce(t *testing.T) {
	for range 20 {
		state := t.TempDir()
		ids := make([]string, 8)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() { ids[i], _ = site.MachineOn(bookIn(state), "host") })
		}
		all.Wait()
		for _, id := range ids {
			if id != ids[0] || id == "" {
				t.Fatalf("%q", ids)
			}
		}
	}
}

// Whatever call fails or is the last, the file is whole or absent, and the next call has an id that
// stays.
func TestMachineIDAfterACrash(t *testing.T) {
	defer disk.SetHook(nil)
	for last, done := 0, false; !done; last++ {
		state, calls := t.TempDir(), 0
		disk.SetHook(func(disk.Op, string) error {
			if calls++; calls > last {
				return os.ErrPermission
			}
			return nil
		})
		id, err := site.MachineOn(bookIn(state), "host")
		disk.SetHook(nil)
		done = err == nil
		text, failed := os.ReadFile(filepath.Join(state, "mem", "machine"))
		if failed == nil && len(text) != 33 || failed != nil && done {
			t.Errorf("after %d calls: %q, %v", last, text, failed)
		}
		next := machineOn(t, state, "host")
		if done && next != id || machineOn(t, state, "host") != next {
			t.Errorf("after %d calls the id changes", last)
		}
	}
}
