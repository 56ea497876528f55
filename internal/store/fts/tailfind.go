package fts

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// tailQuery looks for some terms in all docs of a tail at once.
type tailQuery struct {
	terms  map[string]int // in which list each is
	lists  [][]posting
	filter termFilter
	pairs  map[[2]rune]int // the terms of one or two characters; of one, the first is 0
	runes  [16]uint64      // a bit for each that is in one of those, in short
}

// find returns the docs that have some terms, for each term in the order of the docs.
func (t *Tail) find(terms []string) [][]posting {
	q := &tailQuery{
		terms: map[string]int{}, lists: make([][]posting, len(terms)), pairs: map[[2]rune]int{},
	}
	for i, term := range terms {
		q.terms[term] = i
		q.filter.addTerm(term)
		q.addPair(term, i)
	}
	matches := make(map[*tailReader]*wordMatches, len(t.readers))
	for _, r := range t.readers {
		matches[r] = q.match(r)
	}
	for row, d := range t.docs {
		if len(d.tokens) > 0 {
			q.scan(uint32(row), d.tokens, matches[d.reader])
		}
	}
	return q.lists
}

// addPair takes in a term of one or two characters.
func (q *tailQuery) addPair(term string, list int) {
	chars := []rune(term)
	switch len(chars) {
	case 1:
		q.pairs[[2]rune{0, chars[0]}] = list
	case 2:
		q.pairs[[2]rune{chars[0], chars[1]}] = list
	default:
		return
	}
	for _, c := range chars {
		q.runes[c/64%16] |= 1 << (c % 64)
	}
}

// wordMatches says which words of a reader have terms that are looked for.
type wordMatches struct {
	of    []uint32 // by the number of the word: its place in lists; 0: it has none
	lists [][]int
}

// match finds the words of a reader that have terms which are looked for.
func (q *tailQuery) match(r *tailReader) *wordMatches {
	m := &wordMatches{of: make([]uint32, len(r.known)), lists: make([][]int, 1)}
	for i := range r.known {
		w := &r.known[i]
		if !q.filter.passes(w.start) {
			continue
		}
		w.expand()
		var lists []int
		for _, term := range w.terms {
			if list, ok := q.terms[term]; ok {
				lists = append(lists, list)
			}
		}
		if lists != nil {
			m.of[i] = uint32(len(m.lists))
			m.lists = append(m.lists, lists)
		}
	}
	return m
}

// scan goes through one doc.
func (q *tailQuery) scan(row uint32, tokens []token, words *wordMatches) {
	field, last := analyzer.Text, rune(0)
	for _, t := range tokens {
		switch value := t &^ tokenKind; t & tokenKind {
		case tokenWord:
			if match := words.of[value]; match != 0 {
				for _, list := range words.lists[match] {
					q.count(list, row, field)
				}
			}
		case tokenRune:
			c := rune(value)
			if q.runes[c/64%16]&(1<<(c%64)) != 0 {
				q.countPairs(last, c, row, field)
			}
			last = c
		case tokenField:
			field = analyzer.Field(value)
		case tokenRun:
			last = 0
		}
	}
}

// countPairs counts a character, and the pair that it makes with the one before it.
func (q *tailQuery) countPairs(last, c rune, row uint32, field analyzer.Field) {
	if list, ok := q.pairs[[2]rune{0, c}]; ok {
		q.count(list, row, field)
	}
	if last == 0 {
		return
	}
	if list, ok := q.pairs[[2]rune{last, c}]; ok {
		q.count(list, row, field)
	}
}

func (q *tailQuery) count(list int, row uint32, field analyzer.Field) {
	all := q.lists[list]
	if n := len(all); n > 0 && all[n-1].row == row {
		all[n-1].tf = all[n-1].tf.plus(field)
		return
	}
	q.lists[list] = append(all, posting{row, counts(0).plus(field)})
}

// matchingTerms returns the terms that a pattern stands for, or of which it stands for a form in a
// text.
func (t *Tail) matchingTerms(p analyzer.Pattern) (terms []string) {
	var filter termFilter
	filter.addPrefix(p.Start())
	for _, r := range t.readers {
		for i := range r.known {
			w := &r.known[i]
			if filter.passes(w.start) {
				w.expand()
				terms = w.appendLike(terms, p)
			}
		}
	}
	for _, d := range t.docs {
		terms = appendRunPrefix(terms, d.tokens, p.Start())
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

func (w *tailWord) appendLike(terms []string, p analyzer.Pattern) []string {
	for _, term := range w.terms {
		if p.MatchesTerm(term) {
			terms = append(terms, term)
		}
	}
	for _, s := range w.forms {
		if p.Matches(s.Form) {
			terms = append(terms, s.Term)
		}
	}
	return terms
}

// appendRunPrefix adds the characters and pairs of a doc's runs that begin with a prefix.
func appendRunPrefix(terms []string, tokens []token, prefix string) []string {
	first, size := utf8.DecodeRuneInString(prefix)
	if first < utf8.RuneSelf { // runs have none of these
		return terms
	}
	for i, t := range tokens {
		if t != tokenRune|token(first) {
			continue
		}
		text := string(first)
		if size == len(prefix) {
			terms = append(terms, text)
		}
		if i+1 < len(tokens) && tokens[i+1]&tokenKind == tokenRune {
			if text += string(rune(tokens[i+1] &^ tokenKind)); strings.HasPrefix(text, prefix) {
				terms = append(terms, text)
			}
		}
	}
	return terms
}
