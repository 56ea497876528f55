package mem_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

const (
	adas = "/agent/ada/journal/01ARZ3NDEKTSV4RRFFQ69G5FAV"
	bobs = "/agent/bob/core/01ARZ3NDEKTSV4RRFFQ69G5FAW"
	told = "/session/s/mem_01ARZ3NDEKTSV4RRFFQ69G5FAX"
)

// toldTo returns the keys that a caller is told of, by what it asks.
func toldTo(t *testing.T, s *mem.Store, c mem.Caller) map[string]string {
	t.Helper()
	ctx, got := context.Background(), map[string]string{}
	add := func(what string, key string) { got[what] = strings.TrimSpace(got[what] + " " + key) }
	for _, key := range []string{adas, bobs, told, "/user/tea"} {
		if _, err := s.Get(ctx, c, keypath.MustParse(key), false); err == nil {
			add("get", key)
		} else if !errors.Is(err, mem.ErrNotFound) {
			t.Fatal(err)
		}
		if v, err := s.History(ctx, c, keypath.MustParse(key)); err == nil {
			add("history", key)
			for range v.Rows {
				break
			}
		}
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.List(ctx, c, mem.Filter{}, func(rec log.Record) error {
		add("list", rec.Key.String())
		return nil
	}))
	page, err := s.Read(ctx, c, mem.ReadOptions{Limit: 1000})
	must(err)
	for _, e := range page.Entries {
		add("read", e.Key)
	}
	for what, o := range map[string]mem.SearchOptions{
		"search": {Query: "tea"}, "select": {}, "page": {Query: "tea", ForPage: true},
	} {
		found, err := s.Search(ctx, c, o)
		must(err)
		for _, f := range found {
			add(what, f.Record.Key.String())
		}
	}
	return got
}

// What is an agent's own is there for that agent alone, and what was told for who looks for it,
// whatever is asked and whatever keeps it.
func TestWhoIsToldOfWhat(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		for _, key := range []string{adas, bobs, told, "/user/tea"} {
			s.Put(key, `{"text":"tea"}`)
		}
		two := mem.JoinStores(mem.Options{}, mem.LayerMember{Store: s.Store, Layer: "one"},
			mem.LayerMember{Store: storetest.NewStore(t, storetest.Memory).Store, Layer: "two"})
		for _, c := range []struct{ agent, all, onPage string }{
			{"", told + " /user/tea", "/user/tea"},
			{"eve", told + " /user/tea", "/user/tea"},
			{"ada", adas + " " + told + " /user/tea", "/user/tea"},
			{"bob", bobs + " " + told + " /user/tea", "/user/tea"},
		} {
			for name, store := range map[string]*mem.Store{"one": s.Store, "two": two} {
				for what, got := range toldTo(t, store, mem.Caller{Agent: c.agent}) {
					want := c.all
					if what == "read" || what == "page" {
						want = c.onPage
					}
					if !sameKeys(got, want) {
						t.Errorf("%s: %s tells %q of %s, want %s", name, what, c.agent, got, want)
					}
				}
			}
		}
		isKept(t, s)
	})
}

func sameKeys(a, b string) bool {
	keys := map[string]int{}
	for _, key := range strings.Fields(a) {
		keys[key]++
	}
	for _, key := range strings.Fields(b) {
		keys[key]--
	}
	for _, n := range keys {
		if n != 0 {
			return false
		}
	}
	return true
}

// isKept checks what a count and a deletion say to another agent.
func isKept(t *testing.T, s *storetest.Store) {
	t.Helper()
	ctx, eve := context.Background(), mem.Caller{Agent: "eve"}
	st, err := s.Stat(ctx, eve)
	if err != nil || st.Live != 2 || st.Private != 2 {
		t.Errorf("%+v %v", st, err)
	}
	keys := []keypath.Key{keypath.MustParse(adas)}
	if deleted, missing, err := forgotten(s, eve, keys); err != nil || len(deleted) > 0 ||
		len(missing) != 1 {
		t.Errorf("eve deletes %v, misses %v (%v)", deleted, missing, err)
	}
	if _, _, err := s.Delete(ctx, mem.Caller{}, keys, nil); !errors.Is(err, policy.ErrReserved) {
		t.Errorf("rm deletes: %v", err)
	}
	all, left := 0, 0
	count := func(log.Record) error { all++; return nil }
	s.Must(s.List(ctx, eve, mem.Filter{All: true}, count))
	s.Must(s.List(ctx, eve, mem.Filter{LeftOut: &left}, func(log.Record) error { return nil }))
	if all != 4 || left != 2 {
		t.Errorf("%d in all, %d left out", all, left)
	}
	if deleted, _, err := forgotten(s, mem.Caller{Agent: "ada"}, keys); len(deleted) > 0 ||
		!errors.Is(err, policy.ErrPerson) {
		t.Errorf("ada deletes %v (%v)", deleted, err)
	}
	if deleted, _, err := forgotten(s, mem.Caller{}, keys); err != nil || len(deleted) != 1 {
		t.Errorf("a person deletes %v (%v)", deleted, err)
	}
}

// forgotten deletes keys as mem forget does.
func forgotten(s *storetest.Store, c mem.Caller, keys []keypath.Key) (
	deleted []mem.Outcome, missing []keypath.Key, err error) {
	op, err := s.Begin(c, policy.VerbNamed("forget"))
	s.Must(err)
	return op.Delete(context.Background(), "user", keys, nil)
}
