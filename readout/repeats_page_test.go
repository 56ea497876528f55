package readout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kljensen/snowball/english"
	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/log"
)

func saying(key, text string, at log.Stamp) Item {
	return Item{Key: key, TS: at, Fields: content.Fields{Text: text, Importance: 0.5},
		Content: []byte(`{}`)}
}

func keysOn(p Page) (keys []string) {
	for _, e := range p.Entries {
		keys = append(keys, e.Key)
	}
	return keys
}

func pageOfItems(items ...Item) Page {
	s := NewSelector(Query{Now: 100, Limit: 2000, Lexical: true})
	for i, it := range items {
		it.Match = 1 - float64(i)/100
		s.Add(it)
	}
	return s.Pack()
}

func TestAPageSaysNothingTwice(t *testing.T) {
	long := strings.Repeat("words ", 400)
	p := pageOfItems(
		saying("/a", "The port is 5432", 1), saying("/b", "the  PORT is ５４３２", 2),
		saying("/c", "The port is 5433.", 3), saying("/d", "", 4), saying("/e", "", 5),
		saying("/f", long+"one", 6), saying("/g", long+"two", 7), saying("/h", long+"TWO", 8),
	)
	got := keysOn(p)
	slices.Sort(got)
	if want := "/a /c /d /e /f /g"; strings.Join(got, " ") != want {
		t.Errorf("on the page are %v, want %s", got, want)
	}
	if p.LeftOut != 2 {
		t.Errorf("%d are left out", p.LeftOut)
	}
}

func TestTheNewerHasTheBetterPlace(t *testing.T) {
	for _, c := range []struct {
		what  string
		items []Item
		want  string
	}{
		{"what is replaced", []Item{
			saying("/old", "The settlement report is mailed to finance every Monday", 1),
			saying("/other", "Caddy serves the docs", 2),
			saying("/new", "Settlement reports go to treasury on Mondays", 3),
		}, "/new /old /other"},
		{"nothing in common", []Item{
			saying("/a", "The settlement report is mailed", 1),
			saying("/b", "Caddy serves the docs", 2),
		}, "/a /b"},
		{"three versions", []Item{
			saying("/2", "staging database lives in Frankfurt", 2),
			saying("/1", "staging database lives in Dublin", 1),
			saying("/3", "staging database moved to Paris", 3),
		}, "/3 /2 /1"},
		{"Chinese", []Item{
			saying("/old", "数据库端口是五四三二", 1), saying("/new", "数据库端口改成六四三二", 2),
		}, "/new /old"},
	} {
		if got := strings.Join(keysOn(pageOfItems(c.items...)), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// Of two lines that are akin none stands before a newer one; where none are, all stay.
func TestNoLineStandsBeforeANewerOneOfItsKind(t *testing.T) {
	some := strings.Fields("port ports ported database databases report caddy deploy friday 数据库 端口")
	rapid.Check(t, func(rt *rapid.T) {
		var entries []Entry
		for i := range rapid.IntRange(0, 12).Draw(rt, "entries") {
			list := rapid.SliceOfN(rapid.SampledFrom(some), 0, 5).Draw(rt, "words")
			entries = append(entries, Entry{Key: fmt.Sprint(i), Text: strings.Join(list, " "),
				Time: log.Stamp(rapid.IntRange(0, 5).Draw(rt, "time"))})
		}
		was := slices.Clone(entries)
		newerFirst(entries, false, func(i int) map[string]bool { return words(entries[i].Text) })
		for i, e := range entries {
			for _, o := range entries[i+1:] {
				if o.Time > e.Time && akinTexts(e.Text, o.Text) {
					rt.Fatalf("%+v stands before %+v", e, o)
				}
			}
		}
		byKey := func(a, b Entry) int { return strings.Compare(a.Key, b.Key) }
		sorted, before := slices.SortedFunc(slices.Values(entries), byKey),
			slices.SortedFunc(slices.Values(was), byKey)
		if !slices.Equal(sorted, before) {
			rt.Fatalf("%v has become %v", was, entries)
		}
	})
}

// isAkinToAny reports whether another entry may have changed places with one for being akin, or
// with the one before it.
func isAkinToAny(entries []Entry, i int) bool {
	for k, o := range entries {
		if k != i && akinTexts(o.Text, entries[i].Text) ||
			k != i-1 && akinTexts(o.Text, entries[i-1].Text) {
			return true
		}
	}
	return false
}

// akinTexts counts the stems in common once more.
func akinTexts(a, b string) bool {
	stems := func(text string) map[string]bool {
		all := map[string]bool{}
		for word := range words(text) {
			all[english.Stem(word, true)] = true
		}
		return all
	}
	x, y := stems(a), stems(b)
	n := 0
	for s := range x {
		if y[s] {
			n++
		}
	}
	return n > 0 && 2*n >= min(len(x), len(y))
}

// Of two layers that say the same the user's is told; what is pinned keeps its order.
func TestTheUsersIsTold(t *testing.T) {
	t.Parallel()
	candidate := func(layer, key, text string, at int64) Candidate {
		it := Item{Key: key, TS: log.Stamp(at), Layer: layer,
			Fields: content.Parse([]byte(`{"text":"` + text + `"}`))}
		return (&Query{}).NewCandidate(&it, Parts{})
	}
	ranked := []Candidate{
		candidate("project", "/p/1", "Never push to MAIN", 9), candidate("user", "/u/1", "x", 8),
		candidate("user", "/u/2", "never  push to main", 7), candidate("user", "/u/3", "X", 6),
		candidate("project", "/p/2", "x", 5),
	}
	pinned := []Candidate{
		candidate("user", "/r/1", "rule one of this house", 1),
		candidate("user", "/r/2", "rule two of this house", 2),
		candidate("user", "/r/3", "Rule one of this house", 3),
	}
	page, err := (&Query{Limit: 500}).PackPinned(Pinned{Rules: pinned}, 8,
		func(yield func(Candidate, error) bool) {
			for _, c := range ranked {
				if !yield(c, nil) {
					return
				}
			}
		})
	if err != nil {
		t.Fatal(err)
	}
	got, tokens := "", Tokens(Header)
	for i := range page.Entries {
		got += page.Entries[i].Key + " "
		tokens += page.Entries[i].Tokens
	}
	if got != "/r/1 /r/2 /u/2 /u/1 " || page.Tokens != tokens || page.Pinned != 2 ||
		page.MorePinned != 0 {
		t.Errorf("%sof %+v, %d tokens", got, page, tokens)
	}
}
