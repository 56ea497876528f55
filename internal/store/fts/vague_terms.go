package fts

import (
	_ "embed"
	"strings"
)

// The terms of the words in vague_words_test.go and function_words_test.go, stemmed once and not in
// every process. TestTermsOfWords writes the files.
var (
	//go:embed small_terms.txt
	smallTerms string
	//go:embed vague_terms.txt
	vagueTerms string
)

// isSmall reports whether a term stands for small talk or grammar.
func isSmall(term string) bool { return strings.Contains(smallTerms, "\n"+term+"\n") }

// isVague reports whether a term stands for words of every topic, or of every project.
func isVague(term string) bool { return strings.Contains(vagueTerms, "\n"+term+"\n") }
