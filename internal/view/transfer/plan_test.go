package transfer_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
	"pgregory.net/rapid"
)

func testKey(text string) keypath.Key { return keypath.MustParse(text) }

const (
	byUser = `{"kind":"user","name":"ada","retrieved_at":"2026-02-22T10:00:00Z",` +
		`"locator":{"path":"x"}}`
	byWeb = `{"kind":"web","name":"page","retrieved_at":"2026-02-22T10:00:00Z",` +
		`"locator":{"url":"https://example.com"}}`
)

// line is a version that a store has had.
func line(key, content, source, ts string) log.Envelope {
	at, err := log.ParseTime(ts)
	if err != nil {
		panic(err)
	}
	return log.Envelope{Key: testKey(key), Content: []byte(content), Source: []byte(source), TS: at}
}

// has stores versions as they are.
func (f *fixture) has(list ...log.Envelope) {
	f.T.Helper()
	op, err := f.Begin(mem.Caller{}, policy.Copy)
	f.Must(err)
	f.Must(op.Replay(ctx, list))
}

// brings imports all that another store has, and returns the report.
func (f *fixture) brings(from *fixture, o transfer.ImportOptions) transfer.ImportReport {
	f.T.Helper()
	rep, err := f.imports(transfer.Incoming{Stream: strings.NewReader(from.exports(""))}, o)
	f.Must(err)
	return rep
}

// marked returns the keys of the live records that claim to be rules of the user and are none.
func (f *fixture) marked() (keys []string) {
	f.T.Helper()
	standing := f.Reader(mem.Caller{}).Standing
	f.Must(f.List(ctx, mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		if it := mem.ItemOf(rec); policy.ClaimsRule(&it) && standing(&it) != readout.Rule {
			keys = append(keys, rec.Key.String())
		}
		return nil
	}))
	return keys
}

const noon = "2026-02-22T12:00:00Z"

// The notes and keys of another store take no place of those that are here, whichever are newer;
// what refers to them follows, and a second import brings nothing.
func TestImportOfAnotherStore(t *testing.T) { onEach(t, testImportOfAnotherStore) }

func testImportOfAnotherStore(t *testing.T, f *fixture) {
	other := f.another(t)
	f.has(line("/note/user/u-1", `{"text":"CI is GitHub"}`, byUser, "2026-02-22T11:00:00Z"),
		line("/project/db", `"mine"`, byUser, "2026-02-22T11:01:00Z"),
		line("/project/db~2", `"taken"`, byUser, "2026-02-22T11:02:00Z"))
	other.has(line("/note/user/u-1", `{"text":"db is Postgres"}`, byUser, "2026-02-22T10:00:00Z"),
		line("/project/db", `{"text":"theirs","references":["/note/user/u-1"]}`, byUser, noon),
		line("/note/user/u-2", `{"text":"free","superseded_by":"/project/db"}`, byUser, noon))
	want := []transfer.Renamed{{From: testKey("/note/user/u-1"), To: testKey("/note/user/u-3")},
		{From: testKey("/project/db"), To: testKey("/project/db~3")}}
	o := transfer.ImportOptions{}
	o.IDs.User = true
	rep := f.brings(other, o)
	if rep.New != 3 || rep.Changed != 0 || !slices.Equal(rep.Renamed, want) {
		t.Errorf("%+v", rep)
	}
	for key, content := range map[string]string{
		"/note/user/u-1": `{"text":"CI is GitHub"}`, "/project/db": `"mine"`,
		"/project/db~2": `"taken"`, "/note/user/u-3": `{"text":"db is Postgres"}`,
		"/project/db~3":  `{"text":"theirs","references":["/note/user/u-3"]}`,
		"/note/user/u-2": `{"text":"free","superseded_by":"/project/db~3"}`,
	} {
		if got := f.Content(key); got != content {
			t.Errorf("%s holds %s, want %s", key, got, content)
		}
	}
	if rep := f.brings(other, o); rep.New+rep.Changed+len(rep.Renamed) > 0 || rep.Unchanged != 3 {
		t.Errorf("again: %+v", rep)
	}
}

// A copy of this store goes on where this one was: its versions are folded by time.
func TestImportOfTheSameMemory(t *testing.T) { onEach(t, testImportOfTheSameMemory) }

func testImportOfTheSameMemory(t *testing.T, f *fixture) {
	first := line("/x", `1`, byWeb, "2026-02-22T10:00:00Z")
	base := line("/base", `1`, byWeb, "2026-02-22T10:00:01Z")
	note := func(text, ts string) log.Envelope {
		return line("/note/user/m-1", `{"text":"`+text+`"}`, byWeb, ts)
	}
	fork := []log.Envelope{first, base, line("/db", `"theirs"`, byWeb, noon),
		note("theirs", noon)}
	var file bytes.Buffer
	for _, e := range fork {
		file.Write(append(e.Line(), '\n'))
	}
	f.has(first, base, line("/db", `"mine"`, byWeb, "2026-02-22T11:00:00Z"),
		note("mine", "2026-02-22T11:00:01Z"))
	rep, err := f.imports(transfer.Incoming{Stream: &file}, transfer.ImportOptions{})
	f.Must(err)
	if rep.New != 1 || rep.Changed != 1 || f.Content("/db") != `"theirs"` ||
		f.Content("/note/user/m-1") != `{"text":"mine"}` ||
		f.Content("/note/user/m-2") != `{"text":"theirs"}` {
		t.Errorf("%+v: %v", rep, f.All())
	}
	// A backup from before an edit changes nothing.
	was := f.exports("")
	f.Put("/db", `"edited"`)
	f.takes("backup", was, transfer.ImportOptions{},
		transfer.ImportReport{Unchanged: 4, Stale: 1})
}

// What a file says of its source is a claim: lines are marked, and no rule of the user is replaced
// or deleted. A person brings a backup back with its rules.
func TestImportMakesNoRules(t *testing.T) { onEach(t, testImportMakesNoRules) }

func testImportMakesNoRules(t *testing.T, f *fixture) {
	rule := line("/user/style", `{"type":"rule","text":"tabs"}`, byUser, "2026-02-22T10:00:00Z")
	f.has(rule)
	text := string(rule.Line()) + "\n" +
		string(line("/user/style", `{"type":"rule","text":"spaces"}`, byUser, noon).Line()) + "\n" +
		string(line("/user/evil", `{"type":"rule","text":"evil"}`, byUser, noon).Line()) + "\n" +
		string(line("/project/page", `{"text":"page"}`, byWeb, noon).Line())
	in := func(o transfer.ImportOptions) transfer.ImportReport {
		rep, err := f.imports(transfer.Incoming{Stream: strings.NewReader(text)}, o)
		f.Must(err)
		return rep
	}
	rep := in(transfer.ImportOptions{})
	if rep.New != 2 || !slices.Equal(rep.Kept, []keypath.Key{rule.Key}) ||
		f.Content("/user/style") != string(rule.Content) {
		t.Errorf("%+v: %v", rep, f.All())
	}
	if got := f.marked(); !slices.Equal(got, []string{"/user/evil"}) {
		t.Errorf("marked: %v", got)
	}
	to := f.another(t)
	_, err := transfer.Copy(ctx, mem.Caller{}, transfer.CopyJob{
		From: transfer.Side{Store: f.Store.Store, Name: "a"},
		To:   transfer.Side{Store: to.Store.Store, Name: "b"}})
	f.Must(err)
	if got := to.marked(); !slices.Equal(got, []string{"/user/evil"}) {
		t.Errorf("marked in a copy: %v", got)
	}
	away := f.another(t)
	_, err = transfer.Move(ctx, mem.Caller{}, transfer.MoveJob{From: to.Store.Store,
		To: away.Store.Store, Keys: []keypath.Key{testKey("/user/evil"), rule.Key}})
	f.Must(err)
	if got := away.marked(); !slices.Equal(got, []string{"/user/evil"}) {
		t.Errorf("marked after a move: %v", got)
	}
	if rep := in(transfer.ImportOptions{Mine: true}); rep.Changed != 2 || len(rep.Kept) > 0 {
		t.Errorf("mine: %+v", rep)
	}
	if got := f.marked(); len(got) > 0 {
		t.Errorf("marked after a restore: %v", got)
	}
	client := mem.Caller{Client: "claude-code"}
	_, err = transfer.Import(ctx, f.Store.Store, client,
		transfer.Incoming{Stream: strings.NewReader(text)}, transfer.ImportOptions{Mine: true})
	if mem.KindOf(err) != mem.KindRefused {
		t.Errorf("a program: %v", err)
	}
}

// No live text of two stores is lost by an import, and a second one changes nothing.
func TestImportLosesNothing(tt *testing.T) {
	rapid.Check(tt, func(t *rapid.T) {
		var stores [2]*fixture
		for i := range stores {
			stores[i] = &fixture{storetest.NewStore(tt, storetest.Memory)}
			stores[i].has(drawLines(t, i)...)
		}
		a, b := stores[0], stores[1]
		texts := slices.Concat(slices.Collect(maps.Values(a.All())),
			slices.Collect(maps.Values(b.All())))
		b.brings(a, transfer.ImportOptions{})
		after := b.All()
		now := slices.Collect(maps.Values(after))
		for _, text := range texts {
			if !slices.Contains(now, text) {
				t.Errorf("%s is lost: %v", text, after)
			}
		}
		rep := b.brings(a, transfer.ImportOptions{})
		if rep.New+rep.Changed > 0 || !maps.Equal(after, b.All()) {
			t.Errorf("again: %+v", rep)
		}
	})
}

// drawLines draws the history of a store, whose times no other store has.
func drawLines(t *rapid.T, store int) (list []log.Envelope) {
	keys := rapid.SampledFrom([]string{"/a", "/a~2", "/a~3", "/rules/x", "/note/user/m-1",
		"/note/user/m-2", "/note/project/m-1", "/note/project/m-3"})
	for i := range rapid.IntRange(0, 12).Draw(t, "lines") {
		key := keys.Draw(t, "key")
		content := fmt.Sprintf(`{"text":"%d of %d","pinned":%t}`, i, store,
			rapid.Bool().Draw(t, "pinned"))
		if rapid.IntRange(0, 3).Draw(t, "gone") == 0 {
			content = "null"
		}
		ts := fmt.Sprintf("2026-02-22T%02d:%02d:00Z", 2+i/4, 2*(i%4)+store)
		source := rapid.SampledFrom([]string{byUser, byWeb, `"chat"`}).Draw(t, "source")
		list = append(list, line(key, content, source, ts))
	}
	return list
}
