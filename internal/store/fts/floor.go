package fts

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// The bounds of the floor; doc.go has the rule. A query that names a stored speaker means the
// store, so any two words are enough.
const (
	floorWorth = 0.5 // of evidence, in words that no other record has
	floorWords = 1.5 // of evidence, in words that are not vague
	floorPairs = 2   // pairs of characters: in Chinese one long word at least, and no chance
	floorScore = 0.3 // of the best hit's score

	floorName = 0.25 // of the query: one rare name in so much of it is no chance
	rareDocs  = 2    // which stands in so many records at most

	fewDocs  = 50  // among so many records little is shared by chance
	manyDocs = 800 // from so many on something always is
)

// floorShare is how much of a query, in what its words are worth, the words that are shared must
// be: where records are few, and where they are many.
var floorShare = struct{ several, alone [2]float64 }{
	several: [2]float64{0.16, 0.36}, alone: [2]float64{0.3, 0.8},
}

// evidence measures the words that a record shares with the query.
type evidence struct {
	worth  float64 // in words that no other record has
	share  float64 // of the query
	weight float64 // in words that are not vague
	words  int
	pairs  float64 // of characters; of vague words half
	named  bool    // the query names a speaker
	rarest float64 // the share of the query that the best rare name has
	crowd  float64 // how many records there are: 0 few, 1 many
}

func (e evidence) isClear() bool {
	switch {
	case e.worth < floorWorth:
		return false
	case e.rarest >= floorName:
		return true
	case e.named:
		return e.words > 1 || e.share >= floorShare.alone[0]
	case e.pairs >= floorPairs:
		return true
	case e.weight >= floorWords && e.share >= e.required(floorShare.several):
		return true
	}
	return (e.weight >= 1 || e.pairs > 0) && e.share >= e.required(floorShare.alone)
}

// required is the share that is due among so many records.
func (e evidence) required(share [2]float64) float64 {
	return share[0] + e.crowd*(share[1]-share[0])
}

// crowd grows with the logarithm of the number of records.
func crowd(docs int) float64 {
	return min(max(math.Log(float64(docs)/fewDocs)/math.Log(manyDocs/fewDocs), 0), 1)
}

// Relevant returns the hits that are clearly relevant, and brings them before the others: none,
// unless one of them shares enough with the query by itself.
func (r *Result) Relevant() ([]Hit, error) {
	if i, err := r.Evident(); i < 0 || err != nil {
		return nil, err
	}
	best := r.byScore[0].Score
	near := func(h *Hit) bool { return IsNear(h.Score, best) }
	n := PutFirst(r.arranged, near)
	r.Hits = r.s.limited(r.arranged)
	return r.Hits[:min(n, len(r.Hits))], nil
}

// PutFirst brings the chosen hits before the others, and returns how many they are.
func PutFirst[H any](hits []H, isChosen func(*H) bool) (n int) {
	var others []H
	for i := range hits {
		if isChosen(&hits[i]) {
			hits[n] = hits[i]
			n++
		} else {
			others = append(others, hits[i])
		}
	}
	copy(hits[n:], others)
	return n
}

// Evident returns the number of the best hit that shares enough with the query by itself, by the
// scores and within the limit; -1 where none does.
func (r *Result) Evident() (int, error) {
	if len(r.byScore) == 0 {
		return -1, nil
	}
	hits := r.s.limited(r.byScore)
	if i, err := r.s.evident(hits, make([]int, len(hits))); i >= 0 || err != nil {
		return i, err
	}
	copies, err := r.s.copies(hits)
	if copies == nil || err != nil {
		return -1, err
	}
	return r.s.evident(hits, copies)
}

// evident is Evident where of each hit there are so many copies besides.
func (s *search) evident(hits []Hit, copies []int) (int, error) {
	for i, h := range hits {
		e, err := s.evidence(h.doc, copies[i])
		if err != nil {
			return -1, err
		}
		if e.isClear() {
			return i, nil
		}
	}
	return -1, nil
}

// IsNear reports whether a score comes as near the best one as a hit must that is clearly relevant.
func IsNear(score, best float64) bool { return score >= floorScore*best }

// evidence weighs the terms that a doc shares with the query, without so many of the records.
func (s *search) evidence(doc uint32, without int) (e evidence, err error) {
	q, docs := s.terms, s.index.docs-without
	rarest := idf(docs, 1)
	all := q.unmatchedWeight * rarest
	e.named, e.crowd = len(q.speakers) > 0, crowd(docs)
	for i, weight := range q.evidenceWeights() {
		t := &q.terms[i]
		has := false
		if weight > 0 {
			tf, err := s.index.countsIn(&t.openTerm, doc)
			if err != nil {
				return e, err
			}
			has = tf > 0
		}
		df := t.df
		if has {
			df -= without
		}
		worth := weight * idf(docs, df)
		all += worth
		if has {
			e.add(t, weight, t.weight*worth)
			if df <= rareDocs && weight == 1 && worth > e.rarest {
				isName, err := s.names(doc, t.text)
				if err != nil {
					return e, err
				}
				if isName {
					e.rarest = worth
				}
			}
		}
	}
	e.worth /= rarest
	if all > 0 {
		e.share /= all
		e.rarest /= all
	}
	return e, nil
}

// add takes in a term that the doc has.
func (e *evidence) add(t *scoredTerm, weight, worth float64) {
	e.worth += worth
	e.share += worth
	e.weight += weight
	e.words++
	if r, _ := utf8.DecodeRuneInString(t.text); analyzer.IsUnspaced(r) {
		e.pairs += 2 * weight
	}
}

// evidenceWeights returns the evidence weight of each term; every hit that is weighed needs them.
func (q *resolvedQuery) evidenceWeights() []float64 {
	if q.evidence == nil {
		for i := range q.terms {
			q.evidence = append(q.evidence, q.evidenceWeight(q.terms[i].text))
		}
	}
	return q.evidence
}

// evidenceWeight returns how much a term can prove: a month, a small number or a word of small talk
// nothing; a pair of characters half, for two of them make a word; a vague word, one that every
// project has, a letter or a number of three digits half of that, unless the query names somebody.
func (q *resolvedQuery) evidenceWeight(term string) float64 {
	weight := 1.0
	switch r, size := utf8.DecodeRuneInString(term); {
	case strings.HasPrefix(term, analyzer.KindDate+"d"):
		return 1
	case term[0] < ' ', isSmall(term), len(term) <= 2 && term[0] >= '0' && term[0] <= '9':
		return 0
	case !analyzer.IsUnspaced(r):
	case size == len(term) || strings.ContainsAny(term, particles):
		return 0
	default:
		weight = 0.5
	}
	if len(q.speakers) == 0 && (isVague(term) || isShort(term)) {
		weight /= 2
	}
	return weight
}

// isShort reports whether a term is a letter or a number of three digits: a variable, a status.
func isShort(term string) bool {
	return utf8.RuneCountInString(term) == 1 ||
		len(term) == 3 && strings.Trim(term, "0123456789") == ""
}

// particles are Chinese characters that carry grammar: a pair with one of them mostly spans the
// border of two words.
const particles = "的了是我你您他她它们么吗呢吧啊呀嗯在就也都和与及把被这那怎什哪谁几很太再还又得着不没有"
