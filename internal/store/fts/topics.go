package fts

import (
	"iter"
	"strings"
)

// EachWord yields the words of a text as written but in lower case, identifiers in parts. It skips
// scripts without spaces, whose words nothing separates.
func EachWord(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s := (scanner{text: normalize(text)}); ; {
			w, ok := s.next()
			if !ok {
				return
			}
			if w.unspaced {
				continue
			}
			for part := range strings.FieldsFuncSeq(fold(w.text), isConnector) {
				if !yield(part) {
					return
				}
			}
		}
	}
}

// IsTopic reports whether a word can be of a topic, as no number, function word or word of small
// talk is, and whether it tells topics apart.
func IsTopic(word string) (topic, tells bool) {
	e := expand(word)
	if e.common || len(e.terms) == 0 || strings.Trim(word, "0123456789") == "" {
		return false, false
	}
	term := e.terms[len(e.terms)-1]
	if isShort(term) || isSmall(term) {
		return false, false
	}
	return true, !isVague(term)
}
