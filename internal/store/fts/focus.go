package fts

import (
	"slices"

	"github.com/set-memory/mem/log"
)

// The bounds of [Focus].
const (
	focusMost  = 5   // hits
	focusWorth = 0.5 // of the best evidence
	focusOwn   = 0.5 // of the best score by words of its own

	// Likewise of a newer record with a name that a kept one has: it may have replaced that.
	newerWorth = 0.6
	newerOwn   = 0.35
	nameDocs   = 3 // so many records at most have such a name
)

// Evidence is what a hit has by itself, for [Focus].
type Evidence struct {
	Time  log.Stamp // as in Doc
	Terms []Shared
	Own   float64 // the score by its own words
	Clear bool    // it is evidence enough for the floor

	// Spoken is set by the caller for what somebody said: an answer often shares no word with its
	// question, so it is judged by its score, to which those beside it add.
	Spoken bool
}

// Shared is a term that a hit shares with the query.
type Shared struct {
	Term  string
	Worth float64
	Name  bool // few records have it, and it is not vague
}

func (e *Evidence) worth() float64 { return e.beyond(nil) }

// beyond returns what the evidence is worth without some terms.
func (e *Evidence) beyond(without map[string]bool) (sum float64) {
	for _, t := range e.Terms {
		if !without[t.Term] {
			sum += t.Worth
		}
	}
	return sum
}

// Focus returns which of some hits above the floor, the best first, hold against the best of them:
// at most five. Each has a good part of the best evidence and of the best score by words of its
// own; or it is newer and has a rare name of one that is kept; or it is evidence enough by words
// that none that is kept has, for a prompt may ask two things. Where none is evidence enough
// it is one. What was said is kept by its place alone.
func Focus(hits []*Evidence) (kept []bool) {
	f := focus{most: 1, covered: map[string]bool{}, names: map[string]log.Stamp{}}
	for _, e := range hits {
		f.worth, f.own = max(f.worth, e.worth()), max(f.own, e.Own)
		if e.Clear {
			f.most = focusMost
		}
	}
	kept = make([]bool, len(hits))
	for i, e := range hits {
		if f.most > 0 && f.keeps(e) {
			kept[i] = true
			f.add(e)
		}
	}
	return kept
}

// focus is one choice among hits.
type focus struct {
	worth, own float64 // the best
	most       int     // hits that may still be kept
	covered    map[string]bool
	names      map[string]log.Stamp // those of the kept hits, with the oldest time of each
}

func (f *focus) keeps(e *Evidence) bool {
	return e.Spoken || f.holds(e, focusWorth, focusOwn) ||
		f.holds(e, newerWorth, newerOwn) && slices.ContainsFunc(e.Terms, func(t Shared) bool {
			oldest, ok := f.names[t.Term]
			return ok && oldest < e.Time
		}) ||
		e.Clear && atLeast(e.beyond(f.covered), focusWorth*f.worth)
}

// holds reports whether a hit has these parts of the best evidence and of the best own score.
func (f *focus) holds(e *Evidence, worth, own float64) bool {
	return atLeast(e.worth(), worth*f.worth) && atLeast(e.Own, own*f.own)
}

// atLeast compares sums whose order, and so whose last digits, may differ.
func atLeast(sum, due float64) bool { return sum >= due*(1-1e-9) }

func (f *focus) add(e *Evidence) {
	f.most--
	for _, t := range e.Terms {
		f.covered[t.Term] = true
		if oldest, ok := f.names[t.Term]; t.Name && (!ok || e.Time < oldest) {
			f.names[t.Term] = e.Time
		}
	}
}

// Evidence returns that of the first hits; equal texts count once.
func (r *Result) Evidence(first int) ([]Evidence, error) {
	if first == 0 {
		return nil, nil
	}
	copies, err := r.s.copies(r.Hits[:first])
	if copies == nil {
		copies = make([]int, first)
	}
	list := make([]Evidence, first)
	for i := 0; i < first && err == nil; i++ {
		list[i], err = r.s.evidenceOf(&r.Hits[i], copies[i])
	}
	return list, err
}

// evidenceOf returns the evidence of a hit of which there are so many copies besides.
func (s *search) evidenceOf(h *Hit, copies int) (out Evidence, err error) {
	e, err := s.evidence(h.doc, copies)
	if err != nil {
		return out, err
	}
	out = Evidence{Time: h.Time, Own: s.scores.docs.accumulator(h.doc).self, Clear: e.isClear()}
	for i, weight := range s.terms.evidenceWeights() {
		t := &s.terms.terms[i]
		if weight == 0 {
			continue
		}
		tf, err := s.index.countsIn(&t.openTerm, h.doc)
		if err != nil {
			return out, err
		}
		if tf > 0 {
			isName := weight*t.weight >= 1 && t.df <= nameDocs
			out.Terms = append(out.Terms, Shared{t.text, weight * t.worth(), isName})
		}
	}
	return out, nil
}
