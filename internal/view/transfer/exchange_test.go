package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

var ctx = context.Background()

// madeUp is a token that never was one, put together so that no scanner takes this file for a leak.
const madeUp = "gh" + "p_" + "0a1B2c3D4e5F6g7H8i9J0kAlBmCnDoEpFqGr"

// fixture is a store under test with what is asked of imports and exports.
type fixture struct{ *storetest.Store }

// onEach runs a test on a store of files and on one in memory.
func onEach(t *testing.T, test func(*testing.T, *fixture)) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) { test(t, &fixture{s}) })
}

// another returns an empty store of the same kind.
func (f *fixture) another(t *testing.T) *fixture {
	kind := storetest.Files
	if f.Root == "" {
		kind = storetest.Memory
	}
	return &fixture{storetest.NewStore(t, kind)}
}

// nowhere checks that nothing that the store holds tells the secret, or what one would still know
// it by.
func (f *fixture) nowhere(what string) {
	f.T.Helper()
	journal, err := f.Journal("ops.jsonl").Read(1 << 20)
	f.Must(err)
	if strings.Contains(f.Logged()+string(journal), madeUp[4:20]) {
		f.T.Errorf("%s: the store tells the secret", what)
	}
}

func (f *fixture) imports(
	from transfer.Incoming, o transfer.ImportOptions,
) (transfer.ImportReport, error) {
	return transfer.Import(ctx, f.Store.Store, mem.Caller{}, from, o)
}

func (f *fixture) export(w io.Writer, o transfer.ExportOptions) (transfer.ExportReport, error) {
	return transfer.Export(ctx, f.Store.Store, mem.Caller{}, w, o)
}

// takes imports a text and checks what the report says.
func (f *fixture) takes(what, text string, o transfer.ImportOptions, want transfer.ImportReport) {
	f.T.Helper()
	rep, err := f.imports(transfer.Incoming{Stream: strings.NewReader(text)}, o)
	if err != nil || !reflect.DeepEqual(rep, want) {
		f.T.Errorf("%s: %+v (%v), want %+v", what, rep, err, want)
	}
}

// exports returns what an export writes.
func (f *fixture) exports(format foreign.Format) string {
	f.T.Helper()
	var out bytes.Buffer
	_, err := f.export(&out, transfer.ExportOptions{Format: format})
	f.Must(err)
	return out.String()
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
func TestImportOfExportIsTheIdentity(t *testing.T) { onEach(t, testImportOfExportIsTheIdentity) }

func testImportOfExportIsTheIdentity(t *testing.T, f *fixture) {
	texts := rapid.SampledFrom([]string{
		`"a"`,
		`7`,
		`[1]`,
		`{}`,
		`{"text":"one\n---\ntwo\n"}`,
		`{"type":"x","summary":"a: b","importance":3,"tags":["t"]}`,
		`{"text":"","title":"牙科"}`,
		`{"type":"entity","name":"a/b","entity_type":"","observations":["x"]}`,
	})
	keys := rapid.SampledFrom([]string{
		"/a",
		"/A",
		"/claude/a",
		"/claude/MEMORY",
		"/claude/b/c",
		"/用户/牙科",
		"/a/b",
		"/graph/entity/x",
	})
	rapid.Check(t, func(rt *rapid.T) {
		from, to, folder := f.another(t), f.another(t), filepath.Join(storetest.Dir(t), "out")
		for range rapid.IntRange(0, 6).Draw(rt, "memories") {
			from.Put(keys.Draw(rt, "key"), texts.Draw(rt, "content"))
		}
		want := from.All()
		n := len(want)
		lines := from.exports(foreign.JSONL)
		mine := transfer.ImportOptions{Mine: true}
		to.takes("envelopes", lines, mine, transfer.ImportReport{New: n})
		to.takes("again", lines, mine, transfer.ImportReport{Unchanged: n})
		to.takes("as a claim", lines, transfer.ImportOptions{}, transfer.ImportReport{Unchanged: n})
		if got := to.exports(foreign.JSONL); got != lines {
			rt.Fatalf("came back as\n%swant\n%s", got, lines)
		}
		third := f.another(t)
		_, err := from.export(
			nil,
			transfer.ExportOptions{Format: foreign.ClaudeMemory, Out: folder},
		)
		from.Must(err)
		for what, wanted := range map[*fixture]transfer.ImportReport{
			third: {New: n}, from: {Unchanged: n},
		} {
			rep, err := what.imports(transfer.Incoming{Path: folder}, transfer.ImportOptions{})
			if err != nil || !reflect.DeepEqual(rep, wanted) {
				rt.Fatalf("folder: %+v (%v), want %+v", rep, err, wanted)
			}
		}
		if err := sameMemories(want, third.All()); err != nil {
			rt.Fatal(err)
		}
	})
}

// A big import goes in groups and comes with progress; the second time nothing is written.
func TestImportInGroups(t *testing.T) { onEach(t, testImportInGroups) }

func testImportInGroups(t *testing.T, f *fixture) {
	var told []string
	f.Progress = func(what string, done, total int) {
		told = append(told, fmt.Sprintf("%s %d/%d", what, done, total))
	}
	f.Open()
	var graph strings.Builder
	for i := range 8 {
		fmt.Fprintf(
			&graph,
			`{"type":"entity","name":"n%d","entityType":"t","observations":["%s"]}`+"\n",
			i,
			strings.Repeat("word ", 140_000),
		)
	}
	rep, err := f.imports(
		transfer.Incoming{Stream: strings.NewReader(graph.String())},
		transfer.ImportOptions{},
	)
	if err != nil || rep.New != 8 {
		t.Errorf("%+v %v", rep, err)
	}
	if got := fmt.Sprint(told); got != "[import 5/8 import 8/8]" {
		t.Errorf("progress: %s", got)
	}
	before := f.Logged()
	f.takes("again", graph.String(), transfer.ImportOptions{}, transfer.ImportReport{Unchanged: 8})
	if f.Logged() != before {
		t.Error("a second import wrote something")
	}
}

// What each key holds is found in one pass, not by a look at the log for each key that is new.
func TestImportReadsTheLogOnce(t *testing.T) {
	f := &fixture{storetest.NewStore(t, storetest.Files)}
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
	f.takes(
		"again",
		lines.String(),
		transfer.ImportOptions{},
		transfer.ImportReport{Unchanged: 10_050},
	)
	if reads.Load() > 200 {
		t.Errorf("%d reads of the log", reads.Load())
	}
}

// What an import says it would do is what it does, and until then nothing is there.
func TestDryRun(t *testing.T) { onEach(t, testDryRun) }

func testDryRun(t *testing.T, f *fixture) {
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
	if f.Made() {
		t.Error("a dry run made the store")
	}
	f.Put("/a", "1")
	before := f.Logged()
	want.Renamed = []transfer.Renamed{{From: testKey("/a"), To: testKey("/a~2")}}
	f.takes("dry", text, o, want)
	if f.Logged() != before {
		t.Error("a dry run wrote")
	}
	o.DryRun, want.DryRun = false, false
	f.takes("wet", text, o, want)
	f.takes("again", text, o, transfer.ImportReport{Unchanged: 4, Stale: 2})
	if f.Content("/a") != "1" || f.Content("/a~2") != "2" || f.Content("/old") != "1" ||
		f.Content("/untrusted/kb/x") != "1" {
		t.Errorf("holds %s", f.All())
	}
}

// Everything is checked before anything is written, a file's name and line told, and a secret
// never.
func TestImportChecksEverythingFirst(t *testing.T) { onEach(t, testImportChecksEverythingFirst) }

func testImportChecksEverythingFirst(t *testing.T, f *fixture) {
	f.Put("/a", "1")
	before := f.Logged()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain.jsonl":         `{"key":"/b","content":2}` + "\n" + `{"key":"/c","content":"` + madeUp + `"}`,
		"graph.jsonl":         `{"type":"entity","name":"x","observations":[]}` + "\n" + `{"type":"entity","name":"y","observations":["` + madeUp + `"]}`,
		"folder/a.md":         "fine\n",
		"folder/b.md":         "use " + madeUp + "\n",
		madeUp + "/notes.md":  "kept\n",
		"c/" + madeUp + ".md": "fine\n",
	} {
		f.Must(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		f.Must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for from, place := range map[string]string{
		"plain.jsonl": "plain.jsonl:2: ", "graph.jsonl": "graph.jsonl:2: ", "folder": "b.md: ",
		"c": "c/" + madeUp + ".md: ",
	} {
		rep, err := f.imports(
			transfer.Incoming{Path: filepath.Join(dir, from)},
			transfer.ImportOptions{},
		)
		if !errors.Is(err, policy.ErrSecret) || !strings.Contains(err.Error(), place) ||
			rep.Refused != 1 {
			t.Errorf("%s: %+v %v", from, rep, err)
		}
		if from != "c" && strings.Contains(err.Error(), madeUp[4:]) {
			t.Errorf("%s tells the secret: %v", from, err)
		}
	}
	if f.Logged() != before {
		t.Error("something was written")
	}
	// Of a path only so much is kept as is no secret.
	secret := transfer.Incoming{Path: filepath.Join(dir, madeUp)}
	if rep, err := f.imports(secret, transfer.ImportOptions{}); err != nil ||
		rep.New != 1 {
		t.Errorf("a folder that looks like a secret: %+v %v", rep, err)
	}
	f.nowhere("refused imports")
	rep, err := f.imports(
		transfer.Incoming{Path: filepath.Join(dir, "folder")},
		transfer.ImportOptions{AllowSecrets: []string{"github-pat"}},
	)
	if err != nil || rep.New != 2 {
		t.Errorf("allowed: %+v %v", rep, err)
	}
}

// An expired memory that says the same is not written anew with each import.
func TestImportOfWhatIsExpired(t *testing.T) { onEach(t, testImportOfWhatIsExpired) }

func testImportOfWhatIsExpired(t *testing.T, f *fixture) {
	line := `{"key":"/a","content":{"text":"x","expired_at":"2026-02-22T11:00:00Z"}}`
	f.takes("first", line, transfer.ImportOptions{}, transfer.ImportReport{New: 1})
	f.takes("again", line, transfer.ImportOptions{}, transfer.ImportReport{Unchanged: 1})
	if text := f.exports(foreign.JSONL); text != "" {
		t.Errorf("exported %s", text)
	}
}
