package forget_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var ctx = context.Background()

// fill stores what the selections are made of: live, replaced, deleted, expired, another agent's.
func fill(s *storetest.Store) {
	for _, w := range [][2]string{
		{"/a/one", `{"type":"note","text":"zanzibar","tags":["x.y"]}`},
		{"/a/one", `{"type":"note","text":"lamu","tags":["x.y"],"created_at":"2020-01-01"}`},
		{"/a/two", `{"type":"finding","text":"text","n":4711,"deep":[{"k":"Zanzibar too"}]}`},
		{"/a/gone", `{"text":"zanzibar"}`}, {"/a/gone", "null"},
		{"/a/over", `{"text":"pemba","expired_at":"2020-01-01"}`},
		{"/agent/ann/core/01ARZ3NDEKTSV4RRFFQ69G5FAV", `{"text":"zanzibar"}`},
		{"/zanzibar", `1`}, {"/plain", `"Zanzibar \"quoted\""`},
	} {
		s.Put(w[0], w[1])
	}
}

func keys(found forget.Found) string {
	var list []string
	for _, m := range found.Matches {
		list = append(list, m.Key)
	}
	return strings.Join(list, " ")
}

func prefix(text string) keypath.Prefix {
	p, err := keypath.ParsePrefix(text)
	if err != nil {
		panic(err)
	}
	return p
}

// A deletion asks what is live, a purge what ever was; neither takes what its caller is not shown,
// unless it says so.
func TestSelections(t *testing.T) {
	day := log.StampOf(storetest.Noon) - 24*3600*1e6
	const anns = "/agent/ann/core/01ARZ3NDEKTSV4RRFFQ69G5FAV"
	for name, c := range map[string]struct {
		sel        forget.Selection
		live, ever string
		left       int
	}{
		"text": {forget.Selection{Text: "ZANZIBAR"}, "/a/two /plain /zanzibar",
			"/a/gone /a/one /a/two /plain /zanzibar", 0},
		"all of a text, but for what an agent keeps": {
			forget.Selection{Text: "zanzibar", All: true}, "/a/two /plain /zanzibar",
			"/a/gone /a/one /a/two /plain /zanzibar", 0},
		"what an agent keeps, below it": {forget.Selection{Conditions: below("/agent"), All: true},
			"", "", 0},
		"a number":        {forget.Selection{Text: "471"}, "/a/two", "/a/two", 0},
		"a member's name": {forget.Selection{Text: "deep"}, "", "", 0},
		"quotes":          {forget.Selection{Text: `"quoted"`}, "/plain", "/plain", 0},
		"a source": {forget.Selection{Text: "chat", Conditions: below("/plain")}, "", "/plain",
			0},
		"a tag": {forget.Selection{Conditions: mem.SearchOptions{Tags: []string{"x"}}},
			"/a/one", "/a/one", 0},
		"a type": {forget.Selection{Conditions: mem.SearchOptions{
			Conditions: mem.Conditions{Types: []string{"finding"}}}},
			"/a/two", "/a/two", 0},
		"until": {forget.Selection{Conditions: mem.SearchOptions{
			Conditions: mem.Conditions{Until: &day}}}, "/a/one", "/a/one", 0},
		"prefix": {forget.Selection{Conditions: below("/a")}, "/a/one /a/over /a/two",
			"/a/gone /a/one /a/over /a/two", 0},
		"keys": {forget.Selection{Keys: []keypath.Key{keypath.MustParse("/a/gone"),
			keypath.MustParse(anns)}}, anns, "/a/gone " + anns, 0},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
				fill(s)
				live, err := forget.Live(ctx, s.Store, mem.Caller{}, c.sel)
				s.Must(err)
				ever, err := forget.FindEver(ctx, s.Store, mem.Caller{}, c.sel)
				s.Must(err)
				if keys(live) != c.live || live.LeftOut != c.left || keys(ever) != c.ever ||
					ever.LeftOut != c.left {
					t.Errorf("live %s (%d), ever %s (%d)", keys(live), live.LeftOut, keys(ever),
						ever.LeftOut)
				}
			})
		})
	}
}

// An agent forgets nothing of its own, and another one's key is for it as if there were nothing. A
// person forgets it by its key, and is not shown what it says.
func TestWhoForgetsWhatAnAgentKeeps(t *testing.T) {
	const anns = "/agent/ann/core/01ARZ3NDEKTSV4RRFFQ69G5FAV"
	sel := forget.Selection{Keys: []keypath.Key{keypath.MustParse(anns)}}
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		fill(s)
		ann, bob := mem.Caller{Agent: "ann"}, mem.Caller{Agent: "bob"}
		if _, err := forget.Live(ctx, s.Store, ann, sel); !errors.Is(err, policy.ErrPerson) {
			t.Errorf("ann selects her own: %v", err)
		}
		_, _, err := forget.Delete(ctx, s.Store, ann, sel.Keys, "", nil)
		_, purged := s.Store.Purge(ctx, ann, mem.PurgeOptions{Keys: sel.Keys})
		if !errors.Is(err, policy.ErrPerson) || !errors.Is(purged, policy.ErrPerson) {
			t.Errorf("ann deletes her own: %v, %v", err, purged)
		}
		if found, err := forget.FindEver(ctx, s.Store, bob, sel); err != nil || keys(found) != "" {
			t.Errorf("bob finds %v (%v)", found, err)
		}
		gone, missing, err := forget.Delete(ctx, s.Store, bob, sel.Keys, "", nil)
		if err != nil || len(gone) > 0 || len(missing) != 1 {
			t.Errorf("bob deletes %v (%v)", gone, err)
		}
		found, err := forget.Live(ctx, s.Store, mem.Caller{}, sel)
		if err != nil || keys(found) != anns || found.Matches[0].Summary != "" {
			t.Errorf("a person finds %+v (%v)", found, err)
		}
		gone, _, err = forget.Delete(ctx, s.Store, mem.Caller{}, sel.Keys, "old", nil)
		if err != nil || len(gone) != 1 {
			t.Errorf("a person deletes %v (%v)", gone, err)
		}
		for caller, want := range map[mem.Caller]bool{{}: true, ann: true, bob: false} {
			list, err := forget.Deletions(ctx, s.Store, caller)
			s.Must(err)
			i := slices.IndexFunc(list, func(d forget.Deletion) bool { return d.Key == anns })
			if (i >= 0) != want || want && list[i].Reason != "old" {
				t.Errorf("to %q listed as %+v", caller.Agent, list)
			}
		}
	})
}

func below(key string) mem.SearchOptions {
	return mem.SearchOptions{Conditions: mem.Conditions{Prefix: prefix(key)}}
}

// A purge leaves nothing to select, but for its mark; the list of deletions says why.
func TestPurgeAndDeletions(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		fill(s)
		one := []keypath.Key{keypath.MustParse("/a/one")}
		proof, err := s.Store.Purge(ctx, mem.Caller{},
			mem.PurgeOptions{Keys: one, Reason: "asked"})
		s.Must(err)
		if proof.Versions != 2 || len(proof.Remains) > 0 {
			t.Errorf("%+v", proof)
		}
		_, _, err = forget.Delete(ctx, s.Store, mem.Caller{},
			[]keypath.Key{keypath.MustParse("/plain")}, "old", nil)
		s.Must(err)
		sel := forget.Selection{Keys: one}
		if found, err := forget.FindEver(ctx, s.Store, mem.Caller{}, sel); err != nil ||
			len(found.Matches) > 0 {
			t.Errorf("%+v, %v", found, err)
		}
		sel.Marks = true
		if found, err := forget.FindEver(ctx, s.Store, mem.Caller{}, sel); err != nil ||
			keys(found) != "/a/one" {
			t.Errorf("%+v, %v", found, err)
		}
		list, err := forget.Deletions(ctx, s.Store, mem.Caller{})
		s.Must(err)
		var got []string
		for _, d := range list {
			got = append(got, d.Key+" "+d.Reason)
			if d.Purged != (d.Key == "/a/one") {
				t.Errorf("%+v", d)
			}
		}
		if want := "/plain old, /a/one asked, /a/gone chat"; strings.Join(got, ", ") != want {
			t.Errorf("%v, want %s", got, want)
		}
	})
}

// The key of a session alone is not forgotten: only all that lies below it, with it.
func TestASessionGoesAsAWhole(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		const record = "/session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"
		s.Put("/session/s1", `{"type":"session"}`)
		s.Put(record, `{"type":"finding","finding":"x"}`)
		head := []keypath.Key{keypath.MustParse("/session/s1")}
		_, err := forget.Live(ctx, s.Store, mem.Caller{}, forget.Selection{Keys: head})
		if !errors.Is(err, policy.ErrReserved) {
			t.Errorf("the session itself: %v", err)
		}
		for _, sel := range []forget.Selection{{Conditions: below("/session/s1")},
			{Keys: []keypath.Key{keypath.MustParse(record)}}} {
			if _, err := forget.Live(ctx, s.Store, mem.Caller{}, sel); err != nil {
				t.Errorf("%+v: %v", sel, err)
			}
		}
	})
}

// A deletion has the source of its caller, also with a reason.
func TestDeletionNamesItsCaller(t *testing.T) {
	byClient := []byte(`{"kind":"agent","name":"codex"}`)
	for _, c := range []struct {
		caller       mem.Caller
		source       []byte
		reason, want string
	}{
		{mem.Caller{}, nil, "", "user mem forget"},
		{mem.Caller{}, nil, "old", "user mem forget"},
		{mem.Caller{Agent: "bot"}, nil, "", "agent mem forget"},
		{mem.Caller{Agent: "bot"}, nil, "old", "agent mem forget"},
		{mem.Caller{Client: "codex"}, byClient, "old", "agent codex"},
	} {
		storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
			s.Put("/x", "1")
			x := keypath.MustParse("/x")
			_, _, err := forget.Delete(ctx, s.Store, c.caller, []keypath.Key{x}, c.reason, c.source)
			s.Must(err)
			versions, err := s.History(ctx, mem.Caller{}, x)
			s.Must(err)
			for newest, err := range versions.Rows {
				s.Must(err)
				got := jsontext.Unquote(content.Member(newest.Source, "reason"))
				if mem.SourceSummary(newest.Source) != c.want || got != c.reason {
					t.Errorf("%+v: %s", c, newest.Source)
				}
				break
			}
		})
	}
}
