package readout

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/set-memory/mem/log"
)

// Shortlist finds the rows that a [Selector] of the same query could keep, when scoring is cheap and everything else (the key, the
// text) costs a read: a million memories are scored, and a few hundred read. Rows come in the order of their keys, so a tie on score and
// time is settled by the row number as it would be by the key.
type Shortlist struct {
	query      Query
	most       int
	picks      picks
	considered int
}

// pick is one row that may get in.
type pick struct {
	total float64
	ts    log.Stamp
	row   int
}

// NewShortlist begins a shortlist.
func NewShortlist(q Query) *Shortlist {
	s := NewSelector(q)
	return &Shortlist{query: s.query, most: s.most}
}

// Add considers a row. Of the item only TS and the fields that score are needed; whether its key may be shown is the caller's to know.
func (s *Shortlist) Add(row int, it *Item) {
	parts, ok := s.query.score(it)
	if !ok {
		return
	}
	s.considered++
	if len(s.picks) < s.most {
		heap.Push(&s.picks, pick{parts.Total, it.TS, row})
		return
	}
	if p := (pick{parts.Total, it.TS, row}); parts.Total >= s.picks[0].total && better(p, s.picks[0]) < 0 {
		s.picks[0] = p
		heap.Fix(&s.picks, 0)
	}
}

// Rows gives the shortlisted rows, best first, and how many were considered beside them.
func (s *Shortlist) Rows() (rows []int, others int) {
	slices.SortFunc(s.picks, better)
	for _, p := range s.picks {
		rows = append(rows, p.row)
	}
	return rows, s.considered - len(rows)
}

// better orders the better pick first, as rank does.
func better(a, b pick) int {
	return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(b.ts, a.ts), cmp.Compare(a.row, b.row))
}

// picks is a heap with the worst on top.
type picks []pick

func (p picks) Len() int           { return len(p) }
func (p picks) Less(i, j int) bool { return better(p[i], p[j]) > 0 }
func (p picks) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }

// Push is part of heap.Interface.
func (p *picks) Push(x any) { *p = append(*p, x.(pick)) }

// Pop is part of heap.Interface.
func (p *picks) Pop() any {
	last := len(*p) - 1
	x := (*p)[last]
	*p = (*p)[:last]
	return x
}

// Passed counts memories that were considered elsewhere, and did not make the shortlist.
func (s *Selector) Passed(n int) { s.considered += n }
