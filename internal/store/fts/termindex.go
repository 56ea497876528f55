package fts

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// termIndex finds terms in a corpus: in the lists of the sidecar and in the texts of the tail.
type termIndex struct {
	*corpus
	// inTails holds the postings found in the tail, by term; a row is a document of the tail.
	inTails map[string][]posting
}

func newTermIndex(c *corpus) *termIndex {
	return &termIndex{corpus: c, inTails: map[string][]posting{}}
}

// openTerm is a term with its postings at hand.
type openTerm struct {
	text string
	df   int       // live docs in scope that have it
	list list      // in the sidecar
	tail []posting // in the tail
}

// lookInTail looks for terms in the tail, all that are known to be needed at once.
func (x *termIndex) lookInTail(terms []string) {
	if len(x.tailDocs) == 0 {
		return
	}
	var fresh []string
	for _, term := range terms {
		if _, ok := x.inTails[term]; !ok {
			x.inTails[term] = nil
			fresh = append(fresh, term)
		}
	}
	if len(fresh) == 0 {
		return
	}
	for i, docs := range x.tail.find(fresh) {
		x.inTails[fresh[i]] = docs
	}
}

// open finds a term.
func (x *termIndex) open(text string) (t openTerm, err error) {
	x.lookInTail([]string{text})
	t = openTerm{text: text, tail: x.inTails[text]}
	if x.rows > 0 {
		f, ok, err := x.ix.lookup(text)
		if err != nil {
			return t, err
		}
		if ok && f.count > 0 {
			if t.list, err = x.ix.open(f); err != nil {
				return t, err
			}
		}
	}
	return t, x.countDocs(&t)
}

// countDocs counts the live docs in scope that have a term, without decoding its list.
func (x *termIndex) countDocs(t *openTerm) error {
	if err := x.countRows(t); err != nil {
		return err
	}
	replaced, err := t.list.countOf(x.replaced)
	t.df -= replaced
	for _, p := range t.tail {
		if x.tailPos[p.row].live {
			t.df++
		}
	}
	return err
}

// manySpans is from how many spans on a list is read once rather than looked into for each.
const manySpans = 8

func (x *termIndex) countRows(t *openTerm) error {
	if len(x.scope.spans) > manySpans {
		return x.eachRow(&t.list, func(some []posting) error {
			t.df += len(some)
			return nil
		})
	}
	for _, sp := range x.scope.spans {
		from, err := t.list.rank(sp.from)
		if err != nil {
			return err
		}
		to, err := t.list.rank(sp.to)
		if err != nil {
			return err
		}
		t.df += max(to-from, 0)
	}
	return nil
}

// eachRow calls fn with the postings of the rows in scope, replaced ones too, in order, some at a
// time.
func (x *termIndex) eachRow(l *list, fn func([]posting) error) error {
	spans := x.scope.spans
	if len(spans) > manySpans {
		return l.eachBlock(spans[0].from, spans[len(spans)-1].to, func(some []posting) error {
			return fn(slices.DeleteFunc(some, func(p posting) bool {
				for len(spans) > 0 && spans[0].to <= p.row {
					spans = spans[1:]
				}
				return len(spans) == 0 || p.row < spans[0].from
			}))
		})
	}
	for _, sp := range spans {
		if err := l.eachBlock(sp.from, sp.to, fn); err != nil {
			return err
		}
	}
	return nil
}

// maxForms is how many different words a pattern may stand for; the most frequent count.
const maxForms = 100

// openPattern opens all words that a pattern stands for as one term, which has the postings of all.
func (x *termIndex) openPattern(text string) (t openTerm, err error) {
	all, err := x.termsLike(analyzer.Pattern(text))
	if err != nil {
		return t, err
	}
	var rows, tail []posting
	for _, t := range all {
		err := t.list.eachBlock(0, x.rows, func(some []posting) error {
			rows = append(rows, some...)
			return nil
		})
		if err != nil {
			return openTerm{}, err
		}
		tail = append(tail, t.tail...)
	}
	t = openTerm{text: text, tail: joined(tail)}
	if t.list, err = pack(joined(rows), x.rows); err != nil {
		return t, err
	}
	return t, x.countDocs(&t)
}

// termsLike opens the terms of the words that a pattern stands for.
func (x *termIndex) termsLike(p analyzer.Pattern) (all []openTerm, err error) {
	terms := x.tail.matchingTerms(p)
	seen := map[string]bool{}
	for _, term := range terms {
		seen[term] = true
	}
	add := func(term string) {
		if !seen[term] {
			seen[term] = true
			terms = append(terms, term)
		}
	}
	if x.rows > 0 {
		err = x.ix.withPrefix(p.Start(), func(f dictEntry) bool {
			if p.MatchesTerm(f.term) {
				add(f.term)
			}
			return len(terms) < 10*maxForms
		})
		if err == nil {
			err = x.ix.withPrefix(analyzer.KindForm+p.Start(), func(f dictEntry) bool {
				form, stem, _ := strings.Cut(f.term[len(analyzer.KindForm):], "\x00")
				if p.Matches(form) {
					add(stem)
				}
				return len(terms) < 20*maxForms
			})
		}
	}
	x.lookInTail(terms)
	for _, term := range terms {
		if err != nil {
			return nil, err
		}
		var t openTerm
		if t, err = x.open(term); t.df > 0 {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b openTerm) int { return b.df - a.df })
	return all[:min(len(all), maxForms)], err
}

// eachDoc calls fn with the live docs in scope that a term has, in order, some at a time.
func (x *termIndex) eachDoc(t *openTerm, fn func([]posting) error) error {
	err := x.eachRow(&t.list, func(some []posting) error {
		if x.deleted != nil {
			some = slices.DeleteFunc(some, func(p posting) bool { return x.isDeleted(p.row) })
		}
		return fn(some)
	})
	if err != nil {
		return err
	}
	live := make([]posting, 0, len(t.tail))
	for _, p := range t.tail {
		if x.tailPos[p.row].live {
			live = append(live, posting{x.rows + p.row, p.tf})
		}
	}
	return fn(live)
}

// countsIn returns how often a term stands in a doc.
func (x *termIndex) countsIn(t *openTerm, doc uint32) (counts, error) {
	if doc < x.rows {
		return t.list.find(doc)
	}
	byRow := func(p posting, row uint32) int { return int(p.row) - int(row) }
	i, ok := slices.BinarySearchFunc(t.tail, doc-x.rows, byRow)
	if !ok {
		return 0, nil
	}
	return t.tail[i].tf, nil
}

// joined sorts postings by row, and adds up those of one row.
func joined(all []posting) []posting {
	slices.SortFunc(all, func(a, b posting) int { return int(a.row) - int(b.row) })
	n := 0
	for _, p := range all {
		if n > 0 && all[n-1].row == p.row {
			all[n-1].tf = all[n-1].tf.sum(p.tf)
			continue
		}
		all[n] = p
		n++
	}
	return all[:n]
}

func pack(all []posting, rows uint32) (list, error) {
	var w listWriter
	for _, p := range all {
		w.add(p)
	}
	table, blocks := w.finish()
	return openList(append(slices.Clone(table), blocks...), len(all), rows)
}
