package fts

import (
	"cmp"
	"slices"

	"github.com/set-memory/mem/internal/base/heap"
)

func (s *search) best() ([]Hit, error) {
	t := &topHits{search: s, limit: Enough(s.opt.Limit)}
	t.hits.Before = func(a, b *Hit) bool { return t.compare(*a, *b) > 0 }
	for doc := range s.candidates {
		if !s.filter.isAllowed(doc) {
			continue
		}
		if err := t.consider(doc); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(t.hits.Items, t.compare)
	return t.hits.Items, t.addKeys()
}

// topHits holds the best hits so far.
type topHits struct {
	*search
	limit int            // 0: none
	hits  heap.Heap[Hit] // the worst on top; in no order where there is no limit
}

// consider puts a doc among the hits if it is better than the worst and may be one.
func (t *topHits) consider(doc uint32) error {
	a := t.scores.docs.accumulator(doc)
	h := Hit{Score: a.sum, FromNeighbor: a.self == 0 && t.query.hasWords(), doc: doc}
	full := t.limit > 0 && t.hits.Len() == t.limit
	if full && rounded(h.Score) < rounded(t.hits.Items[0].Score) {
		return nil
	}
	var err error
	if h.Time, err = t.index.stamp(doc); err != nil || full && t.compare(h, t.hits.Items[0]) > 0 {
		return err
	}
	if ok, err := t.mayShow(&h); !ok || err != nil {
		return err
	}
	switch {
	case full:
		t.hits.Items[0] = h
		t.hits.Fix()
	case t.limit > 0:
		t.hits.Push(h)
	default:
		t.hits.Items = append(t.hits.Items, h) // none will have to go
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
	order := make([]*Hit, t.hits.Len())
	for i := range order {
		order[i] = &t.hits.Items[i]
	}
	slices.SortFunc(order, func(a, b *Hit) int { return cmp.Compare(a.doc, b.doc) })
	keys := cursor{ix: t.index.ix}
	for _, h := range order {
		if d := t.index.inTail(h.doc); d != nil {
			h.Key = d.rec.Key.String()
		} else if h.Key, err = keys.keyOf(h.doc); err != nil {
			return err
		}
	}
	return nil
}
