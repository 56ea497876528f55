package audit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/audit"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
)

var (
	ctx  = context.Background()
	none = mem.Caller{}
)

// fixture is a store under test with what is asked of an audit.
type fixture struct{ *storetest.Store }

func onEach(t *testing.T, test func(*testing.T, *fixture)) {
	t.Parallel()
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) { test(t, &fixture{s}) })
}

// put stores memories, each a second after the other: "/key content" on a line of its own.
func (f *fixture) put(list ...string) {
	f.T.Helper()
	for _, one := range list {
		key, content, _ := strings.Cut(one, " ")
		f.Clock = f.Clock.Add(time.Second)
		f.Put(key, content)
	}
}

func (f *fixture) run(o audit.Options) audit.Report {
	f.T.Helper()
	rep, err := audit.Run(ctx, f.Store.Store, none, o)
	f.Must(err)
	return rep
}

// finds checks what an audit finds: "check key others" of each finding, with semicolons.
func (f *fixture) finds(o audit.Options, want string) {
	f.T.Helper()
	var list []string
	for _, one := range f.run(o).Found {
		words := []string{one.Check, one.Key.String()}
		for _, key := range one.Others {
			words = append(words, key.String())
		}
		list = append(list, strings.Join(words, " "))
	}
	if got := strings.Join(list, "; "); got != want {
		f.T.Errorf("found %q, want %q", got, want)
	}
}

func fixOf(f audit.Finding) string {
	var list []string
	for _, one := range f.Fix.Calls {
		list = append(list, strings.Join(append([]string{one.Verb}, one.Args...), " "))
	}
	return strings.Join(list, "; ")
}

func TestStale(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.put(`/note {"text":"x"}`, `/rule {"type":"Rule","text":"y"}`, `/pin {"pinned":true}`,
			`/like {"type":"preference"}`, `/said {"created_at":"2020-01-01","text":"z"}`,
			`/over {"superseded_by":"/note"}`, `/gone {"expired_at":"2026-03-01"}`)
		f.finds(audit.Options{StaleDays: 30}, "stale /said")
		f.Clock = f.Clock.Add(30 * 24 * time.Hour)
		f.finds(audit.Options{StaleDays: 30}, "stale /note; stale /said")
		f.finds(audit.Options{StaleDays: 31}, "stale /said")
		f.finds(audit.Options{StaleDays: audit.MaxDays}, "")
		f.finds(audit.Options{StaleDays: 1 << 60}, "")
		prefix, err := keypath.ParsePrefix("/said")
		f.Must(err)
		f.finds(audit.Options{StaleDays: 30, Prefix: prefix}, "stale /said")
	})
}

func TestExpired(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.put(`/past {"text":"x","expired_at":"2020-01-01"}`, `/copy {"text":"x"}`,
			`/later {"text":"y","expired_at":"2036-01-01"}`, `/bad {"expired_at":"soon"}`)
		f.finds(audit.Options{Expired: true}, "expired /past")
		f.finds(audit.Options{Duplicates: true, StaleDays: 1, Unsourced: true}, "")
	})
}

func TestUnsourced(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		for i, source := range []string{`{"note":"x"}`, `{"kind":"user"}`, `{"name":"Ada"}`,
			`{"locator":"p. 3"}`, `{"name":" "}`, `{"locator":{}}`, `"chat"`,
			`{"locator":{"id":""}}`, `{"name":1}`} {
			w := storetest.Write(fmt.Sprintf("/k%d", i), `"x"`)
			w.Source = []byte(source)
			_, err := f.Set(ctx, none, w, mem.SetOptions{})
			f.Must(err)
		}
		f.finds(audit.Options{Unsourced: true},
			"unsourced /k0; unsourced /k4; unsourced /k5; unsourced /k7; unsourced /k8")
	})
}

// Where a store wants to know in full where everything is from, the command names all of it.
func TestUnsourcedKnowledge(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		for _, key := range []string{"/facts/a", "/other"} {
			w := storetest.Write(key, `"x"`)
			w.Source = []byte(`{"name":""}`)
			_, err := f.Set(ctx, none, w, mem.SetOptions{})
			f.Must(err)
		}
		f.Configure(`{"knowledge":["/facts"]}`)
		var fixes []string
		for _, one := range f.run(audit.Options{Unsourced: true}).Found {
			fixes = append(fixes, fixOf(one))
		}
		want := "get /facts/a; set /facts/a - --kind user --name WHO --locator WHERE FROM; " +
			"get /other; set /other - --source WHERE FROM"
		if got := strings.Join(fixes, "; "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// What a read does not show is not looked at, whatever is asked for.
func TestQuarantinedIsLeftOut(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		w := storetest.Write("/a", `{"text":"the port is 1"}`)
		w.Source = []byte(`{"kind":"web"}`)
		_, err := f.Set(ctx, none, w, mem.SetOptions{Quarantine: true})
		f.Must(err)
		f.put(`/untrusted-not {"text":"the port is 1"}`)
		rep := f.run(audit.Options{Duplicates: true, StaleDays: 1,
			Unsourced: true, Expired: true})
		if rep.Scanned != 1 || len(rep.Found) != 0 {
			t.Errorf("%+v", rep)
		}
	})
}

// duplicated are pairs of contents under two keys, and what mends them; "" for no duplicates.
var duplicated = []struct{ a, b, fix string }{
	{`{"text":"x"}`, `{"text":"x"}`, "merge /a --into /b"},
	{`{"text":"Use  tabs."}`, `{"summary":"use tabs"}`, "merge /a --into /b"},
	{`{"text":"Use tabs."}`, `{"text":"use tabs","importance":1,"tags":["x"]}`, "supersede /a /b"},
	{`{"text":"x","type":"fact"}`, `{"text":"x","type":"note","created_at":"2020-01-01"}`,
		"merge /b --into /a"},
	{`"use tabs"`, `{"text":"Use tabs!"}`, "rm /a"},
	{`"用户喜欢中文、偏好简洁。"`, `"用户喜欢中文，偏好简洁"`, "rm /a"},
	{`[1,2]`, `[1,2]`, "rm /a"}, {`"don’t"`, `"Don't!"`, "rm /a"},
	{`{"a":1,"b":{"c":"A\u0042"}}`, `{"b":{"c":"AB"},"a":1}`, "merge /a --into /b"},
	{`"!"`, `"!"`, "rm /a"},
	{`{"text":"x","due":1}`, `{"text":"x","due":2}`, ""},
	{`{"text":"x"}`, `{"text":"x","expired_at":"2036-01-01"}`, ""},
	{`{"text":1,"summary":"s"}`, `{"text":2,"summary":"s"}`, ""},
	{`{"text":"x","summary":"s"}`, `{"text":"y","summary":"s"}`, ""},
	{`{"text":"x","type":"rule"}`, `{"text":"x","type":"note"}`, ""},
	{`{"text":"x","superseded_by":"/b"}`, `{"text":"x"}`, ""},
	{`"C"`, `"C++"`, ""}, {`"1.5"`, `"15"`, ""}, {`"-5"`, `"5"`, ""}, {`"a b"`, `"ab"`, ""},
	{`[1,2]`, `[2,1]`, ""}, {`true`, `true`, ""}, {`7`, `7`, ""}, {`{}`, `{}`, ""},
	{`""`, `""`, ""}, {`[]`, `[]`, ""}, {`" "`, `" "`, ""}, {`"[1]"`, `[1]`, ""},
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	for _, c := range duplicated {
		f := &fixture{storetest.NewStore(t, storetest.Memory)}
		f.put("/a "+c.a, "/b "+c.b)
		fix := ""
		for _, one := range f.run(audit.Options{Duplicates: true}).Found {
			fix += fixOf(one)
		}
		if fix != c.fix {
			t.Errorf("%s and %s: %q, want %q", c.a, c.b, fix, c.fix)
		}
	}
}

// A note for one conversation must not take the place of what lasts.
func TestSessionNotesAreDuplicatesOfTheirKind(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.put(`/a {"text":"x"}`)
		for _, of := range []string{"c", "d"} { // in one of them the second would be known
			_, err := note.Add(ctx, f.Store.Store, none, "x", note.Options{Scope: "session",
				Source: []byte(`{"kind":"agent","name":"codex","locator":{"session":"` + of + `"}}`)})
			f.Must(err)
		}
		f.finds(audit.Options{Duplicates: true},
			"duplicates /note/session/m-2 /note/session/m-1")
	})
}

// A merge that a finding asks for keeps one of the group and leaves nothing to find.
func TestMergeMendsDuplicates(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.put(`/a {"text":"x","tags":["a"]}`, `/b {"text":"x"}`, `/c {"text":"x","tags":["c"]}`)
		f.finds(audit.Options{Duplicates: true}, "duplicates /c /a /b")
		one := f.run(audit.Options{Duplicates: true}).Found[0]
		_, err := edit.Merge(ctx, f.Store.Store, none, one.Others, one.Key, edit.MergeOptions{})
		f.Must(err)
		f.finds(audit.Options{Duplicates: true}, "")
		if got := f.Content("/c"); !strings.HasPrefix(got, `{"text":"x","tags":["a","c"]`) {
			t.Error(got)
		}
	})
}

// Memories that supersede each other are shown by no read, either: one of each circle is found, and
// its command ends the circle.
func TestDanglingCircles(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.put(`/a {"superseded_by":"/b"}`, `/b {"superseded_by":"/c"}`, `/c {"superseded_by":"/a"}`,
			`/into {"superseded_by":"/b"}`, `/old {"superseded_by":"/new"}`, `/new {"text":"y"}`,
			`/x {"superseded_by":"/y"}`, `/y {"superseded_by":"/x"}`)
		f.finds(audit.Options{Dangling: true}, "dangling /a; dangling /x")
		f.put(`/a {"text":"current"}`, `/x {"text":"current"}`)
		f.finds(audit.Options{Dangling: true}, "")
	})
}

// The records of a session that is gone are shown by no verb of sessions.
func TestDanglingRecords(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		const record = "/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"
		f.put(`/session/here {"status":"active"}`, `/session/here`+record+` {"text":"x"}`,
			`/session/gone {"status":"active"}`, `/session/gone`+record+` {"text":"y"}`)
		f.finds(audit.Options{Dangling: true}, "")
		f.put(`/session/gone null`)
		f.finds(audit.Options{Dangling: true}, "dangling /session/gone")
	})
}

// A memory whose successor is nowhere is shown by no read.
func TestDangling(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.put(`/old {"text":"x","superseded_by":"/new"}`, `/new {"text":"y"}`,
			`/wild {"text":"x","superseded_by":"the other"}`,
			`/private {"superseded_by":"/agent/ada/core/01ARZ3NDEKTSV4RRFFQ69G5FAV"}`)
		f.finds(audit.Options{Dangling: true}, "dangling /wild")
		f.put(`/new null`)
		f.finds(audit.Options{Dangling: true}, "dangling /old; dangling /wild")
		other := &fixture{storetest.NewStore(t, storetest.Memory)}
		other.put(`/new 1`)
		o := audit.Options{Dangling: true, Others: []*mem.Store{other.Store.Store}}
		f.finds(o, "dangling /wild")
		fix := f.run(o).Found[0].Fix.Calls[0]
		if got := fix.Verb + " " + strings.Join(fix.Args, " "); got != "touch /wild --current" {
			t.Error(got)
		}
	})
}
