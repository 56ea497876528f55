package fts

import "strings"

// sought tells apart the words of a text that a query cannot be after, without stemming them: there are thousands for one that it is. Words whose first
// two letters or digits begin no term of the query only count as many.
type sought struct{ starts [36 * 36]bool }

// sought is nil for a query that is after more than whole words.
func (q *Query) sought() *sought {
	if len(q.forms) > 0 || len(q.phrases) > 0 || len(q.without) > 0 {
		return nil
	}
	s := &sought{}
	for _, term := range q.terms {
		s.add(term)
	}
	for _, name := range q.named {
		for _, term := range name {
			s.add(term)
		}
	}
	return s
}

func (s *sought) add(term string) {
	s.start(term)
	// All that stems leave of a word are its first two letters, but for dying, lying and tying.
	if len(term) > 1 && term[1] == 'i' {
		s.start(term[:1] + "y")
	}
	for form, base := range irregular() {
		if len(term) > 1 && strings.HasPrefix(base, term[:2]) && stem(base) == term {
			s.start(form)
		}
	}
}

func (s *sought) start(word string) {
	if i, ok := start(word); ok {
		s.starts[i] = true
	}
}

// start numbers the first two letters or digits of a word.
func start(word string) (i int, ok bool) {
	if len(word) < 2 {
		return 0, false
	}
	a, b := ordinal(word[0]), ordinal(word[1])
	return a*36 + b, a >= 0 && b >= 0
}

// ordinal numbers the digits and the letters in any case; -1 for anything else.
func ordinal(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'z':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// passes reports whether a word is not worth a look, and how many terms it has: none if it is one of the common ones.
func (s *sought) passes(w string) (terms int, ok bool) {
	i, ok := start(w)
	if !ok || s.starts[i] || len(w) > maxTerm {
		return 0, false
	}
	from, to := byte('a'), byte('z')
	if w[0] <= '9' {
		from, to = '0', '9'
	}
	var lower [maxTerm]byte
	lower[0] = w[0] | 0x20
	for i := 1; i < len(w); i++ {
		// A capital within may divide the word, and anything else is not as plain as this is quick.
		if lower[i] = w[i]; w[i] < from || w[i] > to {
			return 0, false
		}
	}
	if from == 'a' && stopwords()[string(lower[:len(w)])] {
		return 0, true
	}
	return 1, true
}
