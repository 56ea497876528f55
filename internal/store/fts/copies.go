package fts

import "github.com/set-memory/mem/internal/base/content"

// A fact that was noted again is no less rare for that: the floor counts equal texts once. Which
// are equal is looked for among the hits, by their texts.

// likeness is what two hits of one text have in common: what of the query, and how long.
type likeness struct {
	covered float64
	length  byte
}

// copies returns of each hit how many others have its text (content.FoldText); nil: none.
func (s *search) copies(hits []Hit) (copies []int, err error) {
	alike := map[likeness][]int{}
	for i, h := range hits {
		l := likeness{covered: s.scores.docs.accumulator(h.doc).covered}
		if l.length, err = s.index.lengthCode(h.doc); err != nil {
			return nil, err
		}
		if l.covered != 0 {
			alike[l] = append(alike[l], i)
		}
	}
	for _, list := range alike {
		if len(list) == 1 {
			continue
		}
		if copies == nil {
			copies = make([]int, len(hits))
		}
		if err := s.countCopies(hits, list, copies); err != nil {
			return nil, err
		}
	}
	return copies, nil
}

// countCopies counts those of some hits whose texts are the same.
func (s *search) countCopies(hits []Hit, list, copies []int) error {
	texts := map[string][]int{}
	for _, i := range list {
		rec, err := s.record(hits[i].doc)
		if err != nil {
			return err
		}
		if text := content.FoldText(content.Parse(rec.Content).Text); text != "" {
			texts[text] = append(texts[text], i)
		}
	}
	for _, same := range texts {
		for _, i := range same {
			copies[i] = len(same) - 1
		}
	}
	return nil
}
