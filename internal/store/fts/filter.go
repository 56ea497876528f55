package fts

import (
	"slices"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// docFilter knows which docs may be hits, by the query's conditions.
type docFilter struct {
	index   *termIndex
	allowed []uint64 // a bit for each doc; nil: all may
}

// newDocFilter finds the docs that fulfil the conditions of a query.
func newDocFilter(index *termIndex, q *Query) (*docFilter, error) {
	f := &docFilter{index: index}
	for _, tags := range q.tags {
		if err := f.requireAny(analyzer.KindTag, tags); err != nil {
			return nil, err
		}
	}
	if len(q.types) > 0 {
		if err := f.requireAny(analyzer.KindType, q.types); err != nil {
			return nil, err
		}
	}
	for _, words := range q.phrases {
		set, err := f.docsWithAll(words.terms)
		if err != nil {
			return nil, err
		}
		f.restrict(set)
	}
	for _, terms := range q.without {
		set, err := f.docsWithAll(terms)
		if err != nil {
			return nil, err
		}
		for i := range set {
			set[i] = ^set[i]
		}
		f.restrict(set)
	}
	return f, nil
}

func (q *Query) conditionTerms() (terms []string) {
	for _, tag := range slices.Concat(q.tags...) {
		terms = append(terms, analyzer.KindTag+tag)
	}
	for _, name := range q.types {
		terms = append(terms, analyzer.KindType+name)
	}
	for _, words := range q.phrases {
		terms = append(terms, words.terms...)
	}
	return append(terms, slices.Concat(q.without...)...)
}

// requireAny lets only those docs be hits that have one of some terms.
func (f *docFilter) requireAny(kind string, names []string) error {
	set := f.emptySet()
	for _, name := range names {
		if err := f.addDocs(set, kind+name); err != nil {
			return err
		}
	}
	f.restrict(set)
	return nil
}

func (f *docFilter) docsWithAll(terms []string) (all []uint64, err error) {
	for _, term := range terms {
		set := f.emptySet()
		if err := f.addDocs(set, term); err != nil {
			return nil, err
		}
		all = intersect(all, set)
	}
	return all, nil
}

func (f *docFilter) emptySet() []uint64 { return make([]uint64, (f.index.size()+63)/64) }

func (f *docFilter) addDocs(set []uint64, term string) error {
	t, err := f.index.open(term)
	if err != nil {
		return err
	}
	return f.index.eachDoc(&t, func(docs []posting) error {
		for _, p := range docs {
			set[p.row/64] |= 1 << (p.row % 64)
		}
		return nil
	})
}

func (f *docFilter) restrict(set []uint64) { f.allowed = intersect(f.allowed, set) }

// intersect returns the docs that are in both sets; it reuses the first. nil is the set of all
// docs.
func intersect(a, b []uint64) []uint64 {
	if a == nil {
		return b
	}
	for i := range b {
		a[i] &= b[i]
	}
	return a
}

func (f *docFilter) isAllowed(doc uint32) bool {
	return f.allowed == nil || f.allowed[doc/64]&(1<<(doc%64)) != 0
}
