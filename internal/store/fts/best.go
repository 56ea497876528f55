package fts

import (
	"cmp"
	"container/heap"
	"slices"
)

// best chooses the hits.
func (s *search) best() ([]Hit, error) {
	t := &topHits{search: s, limit: Enough(s.opt.Limit)}
	for doc := range s.candidates {
		if !s.filter.isAllowed(doc) {
			continue
		}
		if err := t.consider(doc); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(t.hits, t.compare)
	return t.hits, t.addKeys()
}

// topHits holds the best hits so far: a heap, the worst on top.
type topHits struct {
	*search
	limit int // 0: none
	hits  []Hit
}

// consider puts a doc among the hits if it is better than the worst of them, may be shown, and has
// the phrases.
func (t *topHits) consider(doc uint32) error {
	a := t.scores.docs.at(doc)
	h := Hit{Score: a.sum, FromNeighbor: a.self == 0 && t.query.hasWords(), doc: doc}
	full := t.limit > 0 && len(t.hits) == t.limit
	if full && rounded(h.Score) < rounded(t.hits[0].Score) {
		return nil
	}
	var err error
	if h.Time, err = t.index.stamp(doc); err != nil || full && t.compare(h, t.hits[0]) > 0 {
		return err
	}
	if ok, err := t.mayShow(&h); !ok || err != nil {
		return err
	}
	switch {
	case full:
		t.hits[0] = h
		heap.Fix(t, 0)
	case t.limit > 0:
		heap.Push(t, h)
	default:
		t.hits = append(t.hits, h) // none will have to go
	}
	return nil
}

// mayShow asks the caller and the text.
func (t *topHits) mayShow(h *Hit) (bool, error) {
	d := t.docOf(h.doc)
	h.Row, h.Record = d.Row, d.Record
	if t.opt.Keep != nil && !t.opt.Keep(h.Doc) {
		return false, nil
	}
	if h.FromNeighbor {
		if ok, err := t.isLent(h.doc); !ok || err != nil {
			return false, err
		}
	}
	return t.hasPhrases(h)
}

// compare puts the better hit first.
func (t *topHits) compare(a, b Hit) int {
	return t.index.compare(rankedDoc{a.Score, a.Time, a.doc}, rankedDoc{b.Score, b.Time, b.doc})
}

// addKeys completes the hits, in the order of their rows: several keys stand in one block.
func (t *topHits) addKeys() (err error) {
	order := make([]*Hit, len(t.hits))
	for i := range order {
		order[i] = &t.hits[i]
	}
	slices.SortFunc(order, func(a, b *Hit) int { return cmp.Compare(a.doc, b.doc) })
	keys := cursor{ix: t.index.ix}
	for _, h := range order {
		if d := t.index.inTail(h.doc); d != nil {
			h.Key = d.rec.Key.String()
		} else if h.Key, err = keys.at(h.doc); err != nil {
			return err
		}
	}
	return nil
}

func (t *topHits) Len() int           { return len(t.hits) }
func (t *topHits) Less(i, j int) bool { return t.compare(t.hits[i], t.hits[j]) > 0 }
func (t *topHits) Swap(i, j int)      { t.hits[i], t.hits[j] = t.hits[j], t.hits[i] }

// Push is part of heap.Interface.
func (t *topHits) Push(x any) { t.hits = append(t.hits, x.(Hit)) }

// Pop is part of heap.Interface.
func (t *topHits) Pop() any {
	last := len(t.hits) - 1
	x := t.hits[last]
	t.hits = t.hits[:last]
	return x
}
