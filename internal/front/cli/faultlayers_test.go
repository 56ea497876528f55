package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/testkit"
)

// A command on two layers may fail at any call of the disk: nothing that was stored is in neither
// of them afterwards, the same command typed again comes to its end, and both stores are sound.
func TestFaultOnTwoLayers(t *testing.T) {
	t.Setenv("MEM_NOW", "2026-02-22T11:00:00Z")
	runs := 0
	for _, o := range []struct {
		stdin string
		args  []string
	}{
		{`{"key":"/user/p","content":1}` + "\n" + `{"key":"/p","content":1}` + "\n",
			[]string{"set", "-", "-s", "t", "-q"}},
		{"", []string{"note", "new", "-q"}},
		{"", []string{"move", "--unfiled", "-q"}},
		{"", []string{"move", "/here", "m-2", "--to", "user", "-q"}},
		{"", []string{"rm", "/here", "/user/x"}},
		{"", []string{"trust", "--yes", "-q"}},
		{"", []string{"init", "--shared", "--yes", "-q"}},
		{"", []string{"ls", "-l"}},
	} {
		t.Run(strings.Join(o.args, " "), func(t *testing.T) {
			f := &twoLayers{t: t, stdin: o.stdin, args: o.args, dot: o.args[0] == "trust" ||
				o.args[0] == "init"}
			calls := f.clean()
			some := 1 + calls/20
			stride := testkit.Extent(min(4*some, calls), some, 1)
			for n := testkit.First(t, stride); n <= calls && !t.Failed(); n += stride {
				for _, once := range []bool{true, false} {
					f.fault(n, faults[n/stride%len(faults)], once)
					runs++
				}
			}
			t.Logf("%d calls", calls)
		})
	}
	t.Logf("%d faults", runs)
	if wanted := testkit.Extent(40, 200, 1500); runs < wanted {
		t.Errorf("want %d", wanted)
	}
}

// twoLayers is a home with two stores that is made anew for each fault.
type twoLayers struct {
	t     *testing.T
	stdin string
	args  []string
	dot   bool // the project has a .mem, which the command is about
	home  string

	want []string // what both layers hold in the end
}

func (f *twoLayers) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *twoLayers) run(stdin string, args ...string) (exit int, stdout, stderr string) {
	var out, errs bytes.Buffer
	exit = Run(args, strings.NewReader(stdin), &out, &errs, testBuild)
	return exit, out.String(), errs.String()
}

func (f *twoLayers) ok(stdin string, args ...string) string {
	f.t.Helper()
	exit, out, errs := f.run(stdin, args...)
	if exit != exitDone {
		f.t.Fatalf("%v: exit %d: %s", args, exit, errs)
	}
	return out
}

// make makes the two stores, and goes into the project.
func (f *twoLayers) make() {
	f.t.Helper()
	var err error
	if f.home, err = os.MkdirTemp("/dev/shm", "mem-test-"); err != nil {
		f.home = f.t.TempDir()
	}
	f.t.Cleanup(func() { os.RemoveAll(f.home) })
	f.t.Setenv("HOME", f.home)
	app := filepath.Join(f.home, "app")
	for _, dir := range []string{"refs", "objects"} {
		f.must(os.MkdirAll(filepath.Join(app, ".git", dir), 0o700))
	}
	head := filepath.Join(app, ".git", "HEAD")
	f.must(os.WriteFile(head, []byte("ref: refs/heads/main\n"), 0o600))
	f.t.Chdir(f.home)
	f.ok("", "set", "/unfiled", "1", "-s", "t", "-q")
	f.ok("", "note", "unfiled", "-q")
	f.ok("", "set", "/user/x", "1", "-s", "t", "-q")
	f.t.Chdir(app)
	if f.dot {
		f.ok("", "--root", filepath.Join(app, ".mem"), "note", "of the project", "-q")
		if f.args[0] == "init" {
			f.ok("", "trust", "--yes", "-q")
		}
	} else {
		f.ok("", "note", "of the project", "-q")
		f.ok("", "note", "the user has no m-2", "-q")
	}
	if f.args[0] != "trust" {
		f.ok("", "set", "/here", "1", "-s", "t", "-q")
	}
}

// held returns the contents of all that is live in both layers, each once: a move that was stopped
// leaves some in both.
func (f *twoLayers) held() []string {
	f.t.Helper()
	var list []string
	for line := range strings.Lines(f.ok("", "ls", "-l", "--jq", ".memories[] | [.key,.layer]")) {
		list = append(list, letters.ReplaceAllString(line, "$1"))
	}
	slices.Sort(list)
	return list
}

// letters matches those of the id of a note, which are others each time.
var letters = regexp.MustCompile(`(/[mu]-[0-9]+)-[a-z]{6}\b`)

// texts returns what all stores of the home hold.
func (f *twoLayers) texts() []string {
	f.t.Helper()
	var list []string
	args := []string{"query", ".content"}
	for _, name := range []string{"user", "project"} {
		exit, out, _ := f.run("", append(slices.Clone(args), "--layer", name)...)
		if exit == exitDone {
			list = append(list, slices.Collect(strings.Lines(out))...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (f *twoLayers) clean() (calls int) {
	f.t.Helper()
	f.make()
	disk.SetHook(oneByOne(func(disk.Op, string) error { calls++; return nil }))
	exit, _, errs := f.run(f.stdin, f.args...)
	disk.SetHook(nil)
	if exit != exitDone {
		f.t.Fatalf("without a fault: exit %d: %s", exit, errs)
	}
	f.want = f.held()
	return calls
}

func (f *twoLayers) fault(n int, errno syscall.Errno, once bool) {
	f.t.Helper()
	f.make()
	before, held, i, hit := f.texts(), f.held(), 0, ""
	disk.SetHook(oneByOne(func(op disk.Op, path string) error {
		if i++; i < n || once && i > n {
			return nil
		}
		if hit == "" {
			hit = string(op) + " " + strings.TrimPrefix(path, f.home)
		}
		return &fs.PathError{Op: string(op), Path: path, Err: errno}
	}))
	exit, _, errs := f.run(f.stdin, f.args...)
	disk.SetHook(nil)
	what := fmt.Sprintf("call %d (%s) fails with %q, once %v", n, hit, errno, once)
	// What may not be read lets nothing in.
	refused := exit == exitRefused && f.dot && errno == syscall.EACCES
	if exit != exitDone && exit != exitIO && !refused {
		f.t.Errorf("%s: exit %d: %s", what, exit, errs)
	}
	if now := f.held(); !strings.HasPrefix(hit, string(disk.OpSync)) &&
		strings.Contains(errs, nothingStored) && !slices.Equal(now, held) {
		f.t.Errorf("%s: it says %q, and the stores hold\n%sbefore\n%s", what, nothingStored,
			strings.Join(now, ""), strings.Join(held, ""))
	}
	deletes := f.args[0] == "rm"
	after := f.texts()
	for _, text := range before {
		if !deletes && !slices.Contains(after, text) {
			f.t.Errorf("%s: %s is in neither store (exit %d: %s)", what, text, exit, errs)
		}
	}
	// Again: what was not done is done, and what was is not done twice.
	if again, _, errs := f.run(f.stdin, f.args...); again != exitDone && !(again == exitNo &&
		(deletes || f.args[0] == "move")) {
		f.t.Errorf("%s: again: exit %d: %s", what, again, errs)
	}
	if got := f.held(); f.args[0] != "note" && !slices.Equal(got, f.want) {
		f.t.Errorf("%s: in the end\n%swant\n%s", what, strings.Join(got, ""),
			strings.Join(f.want, ""))
	}
	// The next write of each heals what the fault left.
	f.ok("", "set", "/user/next", "1", "-s", "t", "-q")
	f.ok("", "set", "/next", "1", "-s", "t", "-q")
	f.ok("", "fsck", "-q")
	if f.t.Failed() {
		f.t.Log(what)
	}
}
