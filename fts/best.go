package fts

import (
	"cmp"
	"container/heap"
	"slices"
)

// best chooses the hits.
func (s *search) best() ([]Hit, error) {
	t := &top{search: s}
	for doc := range s.candidates {
		if !s.isAllowed(doc) {
			continue
		}
		if err := t.consider(doc); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(t.hits, t.order)
	return t.hits, t.addKeys()
}

// addKeys completes the hits.
func (t *top) addKeys() (err error) {
	for i := range t.hits {
		if t.hits[i].Key, err = t.key(t.hits[i].doc); err != nil {
			return err
		}
	}
	return nil
}

// candidates yields the docs that the words of the query lead to; all docs where it has conditions and no words.
func (s *search) candidates(yield func(uint32) bool) {
	if s.query.hasWords() || !s.query.hasConditions() {
		for _, doc := range s.reached {
			if !yield(doc) {
				return
			}
		}
		return
	}
	for doc := range uint32(s.size()) {
		if s.isLive(doc) && !yield(doc) {
			return
		}
	}
}

// top holds the best docs so far: a heap, the worst on top.
type top struct {
	*search
	hits []Hit
}

// consider puts a doc among the hits if it is better than the worst of them, may be shown, and has the phrases.
func (t *top) consider(doc uint32) error {
	c := t.scores.at(doc)
	h := Hit{Score: c.sum, Lent: c.self == 0 && t.query.hasWords(), doc: doc}
	full := t.opt.Limit > 0 && len(t.hits) == t.opt.Limit
	if full && h.Score < t.hits[0].Score {
		return nil
	}
	var err error
	if h.TS, err = t.stamp(doc); err != nil || full && t.order(h, t.hits[0]) > 0 {
		return err
	}
	if ok, err := t.mayShow(&h); !ok || err != nil {
		return err
	}
	if full {
		t.hits[0] = h
		heap.Fix(t, 0)
	} else {
		heap.Push(t, h)
	}
	return nil
}

// mayShow asks the caller and the text.
func (t *top) mayShow(h *Hit) (bool, error) {
	if h.Row = int(h.doc); h.doc >= t.rows {
		h.Row, h.Record = -1, &t.tail.docs[h.doc-t.rows].rec
	}
	if t.opt.Keep != nil && !t.opt.Keep(h.Doc) {
		return false, nil
	}
	return t.hasPhrases(h)
}

// order puts the better hit first: by score, then the newer, then by key.
func (t *top) order(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.TS, a.TS), t.compareKeys(a.doc, b.doc))
}

func (t *top) Len() int           { return len(t.hits) }
func (t *top) Less(i, j int) bool { return t.order(t.hits[i], t.hits[j]) > 0 }
func (t *top) Swap(i, j int)      { t.hits[i], t.hits[j] = t.hits[j], t.hits[i] }

// Push is part of heap.Interface.
func (t *top) Push(x any) { t.hits = append(t.hits, x.(Hit)) }

// Pop is part of heap.Interface.
func (t *top) Pop() any {
	last := len(t.hits) - 1
	x := t.hits[last]
	t.hits = t.hits[:last]
	return x
}
