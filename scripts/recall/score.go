package main

import "slices"

// ranks are the k of R@k.
var ranks = [...]int{1, 5, 10, 20}

// score is what one query reached, or the sum of many.
type score struct {
	at     [len(ranks)]float64
	mrr    float64
	floor  float64 // R@10 of what is clearly relevant
	packed float64 // share of the evidence on the page of a read
	n      int
}

// judge compares what was found with what should have been.
func judge(q query, a answer) (s score) {
	s.n = 1
	share := 1 / float64(max(len(q.Evidence), 1))
	rank := q.ranks(a.found)
	first := -1
	for _, r := range rank {
		s.count(r, share)
		if r < min(a.clear, 10) {
			s.floor += share
		}
		if first < 0 || r < first {
			first = r
		}
	}
	if first >= 0 {
		s.mrr = 1 / float64(first+1)
	}
	s.packed = share * float64(len(q.ranks(a.packed)))
	return s
}

// ranks gives for each piece of evidence that was found the rank of the first key that is it or says the same.
func (q query) ranks(found []string) (ranks []int) {
	for _, key := range q.Evidence {
		r := slices.IndexFunc(found, func(k string) bool { return k == key || slices.Contains(q.Alt[key], k) })
		if r >= 0 {
			ranks = append(ranks, r)
		}
	}
	return ranks
}

func (s *score) count(rank int, share float64) {
	for i, k := range ranks {
		if rank < k {
			s.at[i] += share
		}
	}
}

func (s *score) add(o score) {
	for i := range s.at {
		s.at[i] += o.at[i]
	}
	s.mrr, s.floor, s.packed, s.n = s.mrr+o.mrr, s.floor+o.floor, s.packed+o.packed, s.n+o.n
}

func (s *score) mean() score {
	m := *s
	n := float64(max(s.n, 1))
	for i := range m.at {
		m.at[i] /= n
	}
	m.mrr, m.floor, m.packed = m.mrr/n, m.floor/n, m.packed/n
	return m
}
