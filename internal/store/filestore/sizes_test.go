package filestore_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// sized is a store whose sizes are asked for by two processes.
type sized struct {
	*storetest.World
	fatalf func(string, ...any)
	stores [2]*filestore.Store
	draw   func(what string, most int) int
}

func newSized(t *testing.T, fatalf func(string, ...any)) *sized {
	s := &sized{World: storetest.NewWorld(t), fatalf: fatalf}
	s.open(0)
	s.open(1)
	s.Boot = s.stores[0].Boot()
	t.Cleanup(func() {
		for _, one := range s.stores {
			s.Must(one.Close())
		}
	})
	return s
}

func (s *sized) open(i int) {
	one, err := filestore.Open(s.Path, filestore.Options{
		Now: func() time.Time { return s.Now }, LockWait: time.Hour,
	})
	s.Must(err)
	s.stores[i] = one
}

var sessions = []string{"/session/a", "/session/b"}

// shownAt is what a line shows whose JSON is broken further on.
var shownAt = regexp.MustCompile(`^\{"key":"([^"\\]*)","ts":"([^"]{27})","valid":(true|false),`)

// recount reads every line on the disk by itself, and then lines that are not there yet.
func (s *sized) recount(more ...string) string {
	type line struct{ ts, text string }
	newest, dead := map[string]line{}, map[string]bool{}
	names, err := filepath.Glob(s.File("archive/*.jsonl"))
	s.Must(err)
	var texts []string
	for _, name := range append(names, s.File("log.jsonl")) {
		text, err := os.ReadFile(name)
		if !errors.Is(err, os.ErrNotExist) {
			s.Must(err)
		}
		texts = append(texts, strings.Split(string(text), "\n")...)
	}
	for _, text := range append(texts, more...) {
		var e struct {
			Key     string
			TS      time.Time
			Content json.RawMessage
		}
		deleted := false
		if json.Unmarshal([]byte(text), &e) == nil {
			deleted = string(e.Content) == "null"
		} else if m := shownAt.FindStringSubmatch(text); m != nil {
			e.Key, deleted = m[1], m[3] == "false"
			e.TS, err = time.Parse(time.RFC3339Nano, m[2])
			s.Must(err)
		}
		key, err := keypath.Parse(e.Key)
		if err != nil {
			continue
		}
		ts := e.TS.UTC().Format(log.StampLayout)
		old, known := newest[key.String()]
		if !known || ts > old.ts || ts == old.ts && text > old.text {
			newest[key.String()], dead[key.String()] = line{ts, text}, deleted
		}
	}
	var out strings.Builder
	for _, below := range sessions {
		live, deleted := 0, 0
		for key, l := range newest {
			switch {
			case !strings.HasPrefix(key, below+"/"):
			case dead[key]:
				deleted += len(l.text) + 1
			default:
				live += len(l.text) + 1
			}
		}
		fmt.Fprint(&out, below, " ", live, " ", deleted, "\n")
	}
	return out.String()
}

func (s *sized) said(r backend.Reader) string {
	var out strings.Builder
	for _, below := range sessions {
		p, err := keypath.ParsePrefix(below)
		s.Must(err)
		live, deleted, err := r.Size(context.Background(), p)
		if err != nil {
			s.fatalf("size: %v", err)
		}
		fmt.Fprint(&out, below, " ", live, " ", deleted, "\n")
	}
	return out.String()
}

// same checks what updates and snapshots say, after what was done.
func (s *sized) same(after string) {
	fresh, err := filestore.Open(s.Path, filestore.Options{
		Now: func() time.Time { return s.Now }, LockWait: time.Hour,
	})
	s.Must(err)
	defer fresh.Close()
	for i, one := range append([]*filestore.Store{fresh}, s.stores[:]...) {
		got, want := "", ""
		s.Must(one.Update(context.Background(), backend.Caller{}, "test",
			func(tx backend.Tx) error {
				got, want = s.said(tx), s.recount()
				return nil
			}))
		if got != want {
			s.fatalf("after %s update %d says\n%swant\n%s", after, i, got, want)
		}
		snap, err := one.Snapshot(context.Background())
		s.Must(err)
		if got, want := s.said(snap), s.recount(); got != want {
			s.fatalf("after %s snapshot %d says\n%swant\n%s", after, i, got, want)
		}
		snap.Close()
	}
}

// key returns one of few keys, some of which no size counts.
func (s *sized) key() string {
	return []string{"/session/a/x", "/session/a/y", "/session/a/deep/er", "/session/b/x",
		"/session/b/y", "/session/a", "/other"}[s.draw("key", 6)]
}

func (s *sized) content() string {
	if n := s.draw("length", 12); n > 2 {
		return `"` + strings.Repeat("x", n*n) + `"`
	}
	return "null"
}

// write appends in one update, and asks in between.
func (s *sized) write(imported bool) {
	i := s.draw("store", 1)
	list := make([]backend.Write, s.draw("writes", 3))
	for i := range list {
		list[i] = backend.Write{Imported: imported, Envelope: log.Envelope{
			Key: keypath.MustParse(s.key()), Source: []byte(`"test"`), Content: []byte(s.content()),
		}}
		if imported { // of few times, so that some are the same
			list[i].TS = log.StampOf(storetest.Noon) - 1e6*log.Stamp(1+s.draw("seconds", 4))
		}
	}
	said, want := "", ""
	s.Must(s.stores[i].Update(context.Background(), backend.Caller{}, "test",
		func(tx backend.Tx) error {
			var lines []string
			for _, w := range list {
				stamps, err := tx.Append(w)
				if errors.Is(err, backend.ErrOlder) {
					continue
				}
				s.Must(err)
				w.TS = stamps[0]
				lines = append(lines, string(w.Envelope.Line()))
			}
			said, want = s.said(tx), s.recount(lines...)
			return nil
		}))
	if said != want {
		s.fatalf("within an update it says\n%swant\n%s", said, want)
	}
}

// rewrite replaces a file as somebody else does.
func (s *sized) rewrite(name string, fn func(lines []string) []string) {
	text, err := os.ReadFile(s.File(name))
	if errors.Is(err, os.ErrNotExist) || len(text) == 0 {
		return
	}
	s.Must(err)
	lines := fn(linesOf(text))
	// Another inode: where somebody rewrites a log in place, to the same length and with the same
	// last line, nothing tells.
	s.Must(os.WriteFile(s.File("rewritten"), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	s.Must(os.Rename(s.File("rewritten"), s.File(name)))
}

func linesOf(text []byte) []string {
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// respell writes a canonical line in another layout, which its checksum allows.
func (s *sized) respell(line string) string {
	return []string{
		line + "\r", " " + line, strings.Replace(line, `"key":"/`, `"key":"\/`, 1),
		strings.Replace(line, `"ts":`, `"ts" :`, 1),
	}[s.draw("layout", 3)]
}

var sizedSteps = []struct {
	name string
	do   func(*sized)
}{
	{"a write", func(s *sized) { s.write(false) }},
	{"an import", func(s *sized) { s.write(true) }},
	{"a compaction", func(s *sized) { s.Compact(storetest.KeepLog) }},
	{"a rotation", func(s *sized) {
		s.Now = s.Now.Add(time.Second)
		s.Compact(storetest.RotateLog)
	}},
	{"a compaction in passes", func(s *sized) {
		job := s.Job(storetest.KeepLog)
		job.PassBytes = 300
		_, err := job.Run()
		s.Must(err)
	}},
	{"the loss of cache/", func(s *sized) { s.Must(os.RemoveAll(s.File("cache"))) }},
	{"the end of a process", func(s *sized) {
		i := s.draw("store", 1)
		s.Must(s.stores[i].Close())
		s.open(i)
	}},
	{"a purge", func(s *sized) {
		_, err := s.stores[s.draw("store", 1)].Erase(context.Background(), backend.Caller{},
			backend.Erasure{Keys: []keypath.Key{keypath.MustParse(s.key())},
				Source: []byte(`{"purged":true}`), Forget: s.draw("forget", 1) == 1})
		s.Must(err)
	}},
	{"a merge", func(s *sized) {
		s.rewrite("log.jsonl", func(lines []string) []string {
			names, err := filepath.Glob(s.File("archive/*.jsonl"))
			s.Must(err)
			for _, name := range names[:min(len(names), s.draw("archives", 2))] {
				text, err := os.ReadFile(name)
				s.Must(err)
				lines = append(lines, linesOf(text)...)
			}
			slices.Sort(lines)
			return slices.Compact(lines)
		})
	}},
	{"another layout", func(s *sized) {
		s.rewrite("log.jsonl", func(lines []string) []string {
			at := s.draw("line", len(lines)-1)
			lines[at] = s.respell(lines[at])
			return lines
		})
	}},
	{"a flipped bit in the sidecar", func(s *sized) {
		text, err := os.ReadFile(s.File("cache/sizes"))
		if err == nil && len(text) > 0 {
			text[s.draw("byte", len(text)-1)] ^= 4
			s.Must(os.WriteFile(s.File("cache/sizes"), text, 0o600))
		}
	}},
	{"a sidecar that is cut", func(s *sized) {
		if fi, err := os.Stat(s.File("cache/sizes")); err == nil {
			s.Must(os.Truncate(s.File("cache/sizes"), int64(s.draw("bytes", int(fi.Size())))))
		}
	}},
	{"the sidecar of another time", func(s *sized) {
		text, err := os.ReadFile(s.File("cache/sizes"))
		if err == nil {
			s.write(false)
			s.Compact(storetest.KeepLog)
			s.Must(os.WriteFile(s.File("cache/sizes"), text, 0o600))
		}
	}},
}

// Whatever is done to a store, its sizes are those of a recount of every line there is.
func TestSizesAreThoseOfARecount(t *testing.T) {
	steps := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := newSized(t, rt.Fatalf)
		s.draw = func(what string, most int) int { return rapid.IntRange(0, most).Draw(rt, what) }
		s.Dirty = true // where it fails
		for range rapid.IntRange(3, 14).Draw(rt, "steps") {
			step := sizedSteps[s.draw("step", len(sizedSteps)-1)]
			rt.Log(step.name)
			step.do(s)
			s.same(step.name)
			steps++
		}
		s.Repair()
		s.same("a repair")
		if found := s.Check(); len(found) > 0 {
			rt.Errorf("in the end: %v", found)
		}
	})
	if t.Logf("%d steps", steps); steps < testkit.Extent(120, 500, 500) {
		t.Error("that is too little")
	}
}

// A line that is damaged counts by what it shows, at its place and with its length.
func TestSizesOfDamagedLines(t *testing.T) {
	s := newSized(t, t.Fatalf)
	s.Dirty = true // a damaged line is a finding
	s.Set("/session/a/x", `"12345"`, "/session/a/y", `"67890"`, "/session/b/x", "1")
	s.same("writes")
	for _, change := range [][2]string{{"12345", "12x45"}, {`"67890"`, `"67890`}, {`:1,`, `::`}} {
		s.rewrite("log.jsonl", func(lines []string) []string {
			for i, line := range lines {
				lines[i] = strings.Replace(line, change[0], change[1], 1)
			}
			return lines
		})
		s.same(change[1])
		s.Compact(storetest.RotateLog)
		s.same("a rotation of it")
		s.Set("/session/b/x", "2")
		s.same("a write after it")
	}
}

// A view that is kept still shows what it did where somebody has put the lines of its log in
// another order: it does not ask where they stand.
func TestSizesOfLinesInAnotherOrder(t *testing.T) {
	s := newSized(t, t.Fatalf)
	s.Set("/session/a/x", `"longer than the next one"`)
	s.Compact(storetest.KeepLog)
	s.Set("/session/a/y", "1", "/session/b/x", "2")
	s.same("writes")
	text, err := os.ReadFile(s.File("log.jsonl"))
	s.Must(err)
	lines := linesOf(text)
	lines[0], lines[1] = lines[1], lines[0]
	s.Must(os.WriteFile(s.File("log.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	s.same("it")
	s.Repair()
	s.same("a repair")
}

// With a sidecar no archive is read, and of the log nothing before the checkpoint.
func TestSizesReadNoHistory(t *testing.T) {
	s := newSized(t, t.Fatalf)
	s.Set("/session/a/x", `"12345"`, "/session/b/x", "1")
	s.Compact(storetest.RotateLog)
	s.Set("/session/a/x", "null", "/session/a/y", "1")
	s.Compact(storetest.KeepLog)
	s.Set("/session/a/z", "1")
	want := s.recount()
	fresh, err := filestore.Open(s.Path, filestore.Options{Now: func() time.Time { return s.Now }})
	s.Must(err)
	defer fresh.Close()
	opened := func(fn func()) (list string) {
		disk.SetHook(func(op disk.Op, path string) error {
			if op == disk.OpOpen && strings.Contains(path, "archive/") {
				list += path
			}
			return nil
		})
		defer disk.SetHook(nil)
		fn()
		return list
	}
	if list := opened(func() {
		s.Must(fresh.Update(context.Background(), backend.Caller{}, "test",
			func(tx backend.Tx) error {
				if got := s.said(tx); got != want {
					t.Errorf("got\n%swant\n%s", got, want)
				}
				return nil
			}))
		snap, err := fresh.Snapshot(context.Background())
		s.Must(err)
		defer snap.Close()
		if got := s.said(snap); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}); list != "" {
		t.Errorf("opened %s", list)
	}
	s.Must(os.Remove(s.File("cache/sizes")))
	if list := opened(func() { s.same("the loss of the sidecar") }); list == "" {
		t.Error("no archive was opened, and there is no sidecar")
	}
}

// A purge without tombstones leaves no trace of its key, though it makes a state on its way: that
// keeps the number of a note.
func TestNoSizeOfWhatWasForgotten(t *testing.T) {
	s := newSized(t, t.Fatalf)
	key := keypath.MustParse("/session/a/x")
	s.Set(key.String(), `"12345"`, "/session/a/y", "1", "/note/user/u-1", "1")
	_, err := s.stores[0].Erase(context.Background(), backend.Caller{}, backend.Erasure{
		Keys:   []keypath.Key{key, keypath.MustParse("/note/user/u-1")},
		Source: []byte(`{"purged":true}`), Forget: true})
	s.Must(err)
	sum := sha256.Sum256([]byte(key.String()))
	text, err := os.ReadFile(s.File("cache/sizes"))
	if !errors.Is(err, os.ErrNotExist) {
		s.Must(err)
	}
	if bytes.Contains(text, sum[:8]) {
		t.Error("its hash is left")
	}
	s.same("a purge")
	s.Set(key.String(), "1")
	s.Compact(storetest.KeepLog)
	text, err = os.ReadFile(s.File("cache/sizes"))
	if err != nil || !bytes.Contains(text, sum[:8]) {
		t.Errorf("a key that is there has no row: %v", err)
	}
}
