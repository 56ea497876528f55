package analyzer

import (
	_ "embed"
	"sync"
)

//go:embed same_terms.txt
var SameTerms string

// SameTerm leads the stem of a word to the stem of another that people use for it. SameTerms has
// the stems of sameWords, of the tests of package fts, so that no process has to compute them.
var SameTerm = sync.OnceValue(func() map[string]string { return leads(SameTerms) })
