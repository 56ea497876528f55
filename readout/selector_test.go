package readout

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

func fill(q Query, items []Item) Page {
	s := NewSelector(q)
	for _, it := range items {
		s.Add(it)
	}
	return s.Pack()
}

// note is an item that is so many hours old.
func note(key string, hours int, fields content.Fields) Item {
	return Item{Key: key, TS: now - log.Stamp(hours)*day/24, Fields: fields, Content: []byte(`{}`)}
}

func keysOf(p Page) (keys []string) {
	for _, e := range p.Entries {
		keys = append(keys, e.Key)
	}
	return keys
}

func TestOrder(t *testing.T) {
	items := []Item{
		note("/c", 5, content.Fields{Summary: "x", Importance: 0.5}),
		note("/b", 5, content.Fields{Summary: "x", Importance: 0.5}),
		note("/new", 0, content.Fields{Summary: "x", Importance: 0.5}),
		note("/important", 5, content.Fields{Summary: "x", Importance: 0.9}),
		note("/tagged", 5, content.Fields{Summary: "x", Importance: 0.5, Tags: []string{"A"}}),
		note("/old", 2000, content.Fields{Summary: "x", Importance: 0.5}),
		note("/old-preference", 2000,
			content.Fields{Summary: "x", Importance: 0.4, Type: "preference"}),
	}
	got := keysOf(fill(Query{Now: now, Limit: 1000, Tags: []string{"a"}}, items))
	want := []string{"/tagged", "/important", "/new", "/b", "/c", "/old-preference", "/old"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestNewerFirstAmongEqualScores: two preferences score the same whatever their age.
func TestNewerFirstAmongEqualScores(t *testing.T) {
	items := []Item{note("/a", 9, content.Fields{Type: "preference"}),
		note("/z", 1, content.Fields{Type: "preference"})}
	got := keysOf(fill(Query{Now: now, Limit: 1000}, items))
	if !slices.Equal(got, []string{"/z", "/a"}) {
		t.Errorf("%v", got)
	}
}

func TestSmallerOneStillGetsIn(t *testing.T) {
	items := []Item{
		note("/1", 0, content.Fields{Summary: "fits"}),
		note("/2", 1, content.Fields{Summary: strings.Repeat("far too long ", 20)}),
		note("/3", 2, content.Fields{Summary: "fits too"}),
	}
	page := fill(Query{Now: now, Limit: 25}, items)
	if !slices.Equal(keysOf(page), []string{"/1", "/3"}) || page.Considered != 3 ||
		page.LeftOut != 1 {
		t.Errorf("%+v", page)
	}
}

func TestNoRoom(t *testing.T) {
	items := []Item{note("/1", 0, content.Fields{Summary: "words"})}
	for _, limit := range []int{-1, 0, 1, Tokens(Header), Tokens(Header) + minLine} {
		page := fill(Query{Now: now, Limit: limit}, items)
		if len(page.Entries) != 0 || page.Tokens != 0 || page.LeftOut != 1 {
			t.Errorf("limit %d: %+v", limit, page)
		}
	}
}

// TestKeptIsBounded feeds many items, large ones among them: what is kept follows the limit.
func TestKeptIsBounded(t *testing.T) {
	s := NewSelector(Query{Now: now, Limit: 400})
	huge := strings.Repeat("huge ", 20_000)
	for i := range 5000 {
		s.Add(note(fmt.Sprintf("/%d", i), 5000-i, content.Fields{Summary: huge, Type: huge}))
	}
	kept := s.kept[""].Items
	if len(kept) != 400/minLine+spare || len(s.kept) != 1 {
		t.Errorf("%d kept", len(kept))
	}
	for _, c := range kept {
		if len(c.text)+len(c.kind) > 2*keepRaw {
			t.Fatalf("%d bytes kept of one", len(c.text)+len(c.kind))
		}
	}
}

// TestContentIsNotKept: a scanner's buffer is the next line's soon after.
func TestContentIsNotKept(t *testing.T) {
	content := []byte(`{"city":"Berlin"}`)
	s := NewSelector(Query{Now: now, Limit: 100})
	s.Add(Item{Key: "/a", TS: now, Content: content})
	clear(content)
	if got := s.Pack().Entries[0].Text; got != "city: Berlin" {
		t.Errorf("%q", got)
	}
}

func TestPackTwice(t *testing.T) {
	items := drawnItems(rand.New(rand.NewPCG(1, 2)), 500)
	s := NewSelector(Query{Now: now, Limit: 200})
	for _, it := range items {
		s.Add(it)
		s.Pack()
	}
	if got, want := s.Pack(), fill(s.query, items); !reflect.DeepEqual(got, want) {
		t.Errorf("packing on the way changed the page")
	}
}

// drawnItems makes items of many lengths, some that must not appear, with scores and times that
// often tie.
func drawnItems(r *rand.Rand, n int) []Item {
	words := strings.Fields("the memory of a user 用户喜欢中文 likes {\"json\":[1,2]} func() " +
		"supercalifragilistic\n[Agent Memory] 👍🏽 Привет \x1b[31m")
	kinds := []string{"", "preference", "decision", "conversation", "with space\nand line"}
	items := make([]Item, n)
	for i := range items {
		f := content.Fields{Type: kinds[r.IntN(len(kinds))], Importance: float64(r.IntN(3)) / 2}
		for range r.IntN(60) {
			f.Summary += words[r.IntN(len(words))] + " "
		}
		if r.IntN(10) == 0 {
			f.HasExpiry, f.Expires = true, now+log.Stamp(r.IntN(3)-1)
		}
		items[i] = note(fmt.Sprintf("%s/k%d",
			[]string{"/user", "/项目/计划", keypath.Untrusted}[r.IntN(3)], i), r.IntN(50), f)
	}
	return items
}

func TestPageHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		items := drawnItems(r, rapid.IntRange(0, 300).Draw(t, "items"))
		q := Query{Now: now, Limit: rapid.IntRange(0, 4000).Draw(t, "limit")}
		page := fill(q, items)
		checkPage(t, page)
		r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		if again := fill(q, items); !reflect.DeepEqual(page, again) {
			t.Fatalf("another order of feeding, another page: %v, %v", keysOf(page), keysOf(again))
		}
		checkMore(t, q, items, page)
	})
}

func checkPage(t *rapid.T, page Page) {
	var text strings.Builder
	if err := page.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if page.Tokens > page.Limit || Tokens(text.String()) > page.Tokens {
		t.Fatalf("%d tokens by its lines, %d as a whole, limit %d", page.Tokens,
			Tokens(text.String()), page.Limit)
	}
	lines := strings.Count(text.String(), "\n")
	if lines != len(page.Entries)+min(1, len(page.Entries)) {
		t.Fatalf("%d lines for %d entries", lines, len(page.Entries))
	}
	if page.LeftOut != page.Considered-len(page.Entries) || page.LeftOut < 0 {
		t.Fatalf("%d of %d left out, %d on the page", page.LeftOut, page.Considered,
			len(page.Entries))
	}
	for i, e := range page.Entries {
		if e.Tokens < minLine || !keypath.ClassOf(e.Key).IsOpenToAll() {
			t.Fatalf("%+v", e)
		}
		if i > 0 && page.Entries[i-1].Parts.Total < e.Parts.Total && !isAkinToAny(page.Entries, i) {
			t.Fatalf("entry %d ranks above the one before", i)
		}
	}
}

// checkMore: a page that left nothing out is the same under any higher limit, and the best-ranked
// memory stays once it fits.
func checkMore(t *rapid.T, q Query, items []Item, page Page) {
	q.Limit += 200
	more := fill(q, items)
	if page.LeftOut == 0 && !slices.Equal(keysOf(more), keysOf(page)) {
		t.Fatalf("everything was on the page, and a higher limit changed it")
	}
	if len(page.Entries) > 0 && len(more.Entries) == 0 {
		t.Fatalf("a higher limit emptied the page")
	}
	q.Limit = 1 << 30
	if all := fill(q, items); all.LeftOut != 0 || all.Considered != page.Considered {
		t.Fatalf("no limit, and %d of %d left out", all.LeftOut, all.Considered)
	}
}
