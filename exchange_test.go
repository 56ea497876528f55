package mem_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/transfer"
	"pgregory.net/rapid"
)

// takes imports a text and checks what the report says.
func (f *fixture) takes(what, text string, o transfer.ImportOptions, want transfer.ImportReport) {
	f.t.Helper()
	rep, err := transfer.Import(ctx, f.Store, mem.Caller{}, transfer.Incoming{Stream: strings.NewReader(text)}, o)
	if err != nil || rep != want {
		f.t.Errorf("%s: %+v (%v), want %+v", what, rep, err, want)
	}
}

// exports gives what an export writes.
func (f *fixture) exports(format transfer.Format) string {
	f.t.Helper()
	var out bytes.Buffer
	_, err := transfer.Export(ctx, f.Store, mem.Caller{}, &out, transfer.ExportOptions{Format: format})
	f.must(err)
	return out.String()
}

// all gives the live memories as key and content, sorted by key.
func (f *fixture) all() map[string]string {
	f.t.Helper()
	held := map[string]string{}
	f.must(f.List(ctx, mem.Caller{}, mem.Filter{}, func(r log.Record) error { held[r.Key.String()] = string(r.Content); return nil }))
	return held
}

func sameMemories(a, b map[string]string) error {
	for key, content := range a {
		if !jsontext.Equal([]byte(content), []byte(b[key])) {
			return fmt.Errorf("%s: %s and %s", key, content, b[key])
		}
	}
	if len(a) != len(b) {
		return fmt.Errorf("%d and %d memories", len(a), len(b))
	}
	return nil
}

// A store goes through every format that holds all of it and comes out the same; a second time
// nothing is new.
func TestImportOfExportIsTheIdentity(t *testing.T) {
	t.Parallel()
	texts := rapid.SampledFrom([]string{`"a"`, `7`, `[1]`, `{}`, `{"text":"one\n---\ntwo\n"}`, `{"type":"x","summary":"a: b","importance":3,"tags":["t"]}`, `{"text":"","title":"牙科"}`, `{"type":"entity","name":"a/b","entity_type":"","observations":["x"]}`})
	keys := rapid.SampledFrom([]string{"/a", "/A", "/claude/a", "/claude/MEMORY", "/claude/b/c", "/用户/牙科", "/a/b", "/graph/entity/x"})
	rapid.Check(t, func(rt *rapid.T) {
		from, to, folder := newStore(t), newStore(t), filepath.Join(quickDir(t), "out")
		for range rapid.IntRange(0, 6).Draw(rt, "memories") {
			from.put(keys.Draw(rt, "key"), texts.Draw(rt, "content"))
		}
		want := from.all()
		n := len(want)
		lines := from.exports(transfer.JSONL)
		to.takes("envelopes", lines, transfer.ImportOptions{}, transfer.ImportReport{New: n})
		to.takes("again", lines, transfer.ImportOptions{}, transfer.ImportReport{Unchanged: n})
		if got := to.exports(transfer.JSONL); got != lines {
			rt.Fatalf("came back as\n%swant\n%s", got, lines)
		}
		third := newStore(t)
		_, err := transfer.Export(ctx, from.Store, mem.Caller{}, nil, transfer.ExportOptions{Format: transfer.ClaudeMemory, Out: folder})
		from.must(err)
		for what, wanted := range map[*fixture]transfer.ImportReport{third: {New: n}, from: {Unchanged: n}} {
			rep, err := transfer.Import(ctx, what.Store, mem.Caller{}, transfer.Incoming{Path: folder}, transfer.ImportOptions{})
			if err != nil || rep != wanted {
				rt.Fatalf("folder: %+v (%v), want %+v", rep, err, wanted)
			}
		}
		if err := sameMemories(want, third.all()); err != nil {
			rt.Fatal(err)
		}
	})
}

// A big import goes in groups and comes with progress; the second time nothing is written.
func TestImportInGroups(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	var told []string
	s, err := mem.Open(f.root, mem.Options{
		Now:      func() time.Time { return f.now },
		Progress: func(what string, done, total int) { told = append(told, fmt.Sprintf("%s %d/%d", what, done, total)) },
	})
	f.must(err)
	defer s.Close()
	var graph strings.Builder
	for i := range 8 {
		fmt.Fprintf(&graph, `{"type":"entity","name":"n%d","entityType":"t","observations":["%s"]}`+"\n", i, strings.Repeat("word ", 140_000))
	}
	rep, err := transfer.Import(ctx, s, mem.Caller{}, transfer.Incoming{Stream: strings.NewReader(graph.String())}, transfer.ImportOptions{})
	if err != nil || rep.New != 8 {
		t.Errorf("%+v %v", rep, err)
	}
	if got := fmt.Sprint(told); got != "[import 5/8 import 8/8]" {
		t.Errorf("progress: %s", got)
	}
	before := f.logged()
	f.takes("again", graph.String(), transfer.ImportOptions{}, transfer.ImportReport{Unchanged: 8})
	if f.logged() != before {
		t.Error("a second import wrote something")
	}
}

// What each key holds is found in one pass, not by a look at the log for each key that is new.
func TestImportReadsTheLogOnce(t *testing.T) {
	f := newStore(t)
	var lines strings.Builder
	for i := range 10_050 {
		fmt.Fprintf(&lines, `{"key":"/n/%d","content":%d}`+"\n", i, i)
	}
	var reads atomic.Int64
	disk.SetHook(func(op disk.Op, path string) error {
		if op == disk.OpRead && filepath.Base(path) == log.File {
			reads.Add(1)
		}
		return nil
	})
	defer disk.SetHook(nil)
	f.takes("first", lines.String(), transfer.ImportOptions{}, transfer.ImportReport{New: 10_050})
	f.takes("again", lines.String(), transfer.ImportOptions{}, transfer.ImportReport{Unchanged: 10_050})
	if reads.Load() > 200 {
		t.Errorf("%d reads of the log", reads.Load())
	}
}

// What an import says it would do is what it does, and until then nothing is there.
func TestDryRun(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	text := `{"key":"/a","content":1}
{"key":"/a","content":2}
{"key":"/old","content":1,"ts":"2026-02-20T10:00:00Z"}
{"key":"/old","content":2,"ts":"2026-02-19T10:00:00Z"}
{"key":"/gone","content":null,"source":"s"}
{"key":"/kb/x","content":1,"source":"s"}
`
	o := transfer.ImportOptions{DryRun: true, Quarantine: true}
	want := transfer.ImportReport{New: 3, Unchanged: 1, Stale: 2, Apart: 1, DryRun: true}
	f.takes("before there is a store", text, o, want)
	if _, err := os.Stat(f.root); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a dry run made the store: %v", err)
	}
	f.put("/a", "1")
	before := f.logged()
	want.New, want.Changed = 2, 1
	f.takes("dry", text, o, want)
	if f.logged() != before {
		t.Error("a dry run wrote")
	}
	o.DryRun, want.DryRun = false, false
	f.takes("wet", text, o, want)
	f.takes("again", text, o, transfer.ImportReport{Unchanged: 4, Stale: 2})
	if f.content("/a") != "2" || f.content("/old") != "1" || f.content("/untrusted/kb/x") != "1" {
		t.Errorf("holds %s", f.keys())
	}
}

// Everything is checked before anything is written, a file's name and line told, and a secret
// never.
func TestImportChecksEverythingFirst(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	f.put("/a", "1")
	before := f.logged()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain.jsonl":         `{"key":"/b","content":2}` + "\n" + `{"key":"/c","content":"` + madeUp + `"}`,
		"graph.jsonl":         `{"type":"entity","name":"x","observations":[]}` + "\n" + `{"type":"entity","name":"y","observations":["` + madeUp + `"]}`,
		"folder/a.md":         "fine\n",
		"folder/b.md":         "use " + madeUp + "\n",
		madeUp + "/notes.md":  "kept\n",
		"c/" + madeUp + ".md": "fine\n",
	} {
		f.must(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		f.must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for from, place := range map[string]string{"plain.jsonl": "plain.jsonl:2: ", "graph.jsonl": "graph.jsonl:2: ", "folder": "b.md: ", "c": "c/" + madeUp + ".md: "} {
		rep, err := transfer.Import(ctx, f.Store, mem.Caller{}, transfer.Incoming{Path: filepath.Join(dir, from)}, transfer.ImportOptions{})
		if !errors.Is(err, policy.ErrSecret) || !strings.Contains(err.Error(), place) || rep.Refused != 1 {
			t.Errorf("%s: %+v %v", from, rep, err)
		}
		if from != "c" && strings.Contains(err.Error(), madeUp[4:]) {
			t.Errorf("%s tells the secret: %v", from, err)
		}
	}
	if f.logged() != before {
		t.Error("something was written")
	}
	// Of a path only so much is kept as is no secret.
	if rep, err := transfer.Import(ctx, f.Store, mem.Caller{}, transfer.Incoming{Path: filepath.Join(dir, madeUp)}, transfer.ImportOptions{}); err != nil || rep.New != 1 {
		t.Errorf("a folder that looks like a secret: %+v %v", rep, err)
	}
	f.nowhere("refused imports")
	rep, err := transfer.Import(ctx, f.Store, mem.Caller{}, transfer.Incoming{Path: filepath.Join(dir, "folder")}, transfer.ImportOptions{AllowSecrets: letPass})
	if err != nil || rep.New != 2 {
		t.Errorf("allowed: %+v %v", rep, err)
	}
}

// An expired memory that says the same is not written anew with each import.
func TestImportOfWhatIsExpired(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	line := `{"key":"/a","content":{"text":"x","expired_at":"2026-02-22T11:00:00Z"}}`
	f.takes("first", line, transfer.ImportOptions{}, transfer.ImportReport{New: 1})
	f.takes("again", line, transfer.ImportOptions{}, transfer.ImportReport{Unchanged: 1})
	if text := f.exports(transfer.JSONL); text != "" {
		t.Errorf("exported %s", text)
	}
}

// An export that fails or is cut off at any call of the disk leaves whole files, and links that
// lead somewhere; the next one brings the folder to where it should be.
func TestExportIsNeverHalfWritten(t *testing.T) {
	f := newStore(t)
	f.put("/one", `{"text":"1"}`)
	f.put("/two", `{"text":"2"}`)
	folder := filepath.Join(quickDir(t), "out")
	export := func() error {
		_, err := transfer.Export(ctx, f.Store, mem.Caller{}, nil, transfer.ExportOptions{Format: transfer.ClaudeMemory, Out: folder})
		return err
	}
	f.must(export())
	old := files(f, folder)
	f.put("/two", `{"text":"changed"}`)
	f.put("/three", `{"text":"3"}`)
	_, _, err := f.Delete(ctx, mem.Caller{}, []keypath.Key{keypath.MustParse("/one")}, nil)
	f.must(err)
	f.must(export())
	want := files(f, folder)
	cuts := 0
	for n := 1; ; n++ {
		f.must(os.RemoveAll(folder))
		f.must(os.Mkdir(folder, 0o700))
		for name, text := range old {
			f.must(os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
		}
		if !f.cut(n, export) {
			break
		}
		cuts++
		f.whole(folder)
		f.must(export())
		if got := files(f, folder); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("cut at call %d, the next export gives %v, want %v", n, got, want)
		}
	}
	if cuts < 20 {
		t.Errorf("only %d calls of the disk", cuts)
	}
}

// cut runs do with every call of the disk from the n-th on failing, as after a kill; it reports
// whether there were so many.
func (f *fixture) cut(n int, do func() error) bool {
	var calls atomic.Int64
	disk.SetHook(func(disk.Op, string) error {
		if calls.Add(1) >= int64(n) {
			return errPulled
		}
		return nil
	})
	defer disk.SetHook(nil)
	_ = do()
	return calls.Load() >= int64(n)
}

var errPulled = errors.New("the plug was pulled")

// files gives the names and texts in a folder, strays left out.
func files(f *fixture, folder string) map[string]string {
	f.t.Helper()
	entries, err := os.ReadDir(folder)
	f.must(err)
	found := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		f.must(err)
		if !disk.IsTemp(e.Name()) {
			found[e.Name()] = string(text)
		}
	}
	return found
}

func (f *fixture) whole(folder string) {
	f.t.Helper()
	found := files(f, folder)
	for name, text := range found {
		_, untouched := transfer.OwnTopic([]byte(text))
		if name == transfer.IndexFile {
			untouched = transfer.OwnPage([]byte(text))
			for _, link := range strings.Split(text, "](")[1:] {
				to, _, _ := strings.Cut(link, ")")
				if found[to] == "" {
					f.t.Errorf("MEMORY.md links to %s, which is not there", to)
				}
			}
		}
		if !untouched {
			f.t.Errorf("%s is not whole: %q", name, text)
		}
	}
}
