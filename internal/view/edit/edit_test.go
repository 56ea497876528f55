package edit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var (
	ctx  = context.Background()
	none = mem.Caller{}
)

// fixture is a store under test with what is asked of edits.
type fixture struct{ *storetest.Store }

// onEach runs a test on a store of files and on one in memory.
func onEach(t *testing.T, test func(*testing.T, *fixture)) {
	t.Parallel()
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) { test(t, &fixture{s}) })
}

func (f *fixture) pass(d time.Duration) { f.Clock = f.Clock.Add(d) }

func (f *fixture) record(key string) log.Record {
	f.T.Helper()
	rec, err := f.Get(ctx, none, keypath.MustParse(key), true)
	f.Must(err)
	return rec.Clone()
}

// holds checks what a key holds; "(none)" is nothing.
func (f *fixture) holds(key, want string) {
	f.T.Helper()
	if got := f.Content(key); got != want {
		f.T.Errorf("%s holds %s, want %s", key, got, want)
	}
}

// from checks the source of a key.
func (f *fixture) from(key, want string) {
	f.T.Helper()
	if got := string(f.record(key).Source); got != want {
		f.T.Errorf("%s is from %s, want %s", key, got, want)
	}
}

func (f *fixture) undo(key string) edit.Undone {
	f.T.Helper()
	done, err := edit.Undo(ctx, f.Store.Store, none, keypath.MustParse(key), nil, edit.Author{})
	f.Must(err)
	return done
}

func (f *fixture) touch(key string, with edit.Changes) (edit.Touched, error) {
	return edit.Touch(ctx, f.Store.Store, none, keys(key), with, edit.Author{})
}

func (f *fixture) rename(from, to string, force bool) error {
	_, err := edit.Rename(ctx, f.Store.Store, none, keypath.MustParse(from),
		keypath.MustParse(to), edit.RenameOptions{Replace: force})
	return err
}

func (f *fixture) merge(list, into string) (edit.Merged, error) {
	return edit.Merge(ctx, f.Store.Store, none, keys(list), keypath.MustParse(into),
		edit.MergeOptions{})
}

func (f *fixture) supersede(old, by string) error {
	s := f.Store.Store
	_, err := edit.Supersede(ctx, s, s, none, keypath.MustParse(old), keypath.MustParse(by),
		edit.Author{})
	return err
}

// isError checks an error, and that nothing was written since a log was read.
func (f *fixture) isError(err, want error, before string) {
	f.T.Helper()
	if !errors.Is(err, want) {
		f.T.Errorf("got %v, want %v", err, want)
	}
	if f.Logged() != before {
		f.T.Errorf("%v: something was written", err)
	}
}

func keys(text string) (list []keypath.Key) {
	for _, key := range strings.Fields(text) {
		list = append(list, keypath.MustParse(key))
	}
	return list
}

func TestReplace(t *testing.T) { onEach(t, testReplace) }

func testReplace(t *testing.T, f *fixture) {
	f.Put("/a", `{"n":1.0}`)
	was := f.record("/a")
	replace := func(text string) error {
		_, err := edit.Replace(ctx, f.Store.Store, none, was, []byte(text), edit.Author{})
		return err
	}
	f.Must(replace(`{"n": 2.0}`))
	f.holds("/a", `{"n":2.0}`)
	f.from("/a", `{"kind":"user","name":"mem edit","retrieved_at":"2026-02-22T12:00:00.000000Z",`+
		`"locator":{"key":"/a"}}`)
	f.isError(replace(`3`), mem.ErrConflict, f.Logged())
	was = f.record("/a")
	f.Must(replace(`null`))
	f.holds("/a", "(none)")
	f.isError(replace(`3`), mem.ErrConflict, f.Logged())
}

func TestUndo(t *testing.T) { onEach(t, testUndo) }

func testUndo(t *testing.T, f *fixture) {
	first := f.Put("/a", `{"v":1}`)
	f.pass(time.Hour)
	f.Put("/a", `{"v":2,"timestamp":"2020-01-01"}`)
	f.pass(time.Hour)
	if done := f.undo("/a"); done.Restored != first.TS || !done.Changed {
		t.Errorf("%+v", done)
	}
	f.holds("/a", `{"v":1,"created_at":"2026-02-22T12:00:00.000000Z"}`)
	f.from("/a", `{"name":"chat","edited":{"verb":"mem undo",`+
		`"restored":"2026-02-22T12:00:00.000000Z","at":"2026-02-22T14:00:00.000000Z"}}`)
	f.undo("/a")
	f.holds("/a", `{"v":2,"timestamp":"2020-01-01"}`)

	f.Put("/a", `null`)
	f.undo("/a")
	f.holds("/a", `{"v":2,"timestamp":"2020-01-01"}`)
	f.undo("/a")
	f.holds("/a", "(none)")
	done, err := edit.Undo(ctx, f.Store.Store, none, keypath.MustParse("/a"), &first.TS,
		edit.Author{Source: []byte(`"me"`)})
	f.Must(err)
	f.from("/a", `"me"`)
	f.holds("/a", `{"v":1,"created_at":"2026-02-22T12:00:00.000000Z"}`)
	before := f.Logged()
	same, err := edit.Undo(ctx, f.Store.Store, none, keypath.MustParse("/a"), &done.TS,
		edit.Author{})
	if f.isError(err, nil, before); same.Changed {
		t.Errorf("%+v", same)
	}
}

func TestUndoHasNothingToBringBack(t *testing.T) { onEach(t, testUndoHasNothing) }

func testUndoHasNothing(t *testing.T, f *fixture) {
	f.Put("/a", "1")
	f.Put("/gone", "null")
	before, ts := f.Logged(), log.Stamp(7)
	for _, c := range []struct {
		key  string
		to   *log.Stamp
		want error
	}{
		{"/a", nil, edit.ErrFirst}, {"/a", &ts, edit.ErrNoVersion},
		{"/gone", nil, edit.ErrGone}, {"/none", nil, mem.ErrNotFound},
		{"/untrusted/a", nil, edit.ErrReserved},
	} {
		_, err := edit.Undo(ctx, f.Store.Store, none, keypath.MustParse(c.key), c.to,
			edit.Author{})
		f.isError(err, c.want, before)
	}
}

// A note that was forgotten comes back under its own id, which no set may name.
func TestUndoOfANote(t *testing.T) { onEach(t, testUndoOfANote) }

func testUndoOfANote(t *testing.T, f *fixture) {
	added, err := note.Add(ctx, f.Store.Store, none, "port 5432", note.Options{})
	f.Must(err)
	f.Must(note.Forget(ctx, f.Store.Store, none, added.ID, nil))
	f.undo("/note/workspace/m-1")
	f.holds("/note/workspace/m-1",
		`{"type":"note","text":"port 5432","created_at":"2026-02-22T12:00:00.000000Z"}`)
	added, err = note.Add(ctx, f.Store.Store, none, "next", note.Options{})
	if f.Must(err); added.ID != "m-2" {
		t.Errorf("the next note is %s", added.ID)
	}
}

func TestTouch(t *testing.T) { onEach(t, testTouch) }

func testTouch(t *testing.T, f *fixture) {
	const created = `,"created_at":"2026-02-22T12:00:00.000000Z"}`
	for i, c := range []struct {
		was  string
		with edit.Changes
		want string
	}{
		{`{"importance":3,"n":1.50,"A":"a"}`, edit.Changes{Importance: []byte("0.70")},
			`{"importance":0.70,"n":1.50,"A":"a"` + created},
		{`{"z":1}`, edit.Changes{Add: []string{"x", "x", "y"}},
			`{"z":1,"tags":["x","y"]` + created},
		{`{"tags":["x","y"],"z":1}`,
			edit.Changes{Add: []string{"y", "w"}, Remove: []string{"x"}},
			`{"tags":["y","w"],"z":1` + created},
		{`{"tags":["x"],"z":1}`, edit.Changes{Remove: []string{"x"}}, `{"z":1` + created},
		{`{"z":1,"created_at":"2020"}`, edit.Changes{Expires: "2027-01-01T00:00:00Z"},
			`{"z":1,"created_at":"2020","expired_at":"2027-01-01T00:00:00Z"}`},
		{`{"expired_at":"2020-01-01T00:00:00Z","z":1}`, edit.Changes{NoExpiry: true},
			`{"z":1` + created},
		{`{"superseded_by":"/b","z":1}`, edit.Changes{Current: true}, `{"z":1` + created},
		{`{}`, edit.Changes{Add: []string{"x"}}, `{"tags":["x"]` + created},
	} {
		f.Clock = storetest.Noon
		key := fmt.Sprintf("/k%d", i)
		f.Import(key, c.was)
		f.pass(time.Hour)
		done, err := f.touch(key, c.with)
		if f.Must(err); len(done.Touched) != 1 {
			t.Errorf("%s: %+v", key, done)
		}
		f.holds(key, c.want)
		if done, err = f.touch(key, c.with); err != nil || len(done.Unchanged) != 1 {
			t.Errorf("%s again: %+v %v", key, done, err)
		}
	}
	f.from("/k0", `{"name":"chat","edited":{"verb":"mem touch",`+
		`"at":"2026-02-22T13:00:00.000000Z"}}`)
}

func TestTouchRefused(t *testing.T) { onEach(t, testTouchRefused) }

func testTouchRefused(t *testing.T, f *fixture) {
	f.Put("/a", `{"n":1}`)
	f.Put("/text", `"text"`)
	f.Put("/tagged", `{"tags":"x"}`)
	before := f.Logged()
	with := edit.Changes{Add: []string{"t"}}
	for key, want := range map[string]error{
		"/text": edit.ErrNoObject, "/tagged": edit.ErrNoList, "/untrusted/x": edit.ErrReserved,
	} {
		_, err := f.touch("/a "+key, with)
		f.isError(err, want, before)
	}
	done, err := f.touch("/a /none /a", with)
	if f.Must(err); len(done.Touched) != 1 || len(done.Missing) != 1 {
		t.Errorf("%+v", done)
	}
}

func TestRename(t *testing.T) { onEach(t, testRename) }

func testRename(t *testing.T, f *fixture) {
	f.Put("/a", `{"v":1}`)
	f.Put("/taken", `{"v":2}`)
	f.Put("/over", `{"v":3,"expired_at":"2026-02-22T12:30:00Z"}`)
	f.pass(time.Hour)
	f.Must(f.rename("/a", "/b/c", false))
	f.holds("/a", "(none)")
	f.holds("/b/c", `{"v":1,"created_at":"2026-02-22T12:00:00.000000Z"}`)
	f.from("/b/c", `"chat"`)
	if log := f.Logged(); !strings.Contains(log, `"name":"mem mv"`) ||
		!strings.Contains(log, `"locator":{"to":"/b/c"}`) {
		t.Errorf("%s", log)
	}
	before := f.Logged()
	f.isError(f.rename("/b/c", "/taken", false), mem.ErrConflict, before)
	f.isError(f.rename("/a", "/new", false), mem.ErrNotFound, before)
	f.isError(f.rename("/b/c", "/b/c", false), edit.ErrSame, before)
	for _, key := range []string{"/note/workspace/m-1", "/untrusted/b", "/note/session/x"} {
		f.isError(f.rename("/b/c", key, true), edit.ErrReserved, before)
		f.isError(f.rename(key, "/new", true), edit.ErrReserved, before)
	}
	f.Must(f.rename("/b/c", "/taken", true))
	f.Must(f.rename("/taken", "/over", false))
	f.holds("/over", `{"v":1,"created_at":"2026-02-22T12:00:00.000000Z"}`)
}

func TestMerge(t *testing.T) { onEach(t, testMerge) }

func testMerge(t *testing.T, f *fixture) {
	f.Put("/a", `{"type":"fact","text":"one","tags":["x","y"],"importance":7,"n":1.0,`+
		`"references":["/r"]}`)
	f.pass(time.Hour)
	f.Put("/b", `{"text":"two","tags":["y","z"],"importance":0.2,"n":2,"timestamp":"2026-02-22"}`)
	f.Put("/c", `{"text":"two","superseded_by":"/a","references":["/r","/s"]}`)
	before := f.Logged()
	_, err := f.merge("/a /none", "/m")
	f.isError(err, mem.ErrNotFound, before)
	f.Put("/over", `{"text":"over","expired_at":"2026-02-22T12:30:00Z"}`)
	before = f.Logged()
	_, err = f.merge("/a /over", "/m")
	f.isError(err, mem.ErrNotFound, before)
	f.pass(time.Hour)
	done, err := f.merge("/a /b", "/c")
	f.Must(err)
	f.holds("/c", `{"text":"two\none","tags":["y","z","x"],"importance":7,"n":1.0,`+
		`"type":"fact","references":["/r","/s"],"created_at":"2026-02-22T00:00:00.000000Z"}`)
	f.holds("/a", "(none)")
	f.holds("/b", "(none)")
	f.from("/c", `{"kind":"user","name":"mem merge","retrieved_at":"2026-02-22T14:00:00.000000Z",`+
		`"locator":{"keys":["/b","/a","/c"]}}`)
	if fmt.Sprint(done.Merged) != "[/b /a]" {
		t.Errorf("%v", done.Merged)
	}
}

func TestMergeRefused(t *testing.T) { onEach(t, testMergeRefused) }

func testMergeRefused(t *testing.T, f *fixture) {
	f.Put("/a", `{"n":1}`)
	f.Put("/text", `"text"`)
	before := f.Logged()
	for _, c := range []struct {
		keys, into string
		want       error
	}{
		{"/a /text", "/m", edit.ErrNoObject}, {"/a", "/text", edit.ErrNoObject},
		{"/a", "/a", edit.ErrSame}, {"/a /none", "/a", mem.ErrNotFound},
		{"/a", "/untrusted/a", edit.ErrReserved}, {"/untrusted/x /a", "/a", edit.ErrReserved},
	} {
		_, err := f.merge(c.keys, c.into)
		f.isError(err, c.want, before)
	}
}

// Text from the web stays text from the web.
func TestMergeKeepsTheKind(t *testing.T) { onEach(t, testMergeKeepsTheKind) }

func testMergeKeepsTheKind(t *testing.T, f *fixture) {
	f.Put("/a", `{"n":1}`)
	w := storetest.Write("/web", `{"m":1}`)
	w.Source = []byte(`{"kind":"web","name":"x.org","retrieved_at":"2026-02-22T10:00:00Z",` +
		`"locator":{"url":"https://x.org"}}`)
	_, err := f.Set(ctx, none, w, mem.SetOptions{})
	f.Must(err)
	_, err = f.touch("/web", edit.Changes{Add: []string{"t"}})
	f.Must(err)
	f.from("/web", `{"kind":"web","name":"x.org","retrieved_at":"2026-02-22T10:00:00Z",`+
		`"locator":{"url":"https://x.org"},`+
		`"edited":{"verb":"mem touch","at":"2026-02-22T12:00:00.000000Z"}}`)
	before := f.Logged()
	_, err = f.merge("/a /web", "/kb/m") // /a is not traceable, in company either
	f.isError(err, policy.ErrProvenance, before)
	_, err = f.merge("/a /web", "/m")
	f.Must(err)
	f.from("/m", `{"kind":"web","name":"mem merge",`+
		`"retrieved_at":"2026-02-22T12:00:00.000000Z","locator":{"keys":["/a","/web"]}}`)
}

// An edit keeps a note within the limits of mem note.
func TestNoteKeepsItsLimits(t *testing.T) { onEach(t, testNoteKeepsItsLimits) }

func testNoteKeepsItsLimits(t *testing.T, f *fixture) {
	_, err := note.Add(ctx, f.Store.Store, none, "port 5432",
		note.Options{Tags: []string{"a", "b", "c", "d"}})
	f.Must(err)
	const key = "/note/workspace/m-1"
	_, err = f.touch(key, edit.Changes{Add: []string{"e"}})
	f.Must(err)
	before := f.Logged()
	_, err = f.touch(key, edit.Changes{Add: []string{"f"}})
	f.isError(err, policy.ErrTooLarge, before)
	long := `{"text":"` + strings.Repeat("x", policy.MaxNote+1) + `"}`
	was := f.record(key)
	_, err = edit.Replace(ctx, f.Store.Store, none, was, []byte(long), edit.Author{})
	f.isError(err, policy.ErrTooLarge, before)
	_, err = edit.Replace(ctx, f.Store.Store, none, was, []byte(`{"text":"short"}`), edit.Author{})
	f.Must(err)
}
