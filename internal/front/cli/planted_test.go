//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
)

// plants are what somebody may leave in place of a file or directory of mem's. outside is a file
// next to the root, or a directory.
var plants = []struct {
	name string
	put  func(path, outside string) error
}{
	{"a link to a file outside", func(path, outside string) error {
		return os.Symlink(filepath.Join(outside, "file"), path)
	}},
	{"a link to a directory outside", func(path, outside string) error {
		return os.Symlink(outside, path)
	}},
	{"a link to nothing", func(path, outside string) error {
		return os.Symlink(filepath.Join(outside, "nothing"), path)
	}},
	{"a link to itself", func(path, _ string) error {
		return os.Symlink(filepath.Base(path), path)
	}},
	{"a fifo", func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }},
	{"a directory", func(path, _ string) error { return os.Mkdir(path, 0o700) }},
	{"an empty file", func(path, _ string) error { return os.WriteFile(path, nil, 0o600) }},
}

// beds are the paths that mem uses.
var beds = []string{
	"log.jsonl", "lock", "watermark", "state.jsonl", "checkpoint.json", "ops.jsonl",
	"injections.jsonl", "config.json", "README.md", "archive", "quarantine",
	"cache", "cache/columns", "cache/fts", "cache/sizes",
	"index", "index/dir", "index/dir/deep",
	"index/" + string(keypath.MustParse("/a").Path()),
	"index/" + string(keypath.MustParse("/dir/deep/key").Path()),
	"archive/log_20260222T103000Z.jsonl",
	"artifacts", "artifacts/" + strings.Repeat("0a", 32),
}

// Whatever is planted at any path of the store: no verb reads or writes outside the root, waits, or
// ends otherwise than in one of its ways; and after a repair the next set works, unless it is the
// log itself that is no file.
func TestPlantedAnywhere(t *testing.T) {
	t.Setenv("MEM_NOW", "2026-02-22T11:00:00Z")
	t.Setenv("MEM_HOOK_DEADLINE", "1m")
	for i, bed := range testkit.Sample(t, beds, 4, 4) {
		for j, plant := range plants {
			g := newGarden(t, bed)
			what := plant.name + " at " + bed
			if err := plant.put(g.path, g.outside); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			g.verbs(what, (i+j)%3)
			if t.Failed() {
				return
			}
		}
	}
}

// garden is a store in which something is planted, with a file and a directory next to it that
// nobody may touch.
type garden struct {
	t             *testing.T
	bed           string
	faulty        *faulty
	path, outside string
}

const bystander = "this stands outside, and nobody changes it\n"

func newGarden(t *testing.T, bed string) *garden {
	f := newFaulty(t, order{})
	g := &garden{
		t: t, bed: bed, faulty: f, path: filepath.Join(f.root, filepath.FromSlash(bed)),
		outside: filepath.Join(filepath.Dir(f.root), "outside"),
	}
	f.must(os.Mkdir(g.outside, 0o700))
	f.must(os.WriteFile(filepath.Join(g.outside, "file"), []byte(bystander), 0o600))
	f.must(os.WriteFile(f.outside("OUTSIDE/in.jsonl"), []byte(`{"key":"/imported","content":1}`), 0o600))
	f.ok("set", "/a", "1", "-s", "t", "--now", "2026-02-22T10:00:00Z")
	f.ok("set", "/dir/deep/key", "2", "-s", "t", "--now", "2026-02-22T10:10:00Z")
	if strings.HasPrefix(bed, "archive/") {
		f.rotating()
	}
	f.ok("compact", "--now", "2026-02-22T10:30:00Z")
	f.ok("set", "/tail", "3", "-s", "t", "--now", "2026-02-22T10:40:00Z")
	if strings.HasPrefix(bed, "index/") || strings.HasPrefix(bed, "archive/") {
		if _, err := os.Lstat(g.path); err != nil {
			t.Fatal(err)
		}
	}
	f.must(os.RemoveAll(g.path))
	f.must(os.MkdirAll(filepath.Dir(g.path), 0o700))
	return g
}

// verbs runs all of them, the writing ones in one of three orders, then repairs.
func (g *garden) verbs(what string, turn int) {
	g.t.Helper()
	reading := [][]string{
		{"get", "/a"}, {"get", "/dir/deep/key"}, {"ls"}, {"read"}, {"history", "/a"},
		{"query", ".key"}, {"search", "key"}, {"notes"}, {"stat"}, {"fsck"}, {"export"},
		{"export", "--format", "memory-md"}, {"hook", "codex"}, {"injections"}, {"doctor"},
	}
	writing := [][]string{
		{"set", "/dir/deep/key", "4", "-s", "t"}, {"compact"}, {"rm", "/tail"}, {"note", "x"},
		{"forget", "m-1"}, {"import", "OUTSIDE/in.jsonl"},
	}
	for _, args := range append(reading, append(writing[turn:], writing[:turn]...)...) {
		g.run(what, args...)
	}
	g.run(what, "fsck", "--repair")
	a := g.run(what, "set", "/after", "5", "-s", "t")
	if a.exit != exitDone && g.bed != "log.jsonl" && g.bed != "config.json" {
		g.t.Errorf("%s: the next set after a repair: exit %d: %s", what, a.exit, a.stderr)
	}
}

// run runs one verb, and looks outside.
func (g *garden) run(what string, args ...string) reaction {
	g.t.Helper()
	// Only a hook reads its input.
	a := g.faulty.run(`{"hook_event_name":"SessionStart","session_id":"s"}`, args...)
	if a.exit < exitDone || a.exit > exitIO || a.exit == exitConflict || a.exit == exitLocked {
		g.t.Errorf("%s: mem %v: exit %d: %s", what, args, a.exit, a.stderr)
	}
	for _, text := range []string{a.stdout, a.stderr} {
		if strings.Contains(text, "nobody changes it") {
			g.t.Errorf("%s: mem %v shows what stands outside: %s", what, args, text)
		}
	}
	g.untouched(what, args)
	return a
}

func (g *garden) untouched(what string, args []string) {
	g.t.Helper()
	var names []string
	filepath.WalkDir(g.outside, func(path string, _ fs.DirEntry, _ error) error {
		names = append(names, filepath.Base(path))
		return nil
	})
	text, err := os.ReadFile(filepath.Join(g.outside, "file"))
	changed := err != nil || !bytes.Equal(text, []byte(bystander))
	if changed || fmt.Sprint(names) != "[outside file]" {
		g.t.Fatalf("%s: after mem %v outside has %v and %q (%v)", what, args, names, text, err)
	}
}
