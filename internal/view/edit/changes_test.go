package edit_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

func list(t testing.TB, s *mem.Store, q edit.ChangeQuery) mem.MemoryList {
	t.Helper()
	found, err := edit.ListChanges(ctx, s, none, q)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func shown(l mem.MemoryList) string {
	var lines []string
	for _, m := range l.Memories {
		lines = append(lines, fmt.Sprintf("%s %s %v %s from %s", m.TS.String()[11:19], m.Key,
			m.Valid, m.Summary, m.Source))
	}
	return strings.Join(lines, " ")
}

func TestListChanges(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		s.Put("/a", `{"text":"one"}`)
		s.Clock = s.Clock.Add(time.Hour)
		s.Put("/b/c", `{"summary":"two"}`)
		s.Clock = s.Clock.Add(time.Hour)
		s.Put("/a", "null")
		below, err := keypath.ParsePrefix("/b")
		s.Must(err)
		const gone = `14:00:00 /a false  from "chat"`
		const two = `13:00:00 /b/c true two from "chat"`
		for _, c := range []struct {
			q    edit.ChangeQuery
			want string
			n    int
		}{
			{edit.ChangeQuery{}, gone + " " + two + ` 12:00:00 /a true one from "chat"`, 3},
			{edit.ChangeQuery{Limit: 1}, gone, 3},
			{edit.ChangeQuery{Prefix: below, Limit: 5}, two, 1},
			{edit.ChangeQuery{Since: log.StampOf(s.Clock.Add(-time.Hour))},
				gone + " " + two, 2},
			{edit.ChangeQuery{Since: log.StampOf(s.Clock) + 1}, "", 0},
		} {
			if got := list(t, s.Store, c.q); shown(got) != c.want || got.Count != c.n {
				t.Errorf("%+v: %d: %s", c.q, got.Count, shown(got))
			}
		}
	})
}

// Of two stores that are read as one each write says where it is, and all are in one order.
func TestListChangesOfTwoLayers(t *testing.T) {
	user := storetest.NewStore(t, storetest.Memory)
	project := storetest.NewStore(t, storetest.Memory)
	user.Put("/a", "1")
	project.Clock = project.Clock.Add(time.Hour)
	project.Put("/a", "2")
	user.Clock = user.Clock.Add(2 * time.Hour)
	user.Put("/a", "3")
	both := mem.JoinStores(mem.Options{Now: func() time.Time { return user.Clock }},
		mem.LayerMember{Store: project.Store, Layer: "project"},
		mem.LayerMember{Store: user.Store, Layer: "user"})
	var layers []string
	for _, m := range list(t, both, edit.ChangeQuery{}).Memories {
		layers = append(layers, m.Layer)
	}
	if want := []string{"user", "project", "user"}; !slices.Equal(layers, want) {
		t.Errorf("%v, want %v", layers, want)
	}
}

// The newest of a limit are those of the whole list.
func TestNewestChanges(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := storetest.NewStore(t, storetest.Memory)
		for range rapid.IntRange(0, 30).Draw(r, "writes") {
			s.Clock = storetest.Noon.Add(time.Duration(rapid.IntRange(-9, 9).Draw(r, "h")) *
				time.Hour)
			s.Put(rapid.SampledFrom([]string{"/a", "/b", "/c"}).Draw(r, "key"),
				rapid.SampledFrom([]string{"1", "null"}).Draw(r, "content"))
		}
		all := list(t, s.Store, edit.ChangeQuery{}).Memories
		limit := rapid.IntRange(1, 10).Draw(r, "limit")
		got := list(t, s.Store, edit.ChangeQuery{Limit: limit})
		want := mem.MemoryList{Memories: all[:min(limit, len(all))]}
		if got.Count != len(all) || shown(got) != shown(want) {
			r.Fatalf("%s\nwant %s", shown(got), shown(want))
		}
	})
}

func TestFindPair(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		var at []log.Stamp
		for _, text := range []string{"1", "2", "null", "4"} {
			at = append(at, s.Put("/a", text).TS)
		}
		s.Put("/one", "1")
		for _, c := range []struct {
			key  string
			at   []log.Stamp
			want string // both contents, or the error
		}{
			{"/a", nil, "null 4"}, {"/a", at[:1], "1 4"}, {"/a", at[1:3], "2 null"},
			{"/a", []log.Stamp{at[3], at[0]}, "4 1"}, {"/a", at[3:], "4 4"},
			{"/a", []log.Stamp{7}, edit.ErrNoVersion.Error()},
			{"/a", []log.Stamp{at[0], 7}, edit.ErrNoVersion.Error()},
			{"/one", nil, edit.ErrFirst.Error()}, {"/none", nil, mem.ErrNotFound.Error()},
		} {
			p, err := edit.FindPair(ctx, s.Store, none, keypath.MustParse(c.key), c.at...)
			got := fmt.Sprintf("%s %s", p.From.Content, p.To.Content)
			if err != nil {
				got = strings.TrimPrefix(err.Error(), c.key+": ")
			}
			if got != c.want || err != nil && mem.KindOf(err) != mem.KindNo {
				t.Errorf("%s %v: %s, want %s", c.key, c.at, got, c.want)
			}
		}
		if _, err := edit.FindPair(ctx, s.Store, none, keypath.MustParse("/one")); !errors.Is(err,
			edit.ErrFirst) {
			t.Error(err)
		}
	})
}
