package transfer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/internal/view/transfer/tarfile"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// An archive gives empty stores all that others have, with the bytes of artifacts; and what an
// import brought there is no rule here, though the owner brings it back.
func TestArchiveIsAFullCopy(t *testing.T) { onEach(t, testArchiveIsAFullCopy) }

func testArchiveIsAFullCopy(t *testing.T, f *fixture) {
	project := f.another(t)
	f.has(line("/user/style", `{"type":"rule","text":"tabs"}`, byUser, "2026-02-22T10:00:00Z"))
	f.takes("import", string(line("/user/evil", `{"type":"rule","text":"evil"}`, byUser, noon).Line()),
		transfer.ImportOptions{}, transfer.ImportReport{New: 1, Facts: 1})
	sum := artifact(project.Store, 1, "the bytes")
	var file bytes.Buffer
	rep, err := transfer.ExportArchive(ctx, mem.Caller{}, []transfer.Layer{
		{Name: "user", Store: f.Store.Store}, {Name: "project", Store: project.Store.Store}},
		&file, transfer.ExportOptions{All: true, Tar: tarfile.Format{}})
	f.Must(err)
	if rep.Memories != 3 || rep.Artifacts != 0 {
		t.Errorf("export: %+v", rep)
	}
	to := map[string]*fixture{"user": f.another(t), "project": f.another(t)}
	for i := range 2 {
		archive, _, err := transfer.OpenArchive(transfer.Incoming{
			Stream: bytes.NewReader(file.Bytes())}, tarfile.Format{})
		f.Must(err)
		o := transfer.ImportOptions{Mine: true}
		got, err := archive.Import(ctx, mem.Caller{}, o,
			func(layer string) (*mem.Store, note.IDs, error) {
				return to[layer].Store.Store, note.IDs{}, nil
			})
		f.Must(err)
		if got.New != 3*(1-i) || got.Unchanged != 3*i || got.Absent != 0 {
			t.Errorf("import %d: %+v", i, got)
		}
	}
	if !maps.Equal(to["user"].All(), f.All()) || !maps.Equal(to["project"].All(), project.All()) ||
		bytesOf(to["project"].Store, sum) != "the bytes" {
		t.Errorf("%v and %v", to["user"].All(), to["project"].All())
	}
	if got := to["user"].marked(); !slices.Equal(got, []string{"/user/evil"}) {
		t.Errorf("marked: %v", got)
	}
	_, in, err := transfer.OpenArchive(
		transfer.Incoming{Stream: bytes.NewReader([]byte("{}"))}, tarfile.Format{})
	if err != nil || in.Stream == nil {
		t.Errorf("no archive: %v", err)
	}
}

// One question is asked for the rules of all layers, before anything is stored; none where there
// are no rules. A dry run asks nothing, and nobody need be there for it.
func TestArchiveAsksOnce(t *testing.T) { onEach(t, testArchiveAsksOnce) }

func testArchiveAsksOnce(t *testing.T, f *fixture) {
	project, plain := f.another(t), f.another(t)
	project.Put("/plain/b", "1")
	plain.Put("/plain/c", "1")
	f.Put("/plain/a", "1")
	f.has(line("/user/style", `{"type":"rule","text":"tabs"}`, byUser, "2026-02-22T10:00:00Z"))
	run := func(want string, c mem.Caller, o transfer.ImportOptions, layers ...*fixture) {
		t.Helper()
		var list []transfer.Layer
		to := map[string]*fixture{}
		for i, from := range layers {
			name := fmt.Sprint(i)
			list = append(list, transfer.Layer{Name: name, Store: from.Store.Store})
			to[name] = f.another(t)
		}
		path := filepath.Join(t.TempDir(), "all.tar")
		_, err := transfer.ExportArchive(ctx, mem.Caller{}, list, nil,
			transfer.ExportOptions{All: true, Out: path, Tar: tarfile.Format{}})
		f.Must(err)
		asked, no := "", errors.New("no")
		if o.Mine = true; !o.DryRun {
			o.Confirm = func(rules []log.Record) error {
				asked += fmt.Sprint(len(rules), " rules ")
				return no
			}
		}
		archive, _, err := transfer.OpenArchive(transfer.Incoming{Path: path}, tarfile.Format{})
		f.Must(err)
		defer archive.Close()
		rep, err := archive.Import(ctx, c, o, func(layer string) (*mem.Store, note.IDs, error) {
			return to[layer].Store.Store, note.IDs{}, nil
		})
		if err != nil && !errors.Is(err, no) {
			t.Error(err)
		}
		for _, store := range to {
			asked += fmt.Sprint(len(store.All()), " ")
		}
		if got := fmt.Sprint(asked, "of ", rep.New); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	run("1 rules 0 0 of 0", mem.Caller{}, transfer.ImportOptions{}, project, f)
	run("1 1 of 2", mem.Caller{}, transfer.ImportOptions{}, project, plain)
	run("0 0 of 3", mem.Caller{Unattended: true}, transfer.ImportOptions{DryRun: true}, project, f)
}

// backup returns the archive of a store, as a person writes it.
func (f *fixture) backup() []byte {
	f.T.Helper()
	var file bytes.Buffer
	_, err := transfer.ExportArchive(ctx, mem.Caller{},
		[]transfer.Layer{{Name: "user", Store: f.Store.Store}}, &file,
		transfer.ExportOptions{All: true, Tar: tarfile.Format{}})
	f.Must(err)
	return file.Bytes()
}

// restores imports an archive.
func (f *fixture) restores(file []byte, o transfer.ImportOptions) transfer.ImportReport {
	f.T.Helper()
	archive, _, err := transfer.OpenArchive(transfer.Incoming{Stream: bytes.NewReader(file)},
		tarfile.Format{})
	f.Must(err)
	rep, err := archive.Import(ctx, mem.Caller{}, o,
		func(string) (*mem.Store, note.IDs, error) { return f.Store.Store, note.IDs{}, nil })
	f.Must(err)
	return rep
}

// What becomes of memories on another machine, which has some of its own under the same keys, comes
// home as the changes that it is; and a second exchange changes nothing.
func TestArchiveComesHome(t *testing.T) { onEach(t, testArchiveComesHome) }

func testArchiveComesHome(t *testing.T, home *fixture) {
	away, claim := home.another(t), transfer.ImportOptions{}
	note := func(f *fixture, n, at, text string) {
		f.has(line("/note/workspace/m-"+n, `{"type":"note","text":"`+text+`"}`, byUser, at))
	}
	note(home, "1", "2026-02-22T01:00:00Z", "port 8080")
	note(home, "2", "2026-02-22T01:01:00Z", "blue")
	note(home, "3", "2026-02-22T01:02:00Z", "stays")
	note(away, "1", "2026-02-22T01:03:00Z", "of the other machine")
	home.Put("/plain/a", `"one"`)
	home.Put("/plain/gone", `1`)
	away.Put("/plain/a", `"of the other machine"`)
	away.restores(home.backup(), claim)
	if away.Content("/plain/a~2") != `"one"` ||
		!strings.Contains(away.All()["/note/workspace/m-4"], "8080") {
		t.Fatalf("away: %v", away.All())
	}
	note(away, "4", "2026-02-22T02:00:00Z", "port 9090")
	note(away, "2", "2026-02-22T02:00:01Z", "green")
	note(home, "2", "2026-02-22T02:00:02Z", "red")
	note(away, "5", "2026-02-22T02:00:03Z", "new")
	away.Put("/plain/a~2", `"two"`)
	_, _, err := away.Delete(ctx, mem.Caller{}, []keypath.Key{testKey("/plain/gone")}, nil)
	away.Must(err)

	file := away.backup()
	rep := home.restores(file, claim)
	all := home.All()
	for key, want := range map[string]string{"/note/workspace/m-1": "port 9090",
		"/note/workspace/m-2": "red", "/note/workspace/m-3": "stays", "/note/workspace/m-5": "new",
		"/note/workspace/m-6": "of the other machine", "/plain/a": "two",
		"/plain/a~3": "of the other machine"} {
		if !strings.Contains(all[key], want) {
			t.Errorf("%s: %s, want %s", key, all[key], want)
		}
	}
	if len(all) != 7 || rep.New != 3 || rep.Changed != 3 || rep.Stale != 1 || rep.Unchanged != 1 ||
		!slices.Equal(rep.Conflicts, []keypath.Key{testKey("/note/workspace/m-2")}) {
		t.Errorf("%+v: %v", rep, all)
	}
	for i, f := range []*fixture{home, away} {
		text := [][]byte{file, home.backup()}[i]
		f.restores(text, claim)
		before := f.Logged()
		if rep := f.restores(text, claim); rep.New+rep.Changed != 0 || f.Logged() != before {
			t.Errorf("again: %+v", rep)
		}
	}
	if got := len(away.All()); got != 7 {
		t.Errorf("away has %d memories: %v", got, away.All())
	}
}

// Of two archives of one store the newer counts, in either order: the deletion that it brings knows
// the versions before it, and so does an archive of the store that took it in.
func TestOlderArchiveAfterANewer(t *testing.T) { onEach(t, testOlderArchiveAfterANewer) }

func testOlderArchiveAfterANewer(t *testing.T, home *fixture) {
	home.Put("/user/d", `{"text":"deleted one"}`)
	older := home.backup()
	home.Clock = home.Clock.Add(time.Hour)
	home.Remove("/user/d")
	newer := home.backup()
	mine := transfer.ImportOptions{Mine: true}
	for _, order := range [][][]byte{{older, newer}, {newer, older}} {
		to := home.another(t)
		for range 2 {
			for _, file := range order {
				to.restores(file, mine)
			}
		}
		next := home.another(t)
		next.restores(to.backup(), mine)
		next.restores(older, mine)
		for _, s := range []*fixture{to, next} {
			if all := s.All(); len(all) > 0 {
				t.Errorf("%v", all)
			}
		}
		stranger := home.another(t)
		stranger.Clock = home.Clock.Add(-time.Minute)
		stranger.Put("/user/d", `"of another"`)
		if to.restores(stranger.backup(), mine); len(to.All()) != 1 {
			t.Errorf("a stranger's memory is lost: %v", to.All())
		}
	}
}

// A file of a stranger, whose keys are the same, changes nothing but what an earlier file of the
// stranger has brought.
func TestArchiveOfAStranger(t *testing.T) { onEach(t, testArchiveOfAStranger) }

func testArchiveOfAStranger(t *testing.T, f *fixture) {
	stranger := f.another(t)
	f.has(line("/note/workspace/m-1", `{"text":"mine"}`, byUser, "2026-02-22T01:00:00Z"))
	f.has(line("/plain/a", `"mine"`, byUser, "2026-02-22T01:00:00Z"))
	for _, key := range []string{"/note/workspace/m-1", "/plain/a"} {
		stranger.has(line(key, `{"text":"theirs"}`, byUser, "2026-02-22T01:00:00Z"))
		stranger.has(line(key, `{"text":"corrected"}`, byUser, noon))
	}
	for i := range 2 {
		f.restores(stranger.backup(), transfer.ImportOptions{Mine: true})
		all := f.All()
		if all["/note/workspace/m-1"] != `{"text":"mine"}` || all["/plain/a"] != `"mine"` ||
			len(all) != 4-2*i {
			t.Errorf("%v", all)
		}
		_, _, err := stranger.Delete(ctx, mem.Caller{},
			[]keypath.Key{testKey("/note/workspace/m-1"), testKey("/plain/a")}, nil)
		stranger.Must(err)
	}
}

// Without --mine a correction of a rule is counted and named, and the rule stays.
func TestArchiveKeepsRules(t *testing.T) { onEach(t, testArchiveKeepsRules) }

func testArchiveKeepsRules(t *testing.T, home *fixture) {
	away, mine := home.another(t), transfer.ImportOptions{Mine: true}
	rule := testKey("/user/style")
	home.has(line("/user/style", `{"type":"rule","text":"tabs"}`, byUser, "2026-02-22T01:00:00Z"))
	if rep := away.restores(home.backup(), transfer.ImportOptions{}); rep.Facts != 1 {
		t.Errorf("facts: %+v", rep)
	}
	away.restores(home.backup(), mine)
	if rep := home.restores(away.backup(), mine); rep.Unchanged != 1 || rep.Changed != 0 {
		t.Errorf("unchanged: %+v", rep)
	}
	away.has(line("/user/style", `{"type":"rule","text":"spaces"}`, byUser, noon))
	rep := home.restores(away.backup(), transfer.ImportOptions{})
	if !slices.Equal(rep.Kept, []keypath.Key{rule}) ||
		!strings.Contains(home.All()["/user/style"], "tabs") {
		t.Errorf("kept: %+v", rep)
	}
	home.restores(away.backup(), mine)
	if !strings.Contains(home.All()["/user/style"], "spaces") || len(home.marked()) != 0 {
		t.Errorf("mine: %v", home.All())
	}
}

// A person brings back a record of every class, each as it was.
func TestArchiveHasEveryClass(t *testing.T) { onEach(t, testArchiveHasEveryClass) }

func testArchiveHasEveryClass(t *testing.T, f *fixture) {
	const id = "01KJ2KH3EG5JRECJ45K2P6PZTR"
	for i, key := range []string{"/plain", "/kb/x", "/rules/x", "/user/x", "/note/user/u-1",
		"/note/workspace/m-1", "/note/session/m-2", "/session/sess_1", "/session/sess_1/mem_" + id,
		"/event/s1/evt_" + id, "/decision/dec_" + id, "/task/task_" + id, "/handoff/s1/bob",
		"/memories/notes.md", "/agent/ada/identity", "/agent/ada/core/" + id,
		"/agent/ada/journal/" + id, "/agent/bob/core/" + id, "/untrusted/kb/y"} {
		f.has(line(key, `{"type":"decision","text":"`+key+`"}`, byUser,
			fmt.Sprintf("2026-02-22T09:%02d:00Z", i)))
	}
	artifact(f.Store, 1, "the bytes")
	want := f.everyLine()
	if got := len(want); got != 20 {
		t.Fatalf("%d classes", got)
	}
	classes := map[keypath.Class]bool{keypath.Open: true}
	for _, rec := range want {
		classes[rec.Key.Class()] = true
	}
	if got := len(classes); got != 1+len(policy.Namespaces()) {
		t.Errorf("records of %d classes", got)
	}
	delete(want, "/untrusted/kb/y") // nobody has decided on it
	to := f.another(t)
	for i := range 2 {
		rep := to.restores(f.backup(), transfer.ImportOptions{Mine: true})
		if rep.New != 19*(1-i) || rep.Unchanged != 19*i || rep.Refused+rep.Absent != 0 {
			t.Errorf("%+v", rep)
		}
	}
	if got := to.everyLine(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// everyLine returns the live envelopes by key, those of all agents.
func (f *fixture) everyLine() map[string]log.Envelope {
	f.T.Helper()
	all := map[string]log.Envelope{}
	f.Must(f.List(ctx, mem.Caller{}, mem.Filter{Expired: true, All: true},
		func(rec log.Record) error {
			all[rec.Key.String()] = rec.Clone().Envelope
			return nil
		}))
	return all
}

// Without a Tar nothing of the stream is lost, and nothing else is asked of one.
func TestNoTar(t *testing.T) { onEach(t, testNoTar) }

func testNoTar(t *testing.T, f *fixture) {
	f.Put("/user/a", "1")
	text, path := f.backup(), filepath.Join(t.TempDir(), "all.tar")
	f.Must(os.WriteFile(path, text, 0o600))
	stream := bytes.NewReader(text)
	_, _, err := transfer.OpenArchive(transfer.Incoming{Stream: stream}, nil)
	rest, _ := io.ReadAll(stream)
	if whole := append(transfer.ReadBefore(err), rest...); !errors.Is(err, transfer.ErrNoTar) ||
		!bytes.Equal(whole, text) {
		t.Errorf("%v, %d of %d bytes", err, len(whole), len(text))
	}
	if _, _, err := transfer.OpenArchive(transfer.Incoming{Path: path}, nil); !errors.Is(err,
		transfer.ErrNoTar) || len(transfer.ReadBefore(err)) > 0 {
		t.Error(err)
	}
	_, err = transfer.ExportArchive(ctx, mem.Caller{}, nil, nil, transfer.ExportOptions{})
	if !errors.Is(err, transfer.ErrNoTar) {
		t.Error(err)
	}
	lines := transfer.Incoming{Stream: bytes.NewReader([]byte(`{"key":"/a","content":1}`))}
	if archive, _, err := transfer.OpenArchive(lines, nil); archive != nil || err != nil {
		t.Error(archive, err)
	}
}
