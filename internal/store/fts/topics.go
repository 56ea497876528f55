package fts

import (
	"iter"
	"strings"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// EachWord yields the words of a text as written but in lower case, identifiers in parts. It skips
// scripts without spaces, whose words nothing separates.
func EachWord(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s := (analyzer.Scanner{Text: analyzer.Normalize(text)}); ; {
			w, ok := s.Next()
			if !ok {
				return
			}
			if w.Unspaced {
				continue
			}
			for part := range strings.FieldsFuncSeq(analyzer.Fold(w.Text), isConnector) {
				if !yield(part) {
					return
				}
			}
		}
	}
}

// IsTopic reports whether a word can name a topic, as no number, function word or word of small
// talk does, and whether it distinguishes topics.
func IsTopic(word string) (topic, tells bool) {
	e := analyzer.Expand(word)
	if e.Common || len(e.Terms) == 0 || strings.Trim(word, "0123456789") == "" {
		return false, false
	}
	term := e.Terms[len(e.Terms)-1]
	if isShort(term) || isSmall(term) {
		return false, false
	}
	return true, !isVague(term)
}
