package readout

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// A page of pinned memories that were listed in part is that of all of them, however many have the
// text of another, which costs no room.
func TestPackPinnedInPart(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for range 300 {
		texts := 1 + r.IntN(60)
		list := func(folder string, n int, s Standing) (all []Candidate) {
			for i := range n {
				it := Item{Key: fmt.Sprintf("/%s/%d", folder, i)}
				it.Fields.Text = fmt.Sprintf("%d is the text of a memory", r.IntN(texts))
				q := Query{Standing: func(*Item) Standing { return s }}
				all = append(all, q.NewCandidate(&it, Parts{}))
			}
			return all
		}
		whole := Pinned{Rules: list("rule", r.IntN(80), Rule),
			Others: list("other", r.IntN(80), Fact)}
		ranked := slices.Concat(whole.Rules, list("fact", 30, Fact), whole.Others)
		q := Query{Limit: 20 + r.IntN(800), Start: r.IntN(2) == 0}
		want := packed(t, &q, whole, ranked)
		for _, most := range []int{0, 1, 7, q.MostPinned()} {
			asked := 0
			got := packed(t, &q, inPart(whole, most, &asked), ranked)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("first %d, limit %d: %+v, want %+v", most, q.Limit, got, want)
			}
			if asked > 1 {
				t.Fatalf("asked %d times for all", asked)
			}
		}
	}
}

// inPart lists the first rules and others, and counts how often all are asked for.
func inPart(whole Pinned, most int, asked *int) Pinned {
	few := min(most, len(whole.Rules))
	part := Pinned{Rules: whole.Rules[:few], More: len(whole.Rules) - few,
		Others: whole.Others[:min(most, len(whole.Others))], Cut: most < len(whole.Others)}
	part.IsMore = func(_, key string) bool {
		same := func(c Candidate) bool { return c.Key == key }
		return slices.ContainsFunc(whole.Rules[few:], same)
	}
	if part.More > 0 || part.Cut {
		part.All = func() (Pinned, error) { *asked++; return whole, nil }
	}
	return part
}

func packed(t *testing.T, q *Query, pins Pinned, ranked []Candidate) Page {
	t.Helper()
	page, err := q.PackPinned(pins, len(ranked), func(yield func(Candidate, error) bool) {
		for _, c := range ranked {
			if !yield(c, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// The error of the rest of the pinned memories is that of the page.
func TestPackPinnedFails(t *testing.T) {
	failed := errors.New("failed")
	for _, start := range []bool{false, true} {
		q := Query{Limit: 500, Start: start}
		_, err := q.PackPinned(Pinned{More: 1, All: func() (Pinned, error) {
			return Pinned{}, failed
		}}, 0, func(func(Candidate, error) bool) {})
		if !errors.Is(err, failed) {
			t.Errorf("start %t: %v", start, err)
		}
	}
}
