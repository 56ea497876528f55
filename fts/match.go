package fts

import (
	"math"
	"slices"
)

// match gives every doc the score that it has by itself, and every folder its own.
func (s *search) match() error {
	s.self, s.covered = make([]float64, s.size()), make([]float64, s.size())
	paths := pathScores{search: s, frequency: make([]float64, s.paths())}
	s.byPath = make([]float64, s.paths())
	for i := range s.terms {
		t := &s.terms[i]
		if t.wide {
			continue
		}
		if err := s.addAll(t, &paths); err != nil {
			return err
		}
	}
	slices.Sort(s.found)
	for i := range s.terms {
		if t := &s.terms[i]; t.wide {
			if err := s.addWide(t); err != nil {
				return err
			}
		}
	}
	for _, doc := range s.found {
		s.self[doc] *= s.share(s.covered[doc])
	}
	return nil
}

// share is the factor for how much of the query a record has.
func (s *search) share(covered float64) float64 {
	return math.Pow(covered/s.total, s.model.coverage)
}

// addAll counts a term in all docs that have it.
func (s *search) addAll(t *scored, paths *pathScores) error {
	err := s.each(t, func(doc uint32, tf counts) error {
		if s.covered[doc] == 0 {
			s.found = append(s.found, doc)
		}
		if t.isDate() {
			return s.addTo(doc, t, tf)
		}
		return firstOf(s.addTo(doc, t, tf), paths.add(doc, tf))
	})
	if err != nil {
		return err
	}
	return paths.finish(t)
}

// addWide counts a term in the docs that have been found by another.
func (s *search) addWide(t *scored) error {
	for _, doc := range s.found {
		tf, err := s.has(t, doc)
		if err == nil && tf > 0 {
			err = s.addTo(doc, t, tf)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *search) addTo(doc uint32, t *scored, tf counts) error {
	v, err := s.value(doc, t, tf)
	s.self[doc] += v
	s.covered[doc] += t.worth()
	return err
}

// value is what a term adds to a doc: BM25.
func (s *search) value(doc uint32, t *scored, tf counts) (float64, error) {
	if t.isDate() {
		return t.worth(), nil
	}
	length, err := s.length(doc)
	norm := s.model.norm(float64(length), s.meanLength())
	return t.worth() * s.model.saturate(s.model.frequency(tf), norm), err
}

func (s *search) meanLength() float64 { return max(float64(s.words)/float64(max(s.docs, 1)), 1) }

// pathScores scores folders as if each were one long text.
type pathScores struct {
	*search
	frequency []float64 // of the present term in each folder
	touched   []uint32
}

func (p *pathScores) add(doc uint32, tf counts) error {
	id, err := p.folder(doc)
	if err != nil || id == noFolder {
		return err
	}
	if p.frequency[id] == 0 {
		p.touched = append(p.touched, id)
	}
	p.frequency[id] += p.model.frequency(tf)
	return nil
}

// finish adds what the term is worth in the folders that have it, and goes on to the next.
func (p *pathScores) finish(t *scored) error {
	for _, id := range p.touched {
		v, err := p.pathValue(id, t, p.frequency[id])
		if err != nil {
			return err
		}
		p.byPath[id] += v
		p.frequency[id] = 0
	}
	p.touched = p.touched[:0]
	return nil
}

// pathValue is what a term adds to a folder.
func (s *search) pathValue(id uint32, t *scored, frequency float64) (float64, error) {
	words, err := s.folderWords(id)
	mean := max(float64(s.words)/float64(max(s.folders, 1)), 1)
	return t.worth() * s.model.saturate(frequency, s.model.norm(float64(words), mean)), err
}
