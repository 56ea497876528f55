package fts

import (
	"cmp"
	"math"
	"slices"

	"github.com/set-memory/mem/log"
)

// scorer computes the scores of docs.
type scorer struct {
	most  int // docs of a score of their own that go on
	index *termIndex
	model *model
	query *resolvedQuery

	info     docInfo
	norms    [256]float64 // by the code of a length
	docs     accumulators
	byFolder accumulators
	found    []uint32 // docs with a score of their own, in order
	reached  []uint32 // docs with any score
}

func newScorer(index *termIndex, m *model, query *resolvedQuery, ranked int) *scorer {
	s := &scorer{index: index, model: m, query: query, info: docInfo{corpus: index.corpus}}
	if s.most = m.mostFound; ranked > 0 {
		s.most = min(s.most, ranked)
	}
	s.docs, s.byFolder = newAccumulators(index.size()), newAccumulators(index.folderCount())
	for code := range s.norms {
		s.norms[code] = m.norm(float64(lengthOf(byte(code))), index.meanLength())
	}
	return s
}

// score scores all docs that the words of the query lead to.
func (s *scorer) score() error {
	for _, step := range [...]func() error{
		s.match, s.keepBest, s.spread, s.boostSpeakers, s.boostFolders,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// match computes the score that every doc has by itself, and that of every folder.
func (s *scorer) match() (err error) {
	terms := s.query.terms
	for i := range terms {
		if t := &terms[i]; err == nil && !t.highDF {
			err = s.addAll(t)
		}
	}
	slices.Sort(s.found)
	for i := range terms {
		if t := &terms[i]; err == nil && t.highDF {
			err = s.addHighDF(t)
		}
	}
	for _, doc := range s.found {
		a := s.docs.accumulator(doc)
		a.self *= s.coverage(a.covered)
	}
	return err
}

// coverage is the factor for how much of the query a record has.
func (s *scorer) coverage(covered float64) float64 {
	return math.Sqrt(math.Sqrt(covered / s.query.total))
}

// value is what a term adds to a doc whose length has this code: BM25. Dates know no length.
func (s *scorer) value(t *scoredTerm, tf counts, code byte) float64 {
	if t.isDate() {
		return t.worth()
	}
	return t.worth() * s.model.saturate(s.model.frequency(tf), s.norms[code])
}

// addAll counts a term in all docs that have it, and in their folders.
func (s *scorer) addAll(t *scoredTerm) error {
	var once [256]float64 // what most postings add, by the length of the text
	for code := range once {
		once[code] = s.value(t, 1, byte(code))
	}
	folders := folderScore{scorer: s, last: noFolder}
	err := s.index.eachDoc(&t.openTerm, func(docs []posting) error {
		if err := s.info.read(docs); err != nil {
			return err
		}
		for i, p := range docs {
			v := once[s.info.lengths[i]]
			if p.tf != 1 {
				v = s.value(t, p.tf, s.info.lengths[i])
			}
			s.add(p.row, v, t.worth())
			if !t.isDate() {
				folders.add(s.info.folderIDs[i], p.tf)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return folders.finish(t)
}

func (s *scorer) add(doc uint32, v, worth float64) {
	a := s.docs.accumulator(doc)
	if a.covered == 0 {
		s.found = append(s.found, doc)
	}
	a.self += v
	a.covered += worth
}

// addHighDF counts a term in the docs that have been found by another.
func (s *scorer) addHighDF(t *scoredTerm) error {
	for _, doc := range s.found {
		tf, err := s.index.countsIn(&t.openTerm, doc)
		if err != nil {
			return err
		}
		if tf == 0 {
			continue
		}
		code, err := s.index.lengthCode(doc)
		if err != nil {
			return err
		}
		s.add(doc, s.value(t, tf, code), t.worth())
	}
	return nil
}

type rankedDoc struct {
	score float64
	ts    log.Stamp
	doc   uint32
}

// compare puts the better doc first: by score, then the newer, then by key.
func (c *corpus) compare(a, b rankedDoc) int {
	return cmp.Or(
		CompareScores(a.score, b.score),
		cmp.Compare(b.ts, a.ts), c.compareKeys(a.doc, b.doc))
}

// keepBest drops all but the best docs, if very many were found: by a query of nothing but words
// that stand everywhere. Equals are kept as hits are ordered.
func (s *scorer) keepBest() error {
	most := s.most
	if len(s.found) <= most {
		return nil
	}
	all := make([]rankedDoc, len(s.found))
	for i, doc := range s.found {
		ts, err := s.index.stamp(doc)
		if err != nil {
			return err
		}
		all[i] = rankedDoc{s.docs.accumulator(doc).self, ts, doc}
	}
	quickSelect(all, most, s.index.compare)
	for i, r := range all {
		if i < most {
			s.found[i] = r.doc
		} else {
			s.docs.accumulator(r.doc).self = 0
		}
	}
	s.found = s.found[:most]
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

// CompareScores puts the greater score first. Scores that differ only in their last bits are equal:
// then the newer record comes first, then that with the lesser key.
func CompareScores(a, b float64) int { return cmp.Compare(rounded(b), rounded(a)) }

// rounded returns a score without the last bits, in which the order of its sum shows: a search
// with a sidecar and one without must rank alike.
func rounded(score float64) float64 { return math.Round(score * 1e9) }
