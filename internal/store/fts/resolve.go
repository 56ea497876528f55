package fts

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/log"
)

// resolvedQuery is a query with its terms at hand.
type resolvedQuery struct {
	terms           []scoredTerm // those that very many docs have last
	total           float64      // what all of them are worth together
	unmatchedWeight float64      // of the words that no doc has, as evidence counts them
	speakers        []speaker    // whom the query names

	evidence []float64 // by term, how much it can prove; nil: not asked for yet
}

// scoredTerm is a term of the query that some doc has.
type scoredTerm struct {
	openTerm
	weight float64
	idf    float64
	highDF bool // in so many docs that it counts only where another term stands
}

// worth is what the term adds where it is the only word of a text.
func (t *scoredTerm) worth() float64 { return t.weight * t.idf }

// isDate reports whether the term is a date: the length of a text does not matter for dates, and
// the text of a folder has none.
func (t *scoredTerm) isDate() bool { return strings.HasPrefix(t.text, analyzer.KindDate) }

// speaker is a speaker that the query names.
type speaker struct {
	openTerm
	idf   float64
	named []string // the terms that the name has in texts
}

// openQuery is the lists of all that a query names, those of what no doc has among them.
type openQuery struct {
	speakers []openTerm // by the number of the name
	terms    []openTerm
	dates    []openTerm
	patterns []openTerm
	spoken   []openTerm // one: which records have a speaker
}

func (x *termIndex) openQuery(q *Query, now log.Stamp) (o *openQuery, err error) {
	o = &openQuery{}
	speakers, dates, spoken := q.speakerTerms(), q.dateTerms(now), []string{analyzer.KindSpeaker}
	x.lookInTail(slices.Concat(q.terms, speakers, q.conditionTerms(), dates, spoken))
	for _, part := range [...]struct {
		texts []string
		open  func(string) (openTerm, error)
		to    *[]openTerm
	}{
		{speakers, x.open, &o.speakers}, {q.terms, x.open, &o.terms}, {dates, x.open, &o.dates},
		{q.patternTexts(), x.openPattern, &o.patterns}, {spoken, x.open, &o.spoken},
	} {
		*part.to = make([]openTerm, len(part.texts))
		for i, text := range part.texts {
			if (*part.to)[i], err = part.open(text); err != nil {
				return nil, err
			}
		}
	}
	return o, nil
}

// resolver finds out what the terms of a query are worth.
type resolver struct {
	model *model
	query *Query
	docs  int
	out   resolvedQuery
}

// resolve weighs the terms of a query among so many docs. How many have each of them is in all;
// nil: as many as it was opened for.
func (m *model) resolve(o *openQuery, q *Query, docs int, all *Stats) *resolvedQuery {
	if all != nil {
		o.count(all)
	}
	r := &resolver{model: m, query: q, docs: docs}
	r.findSpeakers(o.speakers)
	for _, t := range o.terms {
		weight := 1.0
		if r.isNamed(t.text) {
			weight = m.named
		}
		r.addTerm(t, weight)
	}
	for _, t := range o.dates {
		r.addTerm(t, m.date)
	}
	for _, t := range o.patterns {
		r.addPattern(t)
	}
	r.weigh()
	return &r.out
}

// findSpeakers looks which words of the query are names of speakers.
func (r *resolver) findSpeakers(names []openTerm) {
	for i, t := range names {
		if t.df > 0 {
			idf := min(idf(r.docs, t.df), maxSpeakerIDF)
			r.out.speakers = append(r.out.speakers, speaker{t, idf, r.query.named[i]})
		}
	}
}

func (r *resolver) isNamed(term string) bool {
	return slices.ContainsFunc(r.out.speakers, func(s speaker) bool {
		return slices.Contains(s.named, term)
	})
}

// addTerm takes a term in, if any doc has it.
func (r *resolver) addTerm(t openTerm, weight float64) {
	if slices.ContainsFunc(r.out.terms, func(o scoredTerm) bool { return o.text == t.text }) {
		return
	}
	if t.df > 0 {
		r.out.terms = append(r.out.terms, scoredTerm{openTerm: t, weight: weight})
	} else if !strings.ContainsAny(t.text, analyzer.Connectors) &&
		!slices.Contains(r.query.implied, t.text) {
		// Of an identifier the parts count, which are terms of their own.
		r.out.unmatchedWeight += r.out.evidenceWeight(t.text)
	}
}

// addPattern takes in the beginning of a word, as one term.
func (r *resolver) addPattern(t openTerm) {
	if t.df == 0 {
		r.out.unmatchedWeight++
		return
	}
	r.out.terms = append(r.out.terms, scoredTerm{openTerm: t, weight: 1})
}

// weigh finds what the terms are worth, and which have a high document frequency, unless all would;
// it brings those to the end. To decode the list of such a term takes longer than the rest of the
// search, and hardly changes the result: so it counts only in docs that have another term.
func (r *resolver) weigh() {
	terms, docs, rarer := r.out.terms, r.docs, 0
	for i := range terms {
		t := &terms[i]
		t.idf = idf(docs, t.df)
		t.highDF = t.df > r.model.highDFDocs && t.df > docs/r.model.highDFShare
		if !t.highDF {
			rarer++
		}
		r.out.total += t.worth()
	}
	for i := range terms {
		terms[i].highDF = terms[i].highDF && rarer > 0
	}
	slices.SortStableFunc(terms, func(a, b scoredTerm) int {
		switch {
		case a.highDF == b.highDF:
			return 0
		case a.highDF:
			return 1
		}
		return -1
	})
}
