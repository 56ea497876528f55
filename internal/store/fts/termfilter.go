package fts

import (
	"strings"

	"github.com/kljensen/snowball/english"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// termFilter rules out plain words that cannot have a term of the query, without stemming them: for
// each word that has one, thousands do not. It compares the first two letters or digits, which
// stemming leaves as they are.
type termFilter struct {
	starts [36 * 36]bool // by startOf
	all    bool          // every word passes
}

// addTerm lets words pass that may have a term.
func (f *termFilter) addTerm(term string) {
	if len(term) == 1 && ordinal(term[0]) >= 0 { // as of aed: any second letter may have gone
		from := ordinal(term[0]) * 36
		for i := range int16(36) {
			f.starts[from+i] = true
		}
	}
	f.addStem(term)
	for from, to := range analyzer.SameTerm() {
		if to == term {
			f.addStem(from)
		}
	}
}

// addStem lets words pass whose stem may be this one.
func (f *termFilter) addStem(stem string) {
	if startOf(stem) < 0 {
		return // words that are not plain always pass
	}
	f.addStart(stem)
	// All that stems leave of a word are its first two letters, but for dying, lying and tying.
	if stem[1] == 'i' {
		f.addStart(stem[:1] + "y")
	}
	for form, base := range analyzer.Irregular() {
		if strings.HasPrefix(base, stem[:2]) && english.Stem(base, true) == stem {
			f.addStart(form)
		}
	}
}

// addPrefix lets words pass that may have a term, or a form of one, that begins so.
func (f *termFilter) addPrefix(prefix string) {
	if startOf(prefix) < 0 {
		f.all = true
		return
	}
	f.addTerm(prefix)
	for form, base := range analyzer.Irregular() {
		if strings.HasPrefix(base, prefix[:2]) {
			f.addStart(form)
		}
	}
	for from, to := range analyzer.SameTerm() {
		if strings.HasPrefix(to, prefix[:2]) {
			f.addStem(from)
		}
	}
}

func (f *termFilter) addStart(word string) {
	if i := startOf(word); i >= 0 {
		f.starts[i] = true
	}
}

// passes reports whether a word that begins so may have a term that is looked for; start is what
// plainStart returned.
func (f *termFilter) passes(start int16) bool { return f.all || start < 0 || f.starts[start] }

// startOf numbers the first two letters or digits of a word; -1 where it has others.
func startOf(word string) int16 {
	if len(word) < 2 {
		return -1
	}
	a, b := ordinal(word[0]), ordinal(word[1])
	if a < 0 || b < 0 {
		return -1
	}
	return a*36 + b
}

// ordinal numbers the digits and the letters in any case; -1 for anything else.
func ordinal(c byte) int16 {
	switch {
	case '0' <= c && c <= '9':
		return int16(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'z':
		return int16(c|0x20-'a') + 10
	}
	return -1
}

// plainStart returns startOf for a word that is plain digits, or plain letters of which only the
// first may be a capital, and how many terms it has: none if it is one of the common words. -1 is
// for all other words, of which only expand can tell.
func plainStart(w string) (start int16, terms int) {
	if start = startOf(w); start < 0 || len(w) > analyzer.MaxTerm {
		return -1, 0
	}
	from, to := byte('a'), byte('z')
	if w[0] <= '9' {
		from, to = '0', '9'
	}
	var lower [analyzer.MaxTerm]byte
	lower[0] = w[0] | 0x20
	for i := 1; i < len(w); i++ {
		// A capital within may divide the word, and anything else is not as plain as this is quick.
		if lower[i] = w[i]; w[i] < from || w[i] > to {
			return -1, 0
		}
	}
	if from == 'a' && analyzer.Stopwords()[string(lower[:len(w)])] {
		return start, 0
	}
	return start, 1
}
