package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/testkit"
)

var faults = []syscall.Errno{
	syscall.EIO, syscall.ENOSPC, syscall.EACCES, syscall.EDQUOT, syscall.EROFS,
}

// Every verb meets every fault at each of its calls of the disk, once, and from there on: it leaves
// with 6 and one line that names cause and file, or prints the whole right answer; it never answers
// no. What was acknowledged stays, and the next set works.
func TestFaultAtEveryCall(t *testing.T) {
	t.Setenv("MEM_NOW", "2026-02-22T11:00:00Z")
	t.Setenv("MEM_HOOK_DEADLINE", "1m")
	runs, ran := 0, 0
	for _, o := range orders {
		t.Run(strings.Join(o.args, " "), func(t *testing.T) {
			ran++
			f := newFaulty(t, o)
			want := f.clean()
			some := 1 + want.calls/24
			stride := testkit.Extent(min(4*some, want.calls), some, 1)
			for n := testkit.First(t, stride); n <= want.calls && !t.Failed(); n += stride {
				for i, errno := range faults {
					for _, once := range []bool{true, false} {
						isDrawn := i == n/stride%len(faults) && (once || n%2 == 0)
						if testkit.Extent(!isDrawn, !isDrawn, false) {
							continue
						}
						f.fault(want, n, errno, once)
						runs++
					}
				}
			}
			t.Logf("%d calls", want.calls)
		})
	}
	t.Logf("%d faults", runs)
	wanted := testkit.Extent(150, 700, 15_000)
	if ran == len(orders) && runs < wanted {
		t.Errorf("want %d", wanted)
	}
}

// faulty is a store that is made anew for each fault.
type faulty struct {
	t    *testing.T
	o    order
	root string

	before map[string]string // what was live before the command
	sound  bool              // without a fault it leaves nothing for fsck
	out    string            // what it leaves outside the store
}

// reaction is what a command did.
type reaction struct {
	exit           int
	stdout, stderr string
	calls          int
	hit, file      string // the call that failed, and on what
}

func newFaulty(t *testing.T, o order) *faulty {
	dir, err := os.MkdirTemp("/dev/shm", "mem-test-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	f := &faulty{t: t, o: o, root: filepath.Join(dir, "memory")}
	t.Setenv("XDG_STATE_HOME", f.outside("OUTSIDE/state"))
	return f
}

func (f *faulty) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// ok runs a command that must succeed.
func (f *faulty) ok(args ...string) reaction {
	f.t.Helper()
	a := f.run("", args...)
	if a.exit != exitDone {
		f.t.Errorf("%v: exit %d: %s", args, a.exit, a.stderr)
	}
	return a
}

// outside puts the directory that the store is in into an argument.
func (f *faulty) outside(arg string) string {
	return strings.Replace(arg, "OUTSIDE", filepath.Dir(f.root), 1)
}

func (f *faulty) run(stdin string, args ...string) (a reaction) {
	var out, stderr bytes.Buffer
	all := []string{"--root", f.root}
	for _, arg := range args {
		all = append(all, f.outside(arg))
	}
	a.exit = Run(all, strings.NewReader(stdin), &out, &stderr, testBuild)
	a.stdout, a.stderr = out.String(), stderr.String()
	return a
}

// make makes the store: a state, writes since, a tombstone, something quarantined.
func (f *faulty) make() {
	f.t.Helper()
	f.must(os.RemoveAll(f.root))
	f.must(os.RemoveAll(f.outside("OUTSIDE/out")))
	f.must(os.RemoveAll(f.outside("OUTSIDE/state")))
	if f.o.fresh {
		return
	}
	batch := `{"key":"/b/c","content":2}
{"key":"/a","content":"a letter"}
{"key":"/gone","content":1}
{"key":"/kb/fact","content":8}
`
	a := f.run(batch, "set", "-", "-s", "t", "--on-untrusted", "quarantine",
		"--now", "2026-02-22T10:00:00.000001Z")
	if a.exit != exitDone {
		f.t.Fatal(a.stderr)
	}
	f.ok("compact", "--now", "2026-02-22T10:30:00Z")
	f.ok("rm", "/gone", "--now", "2026-02-22T10:40:00Z")
	if f.o.ready != nil {
		f.o.ready(f)
	}
}

func (f *faulty) edit(name, from, to string) {
	f.t.Helper()
	path := filepath.Join(f.root, name)
	text, err := os.ReadFile(path)
	f.must(err)
	if !strings.Contains(string(text), from) {
		f.t.Fatalf("%s has no %q", name, from)
	}
	f.must(os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
}

// write puts a file below the root.
func (f *faulty) write(name, text string) {
	f.t.Helper()
	f.must(os.WriteFile(filepath.Join(f.root, filepath.FromSlash(name)), []byte(text), 0o600))
}

func (f *faulty) torn() {
	path := filepath.Join(f.root, "log.jsonl")
	text, err := os.ReadFile(path)
	f.must(err)
	f.must(os.WriteFile(path, append(text, `{"key":"/torn`...), 0o600))
}

// copied puts the log on another inode.
func (f *faulty) copied() {
	path := filepath.Join(f.root, "log.jsonl")
	text, err := os.ReadFile(path)
	f.must(err)
	f.must(os.WriteFile(path+".new", text, 0o600))
	f.must(os.Rename(path+".new", path))
}

func (f *faulty) rotating() {
	f.write("config.json", `{"rotate":{"lines":2,"bytes":100}}`)
}

// damaged has a changed letter in the log (its sound copy is in the index), and a file that is none
// of mem's.
func (f *faulty) damaged() {
	f.edit("log.jsonl", "a letter", "a lettuce")
	f.write("index/foreign.json", "no envelope")
}

// noted holds as many notes as it may, has given an id whose tombstone is only in an archive, and
// lost the sidecar that knew.
func (f *faulty) noted() {
	f.rotating()
	f.ok("note", "one", "--now", "2026-02-22T10:50:00Z")
	f.ok("note", "two", "--now", "2026-02-22T10:51:00Z")
	f.ok("forget", "m-1", "--now", "2026-02-22T10:52:00Z")
	f.ok("compact", "--now", "2026-02-22T10:53:00Z")
	f.must(os.RemoveAll(filepath.Join(f.root, "cache")))
	f.write("config.json", `{"memory":{"max_total":1}}`)
}

// lostArchive has lost the end of an archive, with a line in two, and the deletion of /gone in it.
func (f *faulty) lostArchive() {
	f.rotating()
	f.ok("compact", "--now", "2026-02-22T10:45:00Z")
	const name = "archive/log_20260222T104500Z.jsonl"
	text, err := os.ReadFile(filepath.Join(f.root, name))
	f.must(err)
	f.write(name, string(text[:len(text)-30]))
}

// archived has what is purged in an archive, in quarantine and in the journal too.
func (f *faulty) archived() {
	f.rotating()
	f.ok("set", "/b/c", "22222", "-s", "t", "--now", "2026-02-22T10:50:00Z")
	f.ok("compact", "--now", "2026-02-22T10:51:00Z")
	f.ok("set", "/b/c", "2", "-s", "t", "--now", "2026-02-22T10:52:00Z")
	f.must(os.MkdirAll(filepath.Join(f.root, "quarantine"), 0o700))
	f.write("quarantine/20260222T105200Z-log.jsonl", `{"key":"/b/c","ts":"20`)
}

// texts has memories that can be changed: one that names a time, though none that is one.
func (f *faulty) texts() {
	f.ok("set", "/t", `{"text":"t","created_at":"2020"}`, "-s", "t", "--now",
		"2026-02-22T10:50:00Z")
	f.ok("set", "/u", `{"text":"u"}`, "-s", "t", "--now", "2026-02-22T10:51:00Z")
}

// theirs is a memory folder of another program.
func (f *faulty) theirs() {
	f.must(os.MkdirAll(f.outside("OUTSIDE/theirs/sub"), 0o700))
	for name, text := range map[string]string{
		"MEMORY.md": "- [Topic](topic.md)\n", "topic.md": "theirs\n", "sub/topic.md": "too\n",
	} {
		f.must(os.WriteFile(filepath.Join(f.outside("OUTSIDE/theirs"), name), []byte(text), 0o600))
	}
}

// exported has a folder already, with a memory that is gone since and one that has changed.
func (f *faulty) exported() {
	f.ok("set", "/gone/since", "1", "-s", "t", "--now", "2026-02-22T10:50:00Z")
	f.ok("export", "--format", "claude-memory", "--out", "OUTSIDE/out")
	f.ok("rm", "/gone/since", "--now", "2026-02-22T10:51:00Z")
	f.ok("set", "/b/c", "3", "-s", "t", "--now", "2026-02-22T10:52:00Z")
	f.ok("set", "/b/c", "2", "-s", "t", "--now", "2026-02-22T10:53:00Z")
	f.ok("set", "/new/since", "1", "-s", "t", "--now", "2026-02-22T10:54:00Z")
}

func (f *faulty) edited() { f.edit("index/b/c@80c286.json", `"content": 2`, `"content": 22`) }

// clean runs the command without a fault.
func (f *faulty) clean() reaction {
	f.t.Helper()
	f.make()
	f.before = f.live("before")
	a := f.hooked(func(int, disk.Op, string) error { return nil })
	for key, content := range f.o.after {
		f.holds("without a fault", key, content)
	}
	f.sound, f.out = f.run("", "fsck", "--now", aDayLater).exit == exitDone, f.written()
	return a
}

// oneByOne lets the goroutines of a verb pass a hook one after the other.
func oneByOne(hook func(disk.Op, string) error) func(disk.Op, string) error {
	var mu sync.Mutex
	return func(op disk.Op, path string) error {
		mu.Lock()
		defer mu.Unlock()
		return hook(op, path)
	}
}

// hooked runs the command with every call of the disk passing fn, under its number.
func (f *faulty) hooked(fn func(n int, op disk.Op, path string) error) reaction {
	calls, hit, file := 0, "", ""
	disk.SetHook(oneByOne(func(op disk.Op, path string) error {
		calls++
		err := fn(calls, op, path)
		if err != nil && hit == "" {
			hit, file = string(op)+" "+strings.TrimPrefix(path, f.root), path
		}
		return err
	}))
	defer disk.SetHook(nil)
	a := f.run(f.o.stdin, f.o.args...)
	a.calls, a.hit, a.file = calls, hit, file
	return a
}

// fault runs the command with one fault, or with faults from the n-th call on, and looks at what
// came of it.
func (f *faulty) fault(want reaction, n int, errno syscall.Errno, once bool) {
	f.t.Helper()
	f.make()
	got := f.hooked(func(i int, op disk.Op, path string) error {
		if i < n || once && i > n {
			return nil
		}
		err := error(&fs.PathError{Op: string(op), Path: path, Err: errno})
		if op == disk.OpWrite && n%2 == 0 {
			err = &disk.Short{Err: err}
		}
		return err
	})
	what := fmt.Sprintf("call %d (%s) fails with %q, once %v", n, got.hit, errno, once)
	switch {
	case got.exit == exitIO:
		f.named(what, got, errno)
	case got.exit != want.exit || got.stdout != want.stdout:
		f.t.Errorf("%s: exit %d, want %d or %d with\n%s\ngot\n%s\n%s",
			what, got.exit, exitIO, want.exit, want.stdout, got.stdout, got.stderr)
	}
	f.reads(what, got)
	if got.exit == exitDone {
		f.swallowed(what, got)
	}
	f.recovers(what)
}

// named checks that a failure is told in one line with the cause and the file.
func (f *faulty) named(what string, got reaction, errno syscall.Errno) {
	f.t.Helper()
	var told []string
	for line := range strings.Lines(got.stderr) {
		if !strings.HasPrefix(line, "mem: hint: ") && !strings.HasPrefix(line, "mem: warning: ") {
			told = append(told, line)
		}
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "mem: ") ||
		!strings.Contains(told[0], errno.Error()) || !f.names(told[0], got.file) {
		f.t.Errorf("%s: stderr does not name cause and file in one line:\n%s", what, got.stderr)
	}
	if live := f.live(what); !strings.HasPrefix(got.hit, string(disk.OpSync)) &&
		strings.Contains(got.stderr, nothingStored) && !maps.Equal(live, f.before) {
		f.t.Errorf("%s: it says %q, and %v is live, before %v", what, nothingStored, live, f.before)
	}
}

// nothingStored is what the hint of a full disk says where nothing has changed. A full disk fails
// at no sync, after which nobody knows.
const nothingStored = "nothing was stored"

// names reports whether a line names a file of the store or next to it, the one that failed first,
// or a directory above them, which is synced when it gets a new one.
func (f *faulty) names(line, file string) bool {
	path, _, _ := strings.Cut(strings.TrimPrefix(line, "mem: "), ": ")
	return strings.Contains(line, filepath.Dir(f.root)) || strings.Contains(line, file) ||
		filepath.IsAbs(path) && strings.HasPrefix(f.root, path)
}

// recovers checks, with the disk in order again, that the next set works and leaves nothing to
// repair.
func (f *faulty) recovers(what string) {
	f.t.Helper()
	f.ok("set", "/next", "9", "-s", "t", "--now", "2026-02-22T12:00:00Z")
	f.holds(what, "/next", "9")
	if !f.o.fresh {
		for key, content := range map[string]string{"/a": `"a letter"`, "/b/c": "2"} {
			if _, changed := f.o.after[key]; !changed {
				f.holds(what, key, content)
			}
		}
	}
	if slices.Contains(f.o.args, "--accept-loss") {
		f.run("", f.o.args...) // which is refused where the loss is accepted already
	}
	if f.o.args[0] == "fsck" {
		f.ok("fsck", "--repair", "--now", "2026-02-22T13:00:00Z")
	}
	f.ok("fsck", "--now", "2026-02-22T14:00:00Z")
	if f.t.Failed() {
		f.t.Log(what)
	}
}

// holds checks one key; "" for none.
func (f *faulty) holds(what, key, content string) {
	f.t.Helper()
	a := f.run("", "get", key)
	none := content == "" && a.exit == exitNo
	if none || a.exit == exitDone && strings.TrimSpace(a.stdout) == content {
		return
	}
	f.t.Errorf("%s: %s is %q (exit %d, %s), want %q",
		what, key, a.stdout, a.exit, a.stderr, content)
}

// A full disk that ends an append in the middle, and the cut behind it too, leaves the tombstone of
// the evicted note: the answer sends to the log, and says of nothing that it was not stored.
func TestHalfOfAnAppendIsNamed(t *testing.T) {
	t.Setenv("MEM_NOW", "2026-02-22T11:00:00Z")
	f := newFaulty(t, order{args: []string{"note", "new"}, ready: (*faulty).noted})
	f.clean()
	f.make()
	isFull := false
	got := f.hooked(func(_ int, op disk.Op, path string) error {
		isFull = isFull || op == disk.OpWrite && filepath.Base(path) == "log.jsonl"
		if !isFull {
			return nil
		}
		err := error(&fs.PathError{Op: string(op), Path: path, Err: syscall.ENOSPC})
		if op == disk.OpWrite {
			err = &disk.Short{Err: err}
		}
		return err
	})
	if f.live("then")["/note/workspace/m-2"] != "" {
		t.Fatal("no part of the append was stored")
	}
	if got.exit != exitIO || strings.Contains(got.stderr, nothingStored) ||
		!strings.Contains(got.stderr, " history shows what is stored") {
		t.Errorf("exit %d: %s", got.exit, got.stderr)
	}
	f.recovers("then")
}
