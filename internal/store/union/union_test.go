package union_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/union"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
	"pgregory.net/rapid"
)

// Two stores, neither of which has a folder of the other, are read as one that holds all.
func TestTwoStoresReadAsOne(t *testing.T) {
	for _, kind := range []storetest.Kind{storetest.Memory, storetest.Files} {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { readAsOne(t, rt, kind) })
		})
	}
}

func readAsOne(t *testing.T, rt *rapid.T, kind storetest.Kind) {
	whole, a, b := newStore(t, kind), newStore(t, kind), newStore(t, kind)
	home := map[string]*store{}
	for _, shelf := range shelves {
		home[shelf] = rapid.SampledFrom([]*store{a, b}).Draw(rt, shelf)
	}
	var list []record
	for i := range rapid.IntRange(0, 40).Draw(rt, "records") {
		r := drawRecord(rt, rapid.SampledFrom(shelves).Draw(rt, "shelf"))
		// Equal texts count once in the floor of a store, which knows of those in no other.
		r.content = strings.Replace(r.content, `"text":"`, fmt.Sprintf(`"text":"n%d `, i), 1)
		list = append(list, r)
	}
	compactAt := rapid.IntRange(-1, len(list)).Draw(rt, "compact before")
	compactOne := rapid.Bool().Draw(rt, "one is compacted")
	// A compaction drops what has expired by the newest ts of its store.
	for i := range list {
		if compactOne || i < compactAt {
			list[i].content = strings.Replace(list[i].content, "22T11:00", "22T14:00", 1)
		}
	}
	putAll(list, compactAt, func(r record) []*store {
		for shelf, s := range home {
			if prefix(shelf).Holds(keypath.MustParse(r.key)) {
				return []*store{whole, s}
			}
		}
		panic(r.key)
	})
	if compactOne {
		b.compact()
	}
	u := over(union.Member{Backend: a, Layer: "a"}, union.Member{Backend: b, Layer: "b"})
	one, two := snapshot(t, whole), snapshot(t, u)
	same(t, "newest", two.Newest(), one.Newest())
	for _, under := range append(shelves, "/", "/lib/a/3") {
		same(t, "below "+under, below(t, two, under), below(t, one, under))
	}
	for _, r := range list {
		sameRecord(t, u, two, one, keypath.MustParse(r.key))
	}
	text := rapid.SampledFrom(queries).Draw(rt, "query")
	for _, w := range wheres() {
		sameRankings(t, two, one, w)
		sameSelections(t, two, one, w)
		sameHits(t, two, one, text, w)
	}
}

// sameRecord checks what is said of one key.
func sameRecord(t *testing.T, u backend.Backend, two, one backend.Snapshot, key keypath.Key) {
	t.Helper()
	want, wanted, err := one.Get(ctx, key)
	must(t, err)
	got, found, err := two.Get(ctx, key)
	must(t, err)
	again, _, err := u.Get(ctx, key)
	must(t, err)
	if same(t, key.String(), found, wanted); found {
		same(t, key.String(), []string{string(got.Line), string(again.Line)},
			[]string{string(want.Line), string(want.Line)})
	}
	has, err := two.Has(ctx, key, noon)
	must(t, err)
	same(t, "has", has, wanted && !content.Expired(want.Content, noon))
}

func sameRankings(t *testing.T, two, one backend.Snapshot, w backend.Where) {
	t.Helper()
	for _, q := range []readout.Query{
		{Limit: 60, Now: noon}, {Limit: 2000, Now: noon, Tags: []string{"t1"}},
	} {
		got, n := ranked(t, two, q, w)
		want, m := ranked(t, one, q, w)
		same(t, fmt.Sprintf("%+v", w), got, want)
		same(t, "considered", n, m)
	}
}

func sameSelections(t *testing.T, two, one backend.Snapshot, w backend.Where) {
	t.Helper()
	for _, order := range []backend.Order{backend.NewestFirst, backend.MostImportantFirst,
		backend.ByScore(func(p backend.SortKey) float64 { return p.Importance })} {
		for _, limit := range []int{0, 5} {
			want, err := one.Select(ctx, w, order, limit)
			must(t, err)
			got, err := two.Select(ctx, w, order, limit)
			must(t, err)
			same(t, fmt.Sprintf("%d of %+v", limit, w), keysOf(got), keysOf(want))
			if limit == 0 {
				same(t, fmt.Sprintf("one by one, %+v", w), selected(t, two, w, order), keysOf(want))
			}
		}
	}
}

// selected returns the keys of what a snapshot yields one by one.
func selected(t *testing.T, s backend.Snapshot, w backend.Where, o backend.Order) (keys []string) {
	t.Helper()
	for p, err := range s.Selected(ctx, w, o) {
		must(t, err)
		keys = append(keys, p.Record.Key.String())
	}
	return keys
}

func keysOf(list []log.Record) (keys []string) {
	for _, rec := range list {
		keys = append(keys, rec.Key.String())
	}
	return keys
}

func sameHits(t *testing.T, two, one backend.Snapshot, text string, w backend.Where) {
	t.Helper()
	for _, o := range []backend.SearchOptions{
		{}, {Limit: 3}, {Limit: 20, Relevant: true}, {Limit: 5, Explain: true},
		{Limit: 2, Relevant: true}, {Limit: 20, Relevant: true, Focus: true},
	} {
		same(t, fmt.Sprintf("%s %+v %+v", text, w, o),
			comparable(searched(t, two, text, w, o), o),
			comparable(searched(t, one, text, w, o), o))
	}
}

// A record hides those of later members, unless it has expired or is left out itself.
func TestShadows(t *testing.T) {
	for _, kind := range []storetest.Kind{storetest.Memory, storetest.Files} {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { shadows(t, rt, kind) })
		})
	}
}

func shadows(t *testing.T, rt *rapid.T, kind storetest.Kind) {
	stores := []*store{newStore(t, kind), newStore(t, kind)}
	var list []record
	at := map[int]*store{}
	for i := range rapid.IntRange(0, 40).Draw(rt, "records") {
		shelf := rapid.SampledFrom([]string{"/lib", "/user"}).Draw(rt, "shelf")
		list = append(list, drawRecord(rt, shelf))
		list[i].ts += log.Stamp(i) // so that the index can be told by it
		at[i] = rapid.SampledFrom(stores).Draw(rt, "store")
	}
	i := -1
	compactAt := rapid.IntRange(-1, len(list)).Draw(rt, "compact before")
	putAll(list, compactAt, func(record) []*store { i++; return []*store{at[i]} })

	members := []union.Member{
		{Backend: stores[0], Layer: "0", Without: backend.Classes(0).With(keypath.Personal)},
		{Backend: stores[1], Layer: "1"},
	}
	if rapid.Bool().Draw(rt, "the first refuses") {
		members[0].Accept = isOdd
	}
	s := snapshot(t, over(members...))
	shown, told := expected(t, members)
	same(t, "below", below(t, s, "/"), linesOf(shown))
	for key, rec := range shown {
		got, found, err := s.Get(ctx, rec.Key)
		must(t, err)
		same(t, key, []any{found, got.Layer, string(got.Line)},
			[]any{true, rec.Layer, string(rec.Line)})
	}
	isRankedAndFound(t, s, told)
}

// A record hides none that has a higher rank, in every kind of read.
func TestRank(t *testing.T) {
	cases := []struct {
		ranks [2]int
		get   string
		below []string
	}{
		{[2]int{0, 0}, "0", []string{"0"}}, {[2]int{1, 1}, "0", []string{"0"}},
		{[2]int{1, 0}, "0", []string{"0"}}, {[2]int{-1, 0}, "1", []string{"1", "0"}},
		{[2]int{0, 1}, "1", []string{"1", "0"}}, {[2]int{-1, 1}, "1", []string{"1", "0"}},
	}
	for _, kind := range []storetest.Kind{storetest.Memory, storetest.Files} {
		for _, c := range cases {
			var members []union.Member
			for i, rank := range c.ranks {
				s := newStore(t, kind)
				s.put(record{key: "/lib/a", content: `{"text":"dentist"}`, ts: noon - 1})
				members = append(members, union.Member{Backend: s, Layer: fmt.Sprint(i),
					Rank: func(log.Record) int { return rank }})
			}
			s := snapshot(t, over(members...))
			rec, _, err := s.Get(ctx, keypath.MustParse("/lib/a"))
			must(t, err)
			same(t, "get", []string{rec.Layer}, []string{c.get})
			var below, found []string
			for rec, err := range s.ScanBelow(ctx, keypath.Prefix{}) {
				must(t, err)
				below = append(below, rec.Layer)
			}
			same(t, "below", below, c.below)
			for _, h := range searched(t, s, "dentist", backend.Where{Now: noon},
				backend.SearchOptions{}) {
				found = append(found, h.Record.Layer)
			}
			slices.SortFunc(found, func(a, b string) int { return strings.Compare(b, a) })
			same(t, "found", found, c.below)
		}
	}
}

// A member may have keys that it hides from nobody: all but Get show both records.
func TestShares(t *testing.T) {
	for _, kind := range []storetest.Kind{storetest.Memory, storetest.Files} {
		t.Run(string(kind), func(t *testing.T) {
			stores := []*store{newStore(t, kind), newStore(t, kind)}
			for i, s := range stores {
				for _, key := range []string{"/user/lang", "/lib/a", fmt.Sprint("/user/only/", i)} {
					text := fmt.Sprintf(`{"text":"dentist of %d","tags":["t0"]}`, i)
					putAll([]record{{key: key, content: text, ts: noon - 1}}, -1,
						func(record) []*store { return []*store{s} })
				}
			}
			s := snapshot(t, over(
				union.Member{Backend: stores[0], Layer: "0", Shares: func(key keypath.Key) bool {
					return key.Class() == keypath.Personal
				}}, union.Member{Backend: stores[1], Layer: "1"}))
			var got []string
			for rec, err := range s.ScanBelow(ctx, keypath.Prefix{}) {
				must(t, err)
				got = append(got, rec.Key.String()+" "+rec.Layer)
				first, found, err := s.Get(ctx, rec.Key)
				must(t, err)
				if !found || first.Layer > rec.Layer {
					t.Errorf("get %s: %+v", rec.Key, first)
				}
			}
			same(t, "below", got, []string{"/lib/a 0", "/user/lang 0", "/user/lang 1",
				"/user/only/0 0", "/user/only/1 1"})
			got = nil
			for _, h := range searched(t, s, "dentist", backend.Where{Now: noon},
				backend.SearchOptions{}) {
				got = append(got, h.Record.Key.String()+" "+h.Record.Layer)
			}
			slices.Sort(got)
			same(t, "found", got, []string{"/lib/a 0", "/user/lang 0", "/user/lang 1",
				"/user/only/0 0", "/user/only/1 1"})
		})
	}
}

// expected returns what Get and Below show of each key, and what rankings and searches do.
func expected(t *testing.T, members []union.Member) (shown, told map[string]log.Record) {
	shown, told = map[string]log.Record{}, map[string]log.Record{}
	for _, m := range members {
		for rec, err := range snapshot(t, m.Backend).ScanBelow(ctx, keypath.Prefix{}) {
			must(t, err)
			rec = rec.Clone()
			rec.Layer = m.Layer
			key, over := rec.Key.String(), content.Expired(rec.Content, noon)
			if m.Without.Has(rec.Key.Class()) || m.Accept != nil && !m.Accept(rec) {
				continue
			}
			if old, ok := shown[key]; !ok || content.Expired(old.Content, noon) && !over {
				shown[key] = rec
			}
			if _, ok := told[key]; !ok && !over {
				told[key] = rec
			}
		}
	}
	return shown, told
}

func linesOf(records map[string]log.Record) (list []string) {
	for _, rec := range records {
		list = append(list, fmt.Sprint(rec.Key, " ", rec.TS, " ", string(rec.Content)))
	}
	slices.Sort(list)
	slices.SortFunc(list, func(a, b string) int {
		ka, _, _ := strings.Cut(a, " ")
		kb, _, _ := strings.Cut(b, " ")
		return strings.Compare(ka, kb)
	})
	return list
}

// isRankedAndFound checks that a ranking and a search show just these records.
func isRankedAndFound(t *testing.T, s backend.Snapshot, told map[string]log.Record) {
	t.Helper()
	q, w := readout.Query{Limit: 4000, Now: noon}, backend.Where{Now: noon}
	sel := readout.NewSelector(q)
	for _, rec := range told {
		sel.Add(mem.ItemOf(rec))
	}
	var want []string
	for _, c := range sel.Sorted() {
		want = append(want, fmt.Sprint(c.Key, " ", c.TS, " ", c.Layer))
	}
	r, err := s.Rank(ctx, q, w)
	must(t, err)
	var got []string
	for c, err := range r.Rows {
		must(t, err)
		got = append(got, fmt.Sprint(c.Key, " ", c.TS, " ", c.Layer))
	}
	same(t, "ranked", got, want)
	if r.Considered < len(got) {
		t.Errorf("%d considered of %d", r.Considered, len(got))
	}

	got, want = nil, nil
	all := searched(t, s, "tag:t0,t1,t2", w, backend.SearchOptions{})
	for _, h := range all {
		got = append(got, fmt.Sprint(h.Record.Layer, string(h.Record.Line)))
	}
	for _, rec := range told {
		want = append(want, fmt.Sprint(rec.Layer, string(rec.Line)))
	}
	slices.Sort(got)
	slices.Sort(want)
	same(t, "found", got, want)

	o := backend.SearchOptions{Limit: 3}
	all = searched(t, s, "dentist port", w, backend.SearchOptions{})
	few := searched(t, s, "dentist port", w, o)
	same(t, "cut", comparable(few, o), comparable(all[:min(len(all), 3)], o))
}

func TestHistoryAndVersions(t *testing.T) {
	a, b := newStore(t, storetest.Memory), newStore(t, storetest.Files)
	a.put(record{"/x", "1", noon}, record{"/y", "2", noon + 1})
	b.put(record{"/x", "3", noon - 5}, record{"/x", "null", noon + 5})
	b.compact()
	u := over(union.Member{Backend: a, Layer: "a"}, union.Member{Backend: b, Layer: "b"})
	var got []string
	for rec, err := range u.History(ctx) {
		must(t, err)
		got = append(got, fmt.Sprint(rec.Layer, rec.Key, string(rec.Content)))
	}
	same(t, "history", got, []string{"a/x1", "a/y2", "b/x3", "b/xnull"})
	v, err := u.Versions(ctx, keypath.MustParse("/x"))
	must(t, err)
	got = nil
	for rec, err := range v.Rows {
		must(t, err)
		got = append(got, fmt.Sprint(rec.Layer, string(rec.Content)))
	}
	same(t, "versions", got, []string{"bnull", "a1", "b3"})
	same(t, "count", v.Count, 3)
	if v, err := u.Versions(ctx, keypath.MustParse("/none")); err != nil || v.Count != 0 {
		t.Errorf("versions of nothing: %v %v", v, err)
	}
	// A tombstone deletes in its own store.
	rec, found, err := u.Get(ctx, keypath.MustParse("/x"))
	same(t, "get", []any{rec.Layer, found, err}, []any{"a", true, nil})
}

func TestItIsOnlyRead(t *testing.T) {
	a, b := newStore(t, storetest.Memory), newStore(t, storetest.Memory)
	u := union.New(union.Member{Backend: a}, union.Member{Backend: b})
	err := u.Update(ctx, backend.Caller{}, "set", func(backend.Tx) error { return nil })
	if !errors.Is(err, union.ErrReadOnly) {
		t.Errorf("update: %v", err)
	}
	u.Journal("ops.jsonl").Append([]byte("{}\n"), 100)
	for s, want := range map[*store]string{a: "", b: "{}\n"} {
		text, err := s.Journal("ops.jsonl").Read(100)
		must(t, err)
		same(t, "journal", string(text), want)
	}
}

// failing is a snapshot that cannot say what it has.
type failing struct{ backend.Snapshot }

var errBroken = errors.New("broken")

func (failing) Has(context.Context, keypath.Key, log.Stamp) (bool, error) {
	return false, errBroken
}

// failingStore has such snapshots.
type failingStore struct{ backend.Backend }

func (f failingStore) Snapshot(ctx context.Context) (backend.Snapshot, error) {
	s, err := f.Backend.Snapshot(ctx)
	return failing{s}, err
}

// Where it cannot be told whether a record is hidden, nothing is shown in its place.
func TestErrorsAreReturned(t *testing.T) {
	a, b := newStore(t, storetest.Memory), newStore(t, storetest.Files)
	a.put(record{"/x", `"words"`, noon})
	b.put(record{"/y", `"words"`, noon})
	s := snapshot(t, union.New(
		union.Member{Backend: failingStore{a}}, union.Member{Backend: b}))
	w := backend.Where{Now: noon}
	r, err := s.Rank(ctx, readout.Query{Limit: 100, Now: noon}, w)
	must(t, err)
	var last error
	for _, err := range r.Rows {
		last = cmp.Or(last, err)
	}
	if !errors.Is(last, errBroken) {
		t.Errorf("rank: %v", last)
	}
	_, err = s.Search(ctx, fts.Words("words"), w, backend.SearchOptions{})
	if !errors.Is(err, errBroken) {
		t.Errorf("search: %v", err)
	}
}

// What an earlier member hides is not near, nor what a member leaves out; the nearest comes first,
// from whichever member.
func TestNear(t *testing.T) {
	t.Parallel()
	const text = "The writer takes the lock and opens the log"
	for _, kind := range []storetest.Kind{storetest.Memory, storetest.Files} {
		a, b := newStore(t, kind), newStore(t, kind)
		a.put(record{"/a", `{"text":"The writer takes the lock and opens the door"}`, noon},
			record{"/hidden", `{"text":"of something else"}`, noon})
		b.put(record{"/b", `{"text":"` + text + `"}`, noon},
			record{"/hidden", `{"text":"` + text + `"}`, noon},
			record{"/user/b", `{"text":"` + text + `"}`, noon})
		u := over(union.Member{Backend: a, Layer: "a"}, union.Member{Backend: b, Layer: "b",
			Without: backend.Classes(0).With(keypath.Personal)})
		for limit, want := range []string{"[]", "[/b]", "[/b /a]", "[/b /a]"} {
			got, err := u.Match(ctx, fts.NewNear(text), backend.Where{Now: noon}, limit)
			must(t, err)
			if fmt.Sprint(keysOf(got)) != want || limit > 1 && got[1].Layer != "a" {
				t.Errorf("%s: %d near: %v, want %s", kind, limit, keysOf(got), want)
			}
		}
	}
}
