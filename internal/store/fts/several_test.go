package fts

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/log"
)

// Two stores, neither of which has a folder of the other, score as one that has all. What others do
// to a tail after a search was prepared does not matter to it.
func TestTwoStoresScoreAsOne(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := world{rand.New(rand.NewPCG(seed, 2))}
			var bags []*bag
			var first, second []log.Record
			for key, r := range w.records(w.IntN(250)) {
				switch {
				case strings.Count(key, "/") == 1: // they share a folder
					continue
				case strings.HasPrefix(key, "/a/"):
					first = append(first, r)
				default:
					second = append(second, r)
				}
				bags = append(bags, newBag(r))
			}
			slices.SortFunc(first, byKey)
			ix, tail := sidecarOf(t, 1<<20, first), NewTail()
			for _, r := range second {
				tail.Add(r)
			}
			m := *standard
			if seed%2 == 0 {
				m.highDFDocs, m.highDFShare = 10, 5
			}
			for range 30 {
				q, text := w.query(t)
				load := func(row int) (log.Record, error) { return first[row], nil }
				opt := Options{Now: 1.772e15, Load: load}
				want := bruteSearch(&m, bags, q, opt)
				compare(t, text, want, hitsOfTwo(t, &m, ix, tail, q, opt))
			}
		})
	}
}

func hitsOfTwo(t *testing.T, m *model, ix *Index, tail *Tail, q *Query, opt Options) []Hit {
	t.Helper()
	opt.ByScore = true
	one, err := m.prepare(ix, nil, q, opt)
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.prepare(nil, tail, q, opt)
	if err != nil {
		t.Fatal(err)
	}
	tail.Add(record("/aa", `{"text":"of somebody else"}`, 1))
	tail.Add(record("/zz", `null`, 1))
	if _, err := Search(ix, tail, Words("somebody Anna 牙科"), Options{}); err != nil {
		t.Fatal(err)
	}
	all := one.Stats().Plus(other.Stats())
	var hits []Hit
	for _, p := range []*Prepared{one, other} {
		res, err := p.Search(&all)
		if err != nil {
			t.Fatal(err)
		}
		hits = append(hits, res.Hits...)
	}
	tail.Add(record("/aa", "null", 1))
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(CompareScores(a.Score, b.Score), cmp.Compare(b.Time, a.Time),
			strings.Compare(a.Key, b.Key))
	})
	Arrange(hits, scoreAndLift)
	return hits
}
