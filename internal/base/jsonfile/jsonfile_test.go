package jsonfile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsonfile"
	_ "github.com/set-memory/mem/internal/test/testkit" // has the directories of tests
	"github.com/set-memory/mem/log"
)

type value struct {
	N    int      `json:"n"`
	Seen []string `json:"seen"`
}

const (
	name  = "x.json"
	limit = 1 << 16

	// asWriter names in the environment the directory in which this binary counts.
	asWriter = "MEM_TEST_JSONFILE"
)

var file = jsonfile.File{Name: name, Lock: "x.lock", Op: "count", Since: log.MinStamp.Time(),
	Wait: time.Hour}

func TestMain(m *testing.M) {
	path := os.Getenv(asWriter)
	if path == "" {
		os.Exit(m.Run())
	}
	dir, err := disk.Open(path)
	for range 10 {
		if err == nil {
			err = count(dir, file)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// count adds one to the number in the file.
func count(dir *disk.Dir, f jsonfile.File) error {
	return f.Update(context.Background(), dir, func() (any, error) {
		v, err := jsonfile.Read[value](dir, name, limit)
		v.N++
		return v, err
	})
}

func openDir(t *testing.T) *disk.Dir {
	t.Helper()
	dir, err := disk.Open(t.TempDir())
	must(t, err)
	t.Cleanup(func() { dir.Close() })
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, dir *disk.Dir, want string) {
	t.Helper()
	if text, err := os.ReadFile(dir.Join(name)); err != nil || string(text) != want {
		t.Errorf("%q, %v; want %q", text, err, want)
	}
}

func TestUpdatesAtOnceLoseNone(t *testing.T) {
	dir := openDir(t)
	const processes, goroutines = 3, 8
	var all sync.WaitGroup
	for range processes {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asWriter+"="+dir.Path())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	for range goroutines {
		all.Go(func() {
			for range 10 {
				if err := count(dir, file); err != nil {
					t.Error(err)
				}
				if _, err := jsonfile.Read[value](dir, name, limit); err != nil {
					t.Error("half a file:", err)
				}
			}
		})
	}
	all.Wait()
	expect(t, dir, fmt.Sprintf("{\"n\":%d,\"seen\":null}\n", 10*(processes+goroutines)))
}

// A process that is killed at any call of the disk leaves the old file or the new one, and the next
// update goes on from there.
func TestAFaultAtEachCallLeavesAWholeFile(t *testing.T) {
	failed := errors.New("injected")
	for _, fault := range []error{failed, &disk.Short{Err: failed}} {
		for nth := 1; ; nth++ {
			dir := openDir(t)
			must(t, count(dir, file))
			calls, renamed := 0, false
			disk.SetHook(func(op disk.Op, path string) error {
				if calls++; calls == nth {
					return fault
				}
				renamed = renamed || op == disk.OpRename
				return nil
			})
			err := count(dir, file)
			disk.SetHook(nil)
			v, readErr := jsonfile.Read[value](dir, name, limit)
			must(t, readErr)
			switch {
			case renamed && v.N != 2, !renamed && v.N != 1, err == nil && v.N != 2:
				t.Errorf("call %d: %d, %v", nth, v.N, err)
			}
			must(t, count(dir, file))
			if calls < nth {
				must(t, err)
				break
			}
		}
	}
}

func TestTheFileThatAnUpdateLeaves(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	lines := file
	lines.Indent = "  "
	must(t, count(dir, lines))
	expect(t, dir, "{\n  \"n\": 1,\n  \"seen\": null\n}\n")
	fi, err := os.Stat(dir.Join(name))
	must(t, err)
	lock, err := os.Stat(dir.Join(file.Lock))
	must(t, err)
	must(t, count(dir, file))
	expect(t, dir, "{\"n\":2,\"seen\":null}\n")
	if fi.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Error(fi.Mode())
	}
	if now, err := os.Stat(dir.Join(file.Lock)); err != nil || !os.SameFile(lock, now) {
		t.Error("another lock file:", err)
	}
}

func TestAnUpdateThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	no := errors.New("no")
	dir := openDir(t)
	must(t, count(dir, file))
	err := file.Update(t.Context(), dir, func() (any, error) { return value{N: 9}, no })
	if !errors.Is(err, no) {
		t.Error(err)
	}
	expect(t, dir, "{\"n\":1,\"seen\":null}\n")
	held, err := log.NewLockerOf(dir, file.Lock).Acquire(t.Context(), "other", file.Since, 0)
	must(t, err)
	hasty := file
	hasty.Wait = 0
	if err := count(dir, hasty); !errors.Is(err, log.ErrLocked) ||
		!strings.Contains(err.Error(), "other since") {
		t.Error(err)
	}
	must(t, held.Unlock())
	must(t, count(dir, hasty))
}

func TestADamagedFileIsAnErrorAndStays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"n":"x"}`, "{} {}", "{}" + strings.Repeat(" ", limit)} {
		dir := openDir(t)
		must(t, os.WriteFile(dir.Join(name), []byte(text), 0o600))
		if err := count(dir, file); err == nil {
			t.Errorf("%.20q: no error", text)
		}
		expect(t, dir, text)
	}
	dir := openDir(t)
	must(t, os.Mkdir(dir.Join(name), 0o700))
	if err := count(dir, file); !errors.Is(err, disk.ErrIrregular) {
		t.Error(err)
	}
}
