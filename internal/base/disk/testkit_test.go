package disk_test

import (
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
)

var errDisk = errors.New("injected")

func openDir(t testing.TB) *disk.Dir {
	t.Helper()
	d, err := disk.Open(t.TempDir())
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

// must ends a test whose setup failed.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, d *disk.Dir, name, content string) {
	t.Helper()
	must(t, os.WriteFile(d.Join(name), []byte(content), 0o600))
}

func expect(t testing.TB, d *disk.Dir, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(d.Join(name)); err != nil || string(got) != want {
		t.Errorf("%s has %q, %v; want %q", name, got, err, want)
	}
}

// names returns the names in a directory, without passing the hook.
func names(t testing.TB, path string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	must(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func expectNames(t testing.TB, d *disk.Dir, want ...string) {
	t.Helper()
	if got := names(t, d.Path()); !slices.Equal(got, want) {
		t.Errorf("%s has %q, want %q", d.Path(), got, want)
	}
}

// text returns a function that fills a file in two writes.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, err := io.WriteString(w, s[:len(s)/2]); err != nil {
			return err
		}
		_, err := io.WriteString(w, s[len(s)/2:])
		return err
	}
}

type pass struct {
	op   disk.Op
	path string
}

// record returns what passes the hook while do runs; the nth call, from 1, fails with fault.
func record(do func(), nth int, fault error) (passed []pass) {
	disk.SetHook(func(op disk.Op, path string) error {
		passed = append(passed, pass{op, path})
		if len(passed) == nth {
			return fault
		}
		return nil
	})
	defer disk.SetHook(nil)
	do()
	return passed
}
