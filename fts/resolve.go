package fts

import (
	"slices"
	"strings"
)

// resolvedQuery is a query with its terms at hand.
type resolvedQuery struct {
	terms           []scoredTerm // those that very many docs have last
	total           float64      // what all of them are worth together
	unmatchedWeight float64      // of the words that no doc has, as evidence counts them
	speakers        []speaker    // whom the query names
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

// isDate tells the terms of dates: the length of a text does not matter to them, and a folder has
// none.
func (t *scoredTerm) isDate() bool { return strings.HasPrefix(t.text, kindDate) }

// speaker is one that the query names.
type speaker struct {
	openTerm
	idf   float64
	named []string // the terms that the name has in texts
}

// resolver opens the lists of all that a query names.
type resolver struct {
	index *termIndex
	model *model
	query *Query
	out   resolvedQuery
}

// resolve opens the terms of a query.
func (m *model) resolve(index *termIndex, q *Query, opt Options) (*resolvedQuery, error) {
	r := &resolver{index: index, model: m, query: q}
	dates := q.dateTerms(opt.Now)
	index.lookInTail(slices.Concat(q.terms, q.speakerTerms(), q.conditionTerms(), dates))
	if err := r.findSpeakers(); err != nil {
		return nil, err
	}
	for _, term := range q.terms {
		weight := 1.0
		if r.isNamed(term) {
			weight = m.named
		}
		if err := r.addTerm(term, weight); err != nil {
			return nil, err
		}
	}
	for _, term := range dates {
		if err := r.addTerm(term, m.date); err != nil {
			return nil, err
		}
	}
	for _, prefix := range q.prefixes {
		if err := r.addPrefix(prefix); err != nil {
			return nil, err
		}
	}
	r.weigh()
	return &r.out, nil
}

// findSpeakers looks which words of the query are names of speakers.
func (r *resolver) findSpeakers() error {
	for i, term := range r.query.speakerTerms() {
		t, err := r.index.open(term)
		if err != nil {
			return err
		}
		if t.df > 0 {
			idf := min(idf(r.index.docs, t.df), maxSpeakerIDF)
			r.out.speakers = append(r.out.speakers, speaker{t, idf, r.query.named[i]})
		}
	}
	return nil
}

func (r *resolver) isNamed(term string) bool {
	return slices.ContainsFunc(r.out.speakers, func(s speaker) bool {
		return slices.Contains(s.named, term)
	})
}

// addTerm takes a term in, if any doc has it.
func (r *resolver) addTerm(text string, weight float64) error {
	if slices.ContainsFunc(r.out.terms, func(t scoredTerm) bool { return t.text == text }) {
		return nil
	}
	t, err := r.index.open(text)
	if t.df == 0 || err != nil {
		// Of an identifier the parts count, which are terms of their own.
		if !strings.ContainsAny(text, connectors) {
			r.out.unmatchedWeight += r.out.evidenceWeight(text)
		}
		return err
	}
	r.out.terms = append(r.out.terms, scoredTerm{openTerm: t, weight: weight})
	return nil
}

// addPrefix takes in the beginning of a word, as one term.
func (r *resolver) addPrefix(prefix string) error {
	t, err := r.index.openPrefix(prefix)
	if err != nil || t.df == 0 {
		r.out.unmatchedWeight++
		return err
	}
	r.out.terms = append(r.out.terms, scoredTerm{openTerm: t, weight: 1})
	return nil
}

// weigh finds what the terms are worth, and which have a high document frequency, unless all would;
// it brings those to the end. To decode the list of such a term takes longer than all the rest, for
// what is hardly a difference: it counts only in docs that have another one.
func (r *resolver) weigh() {
	terms, docs, rarer := r.out.terms, r.index.docs, 0
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
