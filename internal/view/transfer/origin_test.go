package transfer_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
)

// takesFile writes a file and imports it.
func (f *fixture) takesFile(path, text string) transfer.ImportReport {
	f.T.Helper()
	f.Must(os.MkdirAll(filepath.Dir(path), 0o700))
	f.Must(os.WriteFile(path, []byte(text), 0o600))
	rep, err := f.imports(transfer.Incoming{Path: path}, transfer.ImportOptions{KeepGoing: true})
	if len(rep.Renamed) > 0 || err == nil {
		return rep
	}
	rep.Refused++
	return rep
}

// A key proves nothing in any format: the memory of another file is a new one. The same file,
// edited since, changes what it has brought, and nothing that was changed here.
func TestImportFromAnotherFile(t *testing.T) { onEach(t, testImportFromAnotherFile) }

func testImportFromAnotherFile(t *testing.T, f *fixture) {
	for _, one := range []struct{ key, name, text string }{
		{"/project/db", "lines.jsonl", `{"key":"/project/db","content":{"text":"%s"}}`},
		{"/graph/entity/Ada", "graph.jsonl",
			`{"type":"entity","name":"Ada","entityType":"x","observations":["%s"]}`},
		{"/engram/project/5", "engram.json",
			`{"version":"1","exported_at":"x","observations":[{"id":5,"content":"%s"}]}`},
		{"/claude/x", "x.md", "%s\n"},
		{"/user/x", "head.md", "---\nmem: {\"key\":\"/user/x\"}\n---\n\n%s\n"},
	} {
		f.Put(one.key, `{"text":"mine"}`)
		dir := storetest.Dir(t)
		for i, step := range []struct{ dir, text, moved, free string }{
			{"a", "theirs", one.key + "~2", ""},
			{"a", "edited", "", ""},
			{"b", "another", one.key + "~3", ""},
			{"b", "edited", "", ""}, // as the first says
			{"a", "edited", "", ""},
		} {
			path := filepath.Join(dir, step.dir, one.name)
			rep := f.takesFile(path, fmt.Sprintf(one.text, step.text))
			moved := ""
			for _, r := range rep.Renamed {
				moved = r.To.String()
			}
			if moved != step.moved || rep.Refused > 0 {
				t.Errorf("%s, step %d: %+v", one.name, i, rep)
			}
		}
		all := f.All()
		if !strings.Contains(all[one.key], "mine") ||
			!strings.Contains(all[one.key+"~2"], "edited") {
			t.Errorf("%s: %v", one.name, all)
		}
	}
}

// A relative path is that of the directory at the time of the import.
func TestImportOfAFileOfOneName(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		dir := storetest.Dir(t)
		for _, name := range []string{"a", "b", "a"} {
			f.Must(os.MkdirAll(filepath.Join(dir, name), 0o700))
			t.Chdir(filepath.Join(dir, name))
			f.takesFile("m.jsonl", `{"key":"/n","content":"`+name+`"}`)
		}
		if f.Content("/n") != `"a"` || f.Content("/n~2") != `"b"` {
			t.Errorf("%v", f.All())
		}
	})
}

// A topic that was exported names its version: what another program makes of it is a change of that
// memory, and what became of the memory here since is later than a file that nobody touched.
func TestTopicComesHome(t *testing.T) { onEach(t, testTopicComesHome) }

func testTopicComesHome(t *testing.T, f *fixture) {
	f.has(line("/note/workspace/m-1", `{"text":"port 8080"}`, byUser, "2026-02-22T01:00:00Z"))
	for _, key := range []string{"/plain/edited", "/plain/newer", "/plain/gone", "/plain/both"} {
		f.Put(key, `{"text":"first"}`)
	}
	folder := filepath.Join(t.TempDir(), "out")
	_, err := f.export(nil, transfer.ExportOptions{Format: foreign.ClaudeMemory, Out: folder})
	f.Must(err)
	names, err := filepath.Glob(filepath.Join(folder, "*.md"))
	f.Must(err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		f.Must(err)
		text = bytes.Replace(text, []byte("8080"), []byte("9090"), 1)
		if bytes.Contains(text, []byte("/plain/edited")) ||
			bytes.Contains(text, []byte("/plain/both")) {
			text = bytes.Replace(text, []byte("\nfirst"), []byte("\nsecond"), 1)
		}
		f.Must(os.WriteFile(name, text, 0o600))
	}
	f.Put("/plain/newer", `{"text":"here"}`)
	f.Put("/plain/both", `{"text":"here"}`)
	_, _, err = f.Delete(ctx, mem.Caller{}, []keypath.Key{testKey("/plain/gone")}, nil)
	f.Must(err)
	in := transfer.Incoming{Path: folder}
	rep, err := f.imports(in, transfer.ImportOptions{})
	f.Must(err)
	for key, want := range map[string]string{"/note/workspace/m-1": "9090",
		"/plain/edited": "second", "/plain/newer": "here", "/plain/both": "second"} {
		if all := f.All(); len(all) != 4 || !strings.Contains(all[key], want) {
			t.Errorf("%s: %v", key, all)
		}
	}
	if rep.Changed != 3 || rep.Stale != 2 ||
		!slices.Equal(rep.Conflicts, []keypath.Key{testKey("/plain/both")}) {
		t.Errorf("%+v", rep)
	}
	if rep, err := f.imports(in, transfer.ImportOptions{}); err != nil || rep.New+rep.Changed > 0 {
		t.Errorf("again: %+v %v", rep, err)
	}
	f.Put("/plain/edited", `{"text":"after the import"}`)
	_, _, err = f.Delete(ctx, mem.Caller{}, []keypath.Key{testKey("/plain/both")}, nil)
	f.Must(err)
	if rep, err := f.imports(in, transfer.ImportOptions{}); err != nil || rep.Stale != 4 ||
		rep.New+rep.Changed+len(rep.Conflicts) > 0 {
		t.Errorf("after a change here: %+v %v", rep, err)
	}
	// Elsewhere the version is unknown, and the key proves nothing.
	other := f.another(t)
	other.Put("/plain/edited", `{"text":"of the other machine"}`)
	rep, _ = other.imports(in, transfer.ImportOptions{KeepGoing: true})
	if !strings.Contains(other.Content("/plain/edited"), "machine") || rep.Changed > 0 ||
		!strings.Contains(other.Content("/plain/edited~2"), "second") {
		t.Errorf("elsewhere: %+v %v", rep, other.All())
	}
}

// A number that a purge has freed says nothing of the note that another machine has under it.
func TestImportOfAPurgedNumber(t *testing.T) { onEach(t, testImportOfAPurgedNumber) }

func testImportOfAPurgedNumber(t *testing.T, home *fixture) {
	away, claim := home.another(t), transfer.ImportOptions{}
	key := testKey("/note/workspace/m-1")
	home.has(line(key.String(), `{"text":"to purge"}`, byUser, "2026-02-22T01:00:00Z"))
	away.has(line(key.String(), `{"text":"of the other machine"}`, byUser, "2026-02-22T01:01:00Z"))
	home.Put("/plain/a", `"gone"`)
	old := home.backup()
	_, err := home.Store.Store.Purge(ctx, mem.Caller{},
		mem.PurgeOptions{Keys: []keypath.Key{key, testKey("/plain/a")}})
	home.Must(err)
	for range 2 {
		home.restores(away.backup(), claim)
		if all := home.All(); len(all) != 1 ||
			!strings.Contains(all["/note/workspace/m-2"], "other machine") {
			t.Errorf("%v", all)
		}
	}
	if rep := home.restores(old, claim); rep.Purged != 2 || len(home.All()) != 1 {
		t.Errorf("%+v: %v", rep, home.All())
	}
}

// Memories that refer to others have other references on another machine, and are the same.
func TestArchiveOfReferencesComesHome(t *testing.T) { onEach(t, testArchiveOfReferencesComesHome) }

func testArchiveOfReferencesComesHome(t *testing.T, home *fixture) {
	away, claim := home.another(t), transfer.ImportOptions{}
	home.has(line("/note/workspace/m-1", `{"text":"a"}`, byUser, "2026-02-22T01:00:00Z"),
		line("/note/workspace/m-1", `{"text":"a","superseded_by":"/note/workspace/m-2"}`, byUser,
			"2026-02-22T01:00:01Z"),
		line("/note/workspace/m-2", `{"text":"b"}`, byUser, "2026-02-22T01:00:02Z"),
		line("/plain/a", `{"text":"x"}`, byUser, "2026-02-22T01:00:03Z"),
		line("/plain/b", `{"references":["/note/workspace/m-1","/plain/a"]}`, byUser,
			"2026-02-22T01:00:04Z"))
	for i, key := range []string{"/note/workspace/m-1", "/note/workspace/m-2", "/plain/a",
		"/plain/b"} {
		away.has(line(key, fmt.Sprintf(`{"text":"away %d"}`, i), byUser,
			fmt.Sprintf("2026-02-22T02:00:0%dZ", i)))
	}
	want := home.All()
	away.restores(home.backup(), claim)
	if got := away.Content("/plain/b~2"); got !=
		`{"references":["/note/workspace/m-3","/plain/a~2"]}` {
		t.Fatalf("away: %s", got)
	}
	var alone bytes.Buffer // its references are to memories that are not in the file
	prefix, err := keypath.ParsePrefix("/plain/b~2")
	away.Must(err)
	_, err = away.export(&alone, transfer.ExportOptions{Prefix: prefix})
	away.Must(err)
	home.takes("alone", alone.String(), claim, transfer.ImportReport{Unchanged: 1})
	for i := range 2 {
		if rep := home.restores(away.backup(), claim); rep.New != 4*(1-i) || rep.Changed != 0 {
			t.Errorf("%+v", rep)
		}
		away.restores(home.backup(), claim)
	}
	for key, text := range want {
		if got := home.Content(key); got != text {
			t.Errorf("%s: %s, want %s", key, got, text)
		}
	}
	if len(home.All()) != 8 || len(away.All()) != 8 {
		t.Errorf("%v and %v", home.All(), away.All())
	}
}
