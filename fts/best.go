package fts

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
)

// best chooses the hits.
func (s *search) best() ([]Hit, error) {
	top := &top{}
	for doc := range s.candidates {
		if !s.isAllowed(doc) {
			continue
		}
		if err := s.consider(top, doc); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(*top, betterHit)
	return *top, nil
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

// consider puts a doc among the hits if it is better than the worst of them, may be shown, and has the phrases.
func (s *search) consider(top *top, doc uint32) error {
	full := s.opt.Limit > 0 && len(*top) == s.opt.Limit
	if full && s.sum[doc] < (*top)[0].Score {
		return nil
	}
	h, err := s.hit(doc)
	if err != nil || full && betterHit(h, (*top)[0]) >= 0 {
		return err
	}
	if s.opt.Keep != nil && !s.opt.Keep(h.Doc) {
		return nil
	}
	if ok, err := s.hasPhrases(&h); !ok || err != nil {
		return err
	}
	if full {
		(*top)[0] = h
		heap.Fix(top, 0)
	} else {
		heap.Push(top, h)
	}
	return nil
}

// hit describes a doc.
func (s *search) hit(doc uint32) (h Hit, err error) {
	h = Hit{Doc: Doc{Row: -1}, Score: s.sum[doc], doc: doc}
	if doc >= s.rows {
		h.Record = &s.tail.docs[doc-s.rows].rec
		h.Key, h.TS = h.Record.Key.String(), h.Record.TS
		return h, nil
	}
	h.Row = int(doc)
	if h.TS, err = s.ix.stamp(doc); err == nil {
		h.Key, err = s.ix.key(doc)
	}
	return h, err
}

// betterHit orders the better hit first.
func betterHit(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.TS, a.TS), strings.Compare(a.Key, b.Key))
}

// top is a heap of hits, the worst on top.
type top []Hit

func (t top) Len() int           { return len(t) }
func (t top) Less(i, j int) bool { return betterHit(t[i], t[j]) > 0 }
func (t top) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }

// Push is part of heap.Interface.
func (t *top) Push(x any) { *t = append(*t, x.(Hit)) }

// Pop is part of heap.Interface.
func (t *top) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}
