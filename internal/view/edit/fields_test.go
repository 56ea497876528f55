package edit_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
)

// put stores content as of an agent.
func (f *fixture) put(key, text string) mem.Outcome {
	f.T.Helper()
	out, err := f.Set(ctx, none, mem.Write{Key: keypath.MustParse(key), Content: []byte(text),
		Source: []byte(`{"kind":"agent","name":"codex","retrieved_at":"2026-02-22"}`)},
		mem.SetOptions{})
	f.Must(err)
	return out
}

// fill stores changed fields in the place of the newest version of a key.
func (f *fixture) fill(key string, change func(*edit.Fields)) (edit.Result, error) {
	f.T.Helper()
	was := f.record(key)
	fields, _ := edit.FieldsOf(was.Content)
	change(&fields)
	return edit.SetFields(ctx, f.Store.Store, none, was, fields, edit.Author{})
}

func TestSetFields(t *testing.T) { onEach(t, testSetFields) }

func testSetFields(t *testing.T, f *fixture) {
	const before = `{"x":1.0,"type":"decision","decision":"Go","tags":["a"],"importance":0.9,` +
		`"expired_at":1893456000}`
	for key, tc := range map[string]struct {
		change     func(*edit.Fields)
		want, from string
	}{
		"/nothing": {func(*edit.Fields) {}, before, `"name":"codex"`},
		"/text": {func(e *edit.Fields) { e.Text = "Rust" }, `{"x":1.0,"type":"decision",` +
			`"tags":["a"],"importance":0.9,"expired_at":1893456000,"text":"Rust"}`,
			`"kind":"user","name":"mem edit"`},
		"/type": {func(e *edit.Fields) { e.Type = "rule" }, `{"x":1.0,"type":"rule","tags":["a"],` +
			`"importance":0.9,"expired_at":1893456000,"text":"Go"}`, `"kind":"user"`},
		"/others": {func(e *edit.Fields) {
			e.Tags, e.Importance, e.Expires, e.Pinned = []string{"b"}, "1", "2026-03-01T08:30", true
		}, `{"x":1.0,"type":"decision","decision":"Go","tags":["b"],"importance":0.1,` +
			`"expired_at":"2026-03-01T08:30:00.000000Z","pinned":true,` +
			`"created_at":"@"}`, `"name":"codex"`},
		"/none": {func(e *edit.Fields) { e.Tags, e.Importance, e.Expires = nil, "", "" },
			`{"x":1.0,"type":"decision","decision":"Go","created_at":"@"}`,
			`"edited":{"verb":"mem edit"`},
	} {
		at := f.put(key, before).TS
		f.pass(time.Hour)
		res, err := f.fill(key, tc.change)
		f.Must(err)
		if res.Changed != (key != "/nothing") {
			t.Errorf("%s: changed %v", key, res.Changed)
		}
		f.holds(key, strings.Replace(tc.want, "@", at.String(), 1))
		if source := string(f.record(key).Source); !strings.Contains(source, tc.from) {
			t.Errorf("%s is from %s", key, source)
		}
	}
	was := f.record("/text")
	f.put("/text", `{"text":"newer"}`)
	logged := f.Logged()
	for _, bad := range []edit.Fields{{Text: "x", Importance: "11"}, {Text: "x", Importance: "NaN"},
		{Text: "x", Expires: "soon"}} {
		_, err := f.fill("/text", func(e *edit.Fields) { *e = bad })
		f.isError(err, mem.ErrInput, logged)
	}
	_, err := edit.SetFields(ctx, f.Store.Store, none, was, edit.Fields{Text: "late"},
		edit.Author{})
	f.isError(err, mem.ErrConflict, logged)
	f.put("/list", `[1]`)
	_, err = f.fill("/list", func(e *edit.Fields) { e.Text = "x" })
	f.isError(err, edit.ErrNoObject, f.Logged())
	if _, isText := edit.FieldsOf([]byte(`{"n":1}`)); isText {
		t.Error("a form shows what has no text")
	}
}

// A form that is saved as it is shown changes nothing, whatever the content.
func TestUnchangedFieldsKeepContent(t *testing.T) {
	for _, text := range []string{`{}`, `{"text":7,"tags":"x","importance":"high"}`,
		`{"type":"conversation","message":"hi"}`, `{"expired_at":"never","pinned":"true"}`,
		`{"importance":0.123456789,"expired_at":"2026-03-01T08:30:59.5Z"}`,
		`{"importance":10,"tags":["a",1],"text":"a\u202eb"}`} {
		fields, _ := edit.FieldsOf([]byte(text))
		got, err := fields.Apply(keypath.MustParse("/a"), []byte(text))
		if err != nil || string(got) != text {
			t.Errorf("%s becomes %s, %v", text, got, err)
		}
	}
}

func TestAdd(t *testing.T) {
	f := &fixture{storetest.NewStore(t, storetest.Files)}
	one := &site.Site{Root: f.Root}
	l := layers.New(site.Sites{One: one}, func(*site.Site) mem.Options {
		return mem.Options{Now: func() time.Time { return f.Clock }}
	})
	add := func(key string, fields edit.Fields) (edit.Added, error) {
		var at keypath.Key
		if key != "" {
			at = keypath.MustParse(key)
		}
		return edit.Add(ctx, l, none, one, at, fields)
	}
	full := edit.Fields{Text: " larch ", Type: "rule", Tags: []string{"a"}, Importance: "8",
		Expires: "2026-03-01T08:30", Pinned: true}
	added, err := add("", full)
	f.Must(err)
	const rest = `"importance":8,"expired_at":"2026-03-01T08:30:00.000000Z",`
	rec, err := f.Get(ctx, none, added.Key, true)
	f.Must(err)
	if string(rec.Content) != `{"type":"rule","text":"larch",`+rest+`"tags":["a"],"pinned":true}` ||
		!strings.HasPrefix(string(rec.Source), `{"kind":"user","name":"mem note"`) ||
		added.TS != rec.TS || added.Known || !strings.HasPrefix(added.Key.String(), "/note/") {
		t.Errorf("%+v: %s from %s", added, rec.Content, rec.Source)
	}
	if again, err := add("", edit.Fields{Text: "Larch"}); err != nil || !again.Known ||
		again.Key != added.Key {
		t.Errorf("noted again: %+v, %v", again, err)
	}
	added, err = add("/project/a", full)
	f.Must(err)
	rec, err = f.Get(ctx, none, added.Key, true)
	f.Must(err)
	if string(rec.Content) != `{"type":"rule","text":"larch",`+rest+`"tags":["a"],"pinned":true}` ||
		!strings.HasPrefix(string(rec.Source), `{"kind":"user","name":"mem edit"`) {
		t.Errorf("%s from %s", rec.Content, rec.Source)
	}
	for what, tc := range map[string]struct {
		key, text string
		want      error
	}{"taken": {"/project/a", "x", mem.ErrConflict}, "empty": {"", " ", mem.ErrInput},
		"empty under a key": {"/project/b", "", mem.ErrInput},
		"reserved":          {"/untrusted/a", "x", edit.ErrReserved},
		"long":              {"", strings.Repeat("x", 501), policy.ErrTooLarge},
		"a secret":          {"/project/c", "ghp_" + strings.Repeat("a1B2", 9), policy.ErrSecret},
	} {
		if _, err := add(tc.key, edit.Fields{Text: tc.text}); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	f.Must(l.Close())
}

func TestRevert(t *testing.T) { onEach(t, testRevert) }

func testRevert(t *testing.T, f *fixture) {
	revert := func(written ...mem.Outcome) ([]mem.Outcome, error) {
		return edit.Revert(ctx, f.Store.Store, none, written, edit.Author{})
	}
	f.put("/a", `{"n":1}`)
	a, b := f.put("/a", `{"n":2}`), f.put("/b", `{"n":1}`)
	done, err := revert(a, b)
	f.Must(err)
	f.holds("/a", `{"n":1,"created_at":"2026-02-22T12:00:00.000000Z"}`)
	f.holds("/b", "(none)")
	back, err := revert(done...)
	f.Must(err)
	f.holds("/b", `{"n":1,"created_at":"`+b.TS.String()+`"}`)
	newer := f.put("/b", `{"n":3}`)
	logged := f.Logged()
	_, err = revert(back...)
	f.isError(err, mem.ErrConflict, logged)
	_, err = revert(newer, newer)
	if err == nil {
		t.Error("one write is reverted twice")
	}
	f.holds("/b", `{"n":3}`)
}
