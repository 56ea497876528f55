package note_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// added notes a text down and returns what became of it.
func (f *fixture) added(text string, o note.Options) note.Added {
	f.T.Helper()
	f.Clock = f.Clock.Add(time.Minute)
	added, err := note.Add(context.Background(), f.Store.Store, mem.Caller{}, text, o)
	f.Must(err)
	return added
}

// content returns what a key holds.
func (f *fixture) content(key string) string {
	f.T.Helper()
	rec, err := f.Get(ctx, mem.Caller{}, keypath.MustParse(key), true)
	f.Must(err)
	return string(rec.Content)
}

// The same words noted again renew the note that is there: its ts, and what the call adds to it.
func TestKnown(t *testing.T) { onEach(t, testKnown) }

func testKnown(t *testing.T, f *fixture) {
	f.added("The database  listens on Port 5432", note.Options{Tags: []string{"db"}})
	first, err := f.Get(ctx, mem.Caller{}, keypath.MustParse("/note/workspace/m-1"), false)
	f.Must(err)
	for _, c := range []struct {
		text  string
		o     note.Options
		id    string
		known bool
	}{
		{"the DATABASE listens\non port ５４３２ ", note.Options{}, "m-1", true},
		{"The database listens on port 5432", note.Options{Scope: "user"}, "m-1", true},
		{"The database listens on port 5432", note.Options{Scope: "session"}, "m-1", true},
		{"The database listens on port 5432.", note.Options{}, "m-2", false},
		{"for one conversation", note.Options{Scope: "session", Source: from("c")}, "m-3", false},
		{"for one conversation", note.Options{Scope: "session", Source: from("c")}, "m-3", true},
		{"for one conversation", note.Options{Scope: "session", Source: from("d")}, "m-4", false},
		{"for one conversation", note.Options{}, "m-5", false},
		{"The database listens on port 5432", note.Options{
			Tags: []string{"db", "infra"}, Pinned: true, Importance: []byte("8")}, "m-1", true},
	} {
		if got := f.added(c.text, c.o); got.ID != c.id || got.Known != c.known ||
			len(got.Near) > 0 && c.known {
			t.Errorf("%q %+v: %+v", c.text, c.o, got)
		}
	}
	rec, err := f.Get(ctx, mem.Caller{}, first.Key, false)
	f.Must(err)
	const want = `{"type":"note","text":"The database  listens on Port 5432","tags":["db","infra"],` +
		`"importance":8,"pinned":true}`
	since := `"renewed":{"since":"` + first.TS.String() + `","by":{"kind":"user"`
	if string(rec.Content) != want || rec.TS <= first.TS ||
		!strings.HasPrefix(string(rec.Source), strings.TrimSuffix(string(first.Source), "}")) ||
		!strings.Contains(string(rec.Source), since) {
		t.Errorf("renewed: %s of %s, from %s", rec.Content, rec.TS, rec.Source)
	}
	f.forget("m-1")
	if got := f.added("The database listens on port 5432", note.Options{}); got.ID != "m-6" {
		t.Errorf("a forgotten text is known: %+v", got)
	}
	_, err = note.Add(ctx, f.Store.Store, mem.Caller{}, "for one conversation",
		note.Options{Tags: strings.Fields("a b c d e")})
	f.Must(err)
	if got := f.added("for one conversation", note.Options{Tags: []string{"f"}}); !got.Known {
		t.Errorf("with a sixth tag: %+v", got)
	}
}

func from(conversation string) []byte {
	return []byte(`{"kind":"agent","name":"codex","locator":{"session":"` + conversation + `"}}`)
}

// A text that the user's store knows is renewed there, and not noted in a project's.
func TestKnownToTheUser(t *testing.T) {
	t.Parallel()
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		f := &fixture{s}
		storetest.EachKind(t, func(t *testing.T, project *storetest.Store) {
			text := "Answers are short, " + t.Name()
			f.added(text, note.Options{Scope: "user"})
			p := &fixture{project}
			o := note.Options{User: f.Store.Store}
			got := p.added(strings.ToUpper(text), o)
			if !got.Known || got.Store != f.Store.Store || p.Made() ||
				got.Reply(o, "project").Layer != "user" {
				t.Errorf("%+v", got)
			}
			if got := p.added("of the project", o); got.Known || got.Store != p.Store.Store {
				t.Errorf("%+v", got)
			}
		})
	})
}

// What says nearly the same is named, whatever it is.
func TestNear(t *testing.T) { onEach(t, testNear) }

func testNear(t *testing.T, f *fixture) {
	f.Put("/project/db", `{"text":"The database of the shop listens on port 5432 at db1"}`)
	f.Put("/project/zh", `{"summary":"用户不喜欢吃香菜和葱"}`)
	f.Import("/untrusted/x", `{"text":"Deploys run on Tuesdays at noon, says a page"}`)
	for _, c := range []struct{ text, near string }{
		{"The database of the shop listens on port 5433 at db1", "/project/db"},
		{"The shop is closed on Sundays", ""},
		{"the database of the SHOP: listens, on port 5434, at db1!", "m-1 /project/db"},
		{"用户不喜欢吃香菜", "/project/zh"},
		{"用户喜欢猫", ""},
		{"Deploys run on Tuesdays at noon, says a man", ""},
		{"tabs", ""}, {"tabs 4", ""}, {"tabs 4 wide", ""}, // one pair in common is too little
		{"a tabs 4 wide", "m-9"},
		{"???", ""},
	} {
		got := f.added(c.text, note.Options{})
		slices.SortFunc(got.Near, func(a, b string) int { return strings.Compare(b, a) })
		if near := strings.Join(got.Near, " "); near != c.near || got.Known {
			t.Errorf("%s is %s, near %q, want %q", c.text, got.ID, near, c.near)
		}
	}
}

// The oldest that is not pinned makes room, and is named; where all are pinned there is none.
func TestEvicts(t *testing.T) { onEach(t, testEvicts) }

func testEvicts(t *testing.T, f *fixture) {
	f.Configure(`{"memory":{"max_total":4}}`)
	f.added("never push to main", note.Options{Pinned: true})
	f.added("answer in French", note.Options{Tags: []string{"preference"}})
	f.added("three", note.Options{})
	f.added("four", note.Options{})
	for i, want := range []string{"m-3", "m-4"} {
		if got := f.added(fmt.Sprint("one more ", i), note.Options{}); !slices.Equal(got.Evicted,
			[]string{want}) {
			t.Errorf("%s: %v made room, want %s", got.ID, got.Evicted, want)
		}
	}
	in := note.Options{Repository: true} // there a tag makes nobody's rule
	if got := f.added("in a repository", in); !slices.Equal(got.Evicted, []string{"m-2"}) {
		t.Errorf("%s: %v made room, want m-2", got.ID, got.Evicted)
	}
	var pins []keypath.Key
	for _, id := range f.ids() {
		key, err := note.Named(ctx, f.Store.Store, mem.Caller{}, id)
		f.Must(err)
		pins = append(pins, key)
	}
	_, err := edit.Pin(ctx, f.Store.Store, mem.Caller{}, pins, true, edit.Author{})
	f.Must(err)
	before := f.Logged()
	for _, o := range []note.Options{{}, {Pinned: true}} {
		_, err = note.Add(ctx, f.Store.Store, mem.Caller{}, "no room", o)
		if !errors.Is(err, policy.ErrPinned) || mem.KindOf(err) != mem.KindRefused ||
			f.Logged() != before {
			t.Errorf("where all are pinned: %v", err)
		}
	}
	if got := f.added("one more 1", note.Options{}); !got.Known {
		t.Errorf("what is known needs no room: %+v", got)
	}
	// Yet a rule can be corrected: what is replaced makes the room, or is the first to make some.
	if got := f.replace("one in its place", pins[0]); len(got.Evicted) != 1 || len(f.ids()) != 4 {
		t.Errorf("%+v, notes: %v", got, f.ids())
	}
	f.Configure(`{"memory":{"max_total":5}}`)
	f.replace("another in its place", pins[1])
	_, last, _ := note.Split(pins[1])
	if got := f.added("and now", note.Options{}); !slices.Equal(got.Evicted, []string{last}) {
		t.Errorf("%v made room, want %s, which was replaced", got.Evicted, last)
	}
}

func (f *fixture) ids() []string { return strings.Fields(f.noteIDs("", "")) }

// replace notes a text down in the place of others.
func (f *fixture) replace(text string, keys ...keypath.Key) note.Added {
	f.T.Helper()
	return f.added(text, note.Options{Replaces: keys, Supersede: edit.Superseding(edit.Author{})})
}

// A note takes the place of others in one append, and of all of them or none.
func TestReplaces(t *testing.T) { onEach(t, testReplaces) }

func testReplaces(t *testing.T, f *fixture) {
	at := keypath.MustParse
	f.Put("/project/db", `{"text":"port 5432"}`)
	f.added("the port is 5432", note.Options{Pinned: true, Tags: []string{"db"}})
	writes := f.Logged()
	got := f.replace("the port is 5433", at("/project/db"), at("/note/workspace/m-1"))
	if got.ID != "m-2" || len(got.Near) > 0 || f.Logged() == writes {
		t.Errorf("%+v", got)
	}
	var is struct {
		By     string `json:"superseded_by"`
		Pinned bool
	}
	for _, key := range []string{"/project/db", "/note/workspace/m-1"} {
		f.Must(json.Unmarshal([]byte(f.content(key)), &is))
		if is.By != "/note/workspace/m-2" || !strings.Contains(f.content(key), `"created_at":`) {
			t.Errorf("%s: %s", key, f.content(key))
		}
	}
	if text := f.content("/note/workspace/m-2"); !strings.Contains(text,
		`"tags":["db"],"pinned":true`) {
		t.Errorf("what replaces a rule is one: %s", text)
	}
	before := f.Logged()
	_, err := note.Add(ctx, f.Store.Store, mem.Caller{}, "nothing", note.Options{
		Replaces:  []keypath.Key{at("/note/workspace/m-2"), at("/none")},
		Supersede: edit.Superseding(edit.Author{})})
	if !errors.Is(err, mem.ErrNotFound) || f.Logged() != before {
		t.Errorf("what is not there: %v", err)
	}
	// The known note takes the place; of itself it takes none.
	f.added("known", note.Options{})
	if got := f.replace("Known", at("/note/workspace/m-2")); got.ID != "m-3" || !got.Known ||
		content.Successor([]byte(f.content("/note/workspace/m-2"))) != "/note/workspace/m-3" {
		t.Errorf("%+v, and it is %s", got, f.content("/note/workspace/m-2"))
	}
	if got := f.replace("known", at("/note/workspace/m-3")); got.ID != "m-3" ||
		content.Successor([]byte(f.content("/note/workspace/m-3"))) != "" {
		t.Errorf("%+v, and it is %s", got, f.content("/note/workspace/m-3"))
	}
	// What was replaced is known no more.
	if got := f.added("the port is 5432", note.Options{}); got.Known || got.ID != "m-4" {
		t.Errorf("%+v", got)
	}
}

// What is known stays what it was to whoever may not change it, and is not known where nobody would
// be told it.
func TestWhoMayRenew(t *testing.T) { onEach(t, testWhoMayRenew) }

func testWhoMayRenew(t *testing.T, f *fixture) {
	web := note.Options{Source: []byte(`{"kind":"web","name":"blog","retrieved_at":` +
		`"2026-02-22T10:00:00Z","locator":{"url":"https://example.org"}}`)}
	ruled := web
	ruled.Pinned, ruled.Tags, ruled.Importance = true, []string{"rule"}, []byte("10")
	f.added("said by the user", note.Options{})
	if got := f.added("Said by the user", ruled); !got.Known ||
		f.content("/note/workspace/m-1") != `{"type":"note","text":"said by the user"}` {
		t.Errorf("a page made a rule: %+v %s", got, f.content("/note/workspace/m-1"))
	}
	f.added("said by a page", web)
	f.added("said by a page", note.Options{Pinned: true})
	rec, err := f.Get(ctx, mem.Caller{}, keypath.MustParse("/note/workspace/m-2"), false)
	if f.Must(err); !content.IsOwn(rec.Source) || !policy.IsPinned(rec, false) {
		t.Errorf("the user said it too: %s of %s", rec.Content, rec.Source)
	}
	f.Import("/note/workspace/m-3", `{"type":"note","text":"run the tests","summary":"run evil"}`)
	if got := f.added("Run the tests", note.Options{}); got.Known {
		t.Errorf("its line says something else: %+v", got)
	}
	f.Import("/note/workspace/m-9", `{"type":"note","text":"for a while","expired_at":"2027-01-01"}`)
	if got := f.added("for a while", note.Options{}); !got.Known ||
		strings.Contains(f.content("/note/workspace/m-9"), "expired_at") {
		t.Errorf("noted for good: %+v %s", got, f.content("/note/workspace/m-9"))
	}
	unseen := note.Options{Seen: func(rec log.Record) bool {
		return rec.Key.String() != "/note/workspace/m-1"
	}}
	if got := f.added("said by the user", unseen); got.Known {
		t.Errorf("what was not let in is known: %+v", got)
	}
	// What only differs in case is a correction where it is to be one.
	before := f.ids()
	got := f.replace("SAID by a page", keypath.MustParse("/note/workspace/m-2"))
	if got.Known || len(f.ids()) != len(before)+1 {
		t.Errorf("a correction of letters: %+v", got)
	}
	// By the id of what was replaced, what holds in its place is.
	got = f.replace("said by no page", keypath.MustParse("/note/workspace/m-2"))
	if len(got.Replaced) != 1 || got.Replaced[0].String() == "/note/workspace/m-2" {
		t.Errorf("%+v", got)
	}
}

// In a project, what the user's store has of no project is not known, and a pin is not lent to it.
func TestKnownInEveryProject(t *testing.T) {
	t.Parallel()
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		f := &fixture{s}
		f.added("of no project", note.Options{Pinned: true})
		f.added("of the user", note.Options{Scope: "user"})
		storetest.EachKind(t, func(t *testing.T, project *storetest.Store) {
			p := &fixture{project}
			for _, c := range []struct {
				text  string
				o     note.Options
				known bool
			}{
				{"of no project", note.Options{}, false}, {"of the user", note.Options{}, true},
				{"Of the user", note.Options{Pinned: true}, false},
			} {
				c.o.User = f.Store.Store
				if got := p.added(c.text, c.o); got.Known != c.known {
					t.Errorf("%q: %+v", c.text, got)
				}
			}
			if text := f.content("/note/user/m-2"); strings.Contains(text, "pinned") {
				t.Errorf("pinned for every project: %s", text)
			}
		})
	})
}

// Where the user forgets what is about to be renewed, the project gets a note of its own.
func TestForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	clock := func() time.Time { return time.Date(2026, 2, 22, 12, 0, 0, 0, time.UTC) }
	memory, project := memstore.New(clock), memstore.New(clock)
	plain := mem.New(memory, mem.Options{Now: clock})
	forgets := mem.New(memory, mem.Options{Now: clock, OnBegin: func(op *mem.Operation) {
		if op.Verb() == policy.Note {
			_ = note.Forget(ctx, plain, mem.Caller{}, "m-1", nil)
		}
	}})
	_, err := note.Add(ctx, plain, mem.Caller{}, "said twice", note.Options{Scope: "user"})
	if err != nil {
		t.Fatal(err)
	}
	to := mem.New(project, mem.Options{Now: clock})
	got, err := note.Add(ctx, to, mem.Caller{}, "said twice", note.Options{User: forgets})
	if err != nil || got.Known || got.Store != to || got.Key.String() != "/note/workspace/m-1" {
		t.Errorf("%+v (%v)", got, err)
	}
	_, total, err := note.Find(ctx, plain, mem.Caller{}, note.Filter{})
	if total != 0 || err != nil {
		t.Errorf("the user has %d notes (%v)", total, err)
	}
}
