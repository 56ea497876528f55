package fts

import (
	"cmp"
	"math"
	"slices"

	"github.com/set-memory/mem/log"
)

// match gives every doc the score that it has by itself, and every folder its own.
func (s *search) match() error {
	s.scores, s.byPath = newCells(s.size()), newCells(s.paths())
	for code := range s.norms {
		s.norms[code] = s.model.norm(float64(lengthOf(byte(code))), s.meanLength())
	}
	var err error
	for i := range s.terms {
		if t := &s.terms[i]; err == nil && !t.wide {
			err = s.addAll(t)
		}
	}
	slices.Sort(s.found)
	for i := range s.terms {
		if t := &s.terms[i]; err == nil && t.wide {
			err = s.addWide(t)
		}
	}
	for _, doc := range s.found {
		c := s.scores.at(doc)
		c.self *= s.share(c.covered)
	}
	if err != nil {
		return err
	}
	return s.keepBest()
}

// share is the factor for how much of the query a record has.
func (s *search) share(covered float64) float64 { return math.Sqrt(math.Sqrt(covered / s.total)) }

// meanLength is that of the texts in scope.
func (s *search) meanLength() float64 { return max(float64(s.words)/float64(max(s.docs, 1)), 1) }

// value is what a term adds to a doc whose length has this code: BM25. Dates know no length.
func (s *search) value(t *scored, tf counts, code byte) float64 {
	if t.isDate() {
		return t.worth()
	}
	return t.worth() * s.model.saturate(s.model.frequency(tf), s.norms[code])
}

// addAll counts a term in all docs that have it, and in their folders.
func (s *search) addAll(t *scored) error {
	var once [256]float64 // what most postings add, by the length of the text
	for code := range once {
		once[code] = s.value(t, 1, byte(code))
	}
	paths := pathScore{search: s, last: noFolder}
	err := s.each(t, func(docs []posting) error {
		if err := s.fetch(docs); err != nil {
			return err
		}
		for i, p := range docs {
			v := once[s.codes[i]]
			if p.tf != 1 {
				v = s.value(t, p.tf, s.codes[i])
			}
			s.add(p.row, v, t.worth())
			if !t.isDate() {
				paths.add(s.homes[i], p.tf)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return paths.finish(t)
}

func (s *search) add(doc uint32, v, worth float64) {
	c := s.scores.at(doc)
	if c.covered == 0 {
		s.found = append(s.found, doc)
	}
	c.self += v
	c.covered += worth
}

// addWide counts a term in the docs that have been found by another.
func (s *search) addWide(t *scored) error {
	for _, doc := range s.found {
		tf, err := s.has(t, doc)
		if err != nil {
			return err
		}
		if tf == 0 {
			continue
		}
		code, err := s.lengthCode(doc)
		if err != nil {
			return err
		}
		s.add(doc, s.value(t, tf, code), t.worth())
	}
	return nil
}

// keepBest lets go of all but the best docs, if very many were found: a query of nothing but words that stand everywhere. Equals are kept
// as hits are ordered.
func (s *search) keepBest() error {
	if len(s.found) <= s.model.mostFound {
		return nil
	}
	type ranked struct {
		self float64
		ts   log.Stamp
		doc  uint32
	}
	all := make([]ranked, len(s.found))
	for i, doc := range s.found {
		ts, err := s.stamp(doc)
		if err != nil {
			return err
		}
		all[i] = ranked{s.scores.at(doc).self, ts, doc}
	}
	quickSelect(all, s.model.mostFound, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.self, a.self), cmp.Compare(b.ts, a.ts), s.compareKeys(a.doc, b.doc))
	})
	for i, r := range all {
		if i < s.model.mostFound {
			s.found[i] = r.doc
		} else {
			s.scores.at(r.doc).self = 0
		}
	}
	s.found = s.found[:s.model.mostFound]
	slices.Sort(s.found)
	return nil
}

// quickSelect brings the n least to the front, in no order.
func quickSelect[T any](all []T, n int, order func(a, b T) int) {
	for low, high := 0, len(all)-1; low < high; {
		pivot := all[low+(high-low)/2]
		i, j := low, high
		for i <= j {
			for order(all[i], pivot) < 0 {
				i++
			}
			for order(all[j], pivot) > 0 {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			high = j
		case n >= i:
			low = i
		default:
			return
		}
	}
}
