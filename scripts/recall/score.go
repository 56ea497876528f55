package main

import "slices"

// ranks are the k of R@k.
var ranks = [...]int{1, 5, 10, 20}

// The columns of a score.
const (
	mrr    = len(ranks) + iota
	floor  // R@10 of what is clearly relevant
	packed // share of the evidence on the page of a read
	columns
)

// score is what one query reached, R@k first, or the sum of many.
type score [columns]float64

// judge compares what was found with what should have been.
func judge(q query, a answer) (s score) {
	share := 1 / float64(max(len(q.Evidence), 1))
	found := q.ranks(a.found)
	for _, r := range found {
		for i, k := range ranks {
			if r < k {
				s[i] += share
			}
		}
		if r < min(a.clear, 10) {
			s[floor] += share
		}
	}
	if len(found) > 0 {
		s[mrr] = 1 / float64(slices.Min(found)+1)
	}
	s[packed] = share * float64(len(q.ranks(a.packed)))
	return s
}

// ranks returns for each piece of evidence that was found the rank of the first key that is it or
// says the same.
func (q query) ranks(found []string) (ranks []int) {
	for _, key := range q.Evidence {
		r := slices.IndexFunc(found, func(k string) bool { return k == key || slices.Contains(q.Alt[key], k) })
		if r >= 0 {
			ranks = append(ranks, r)
		}
	}
	return ranks
}
