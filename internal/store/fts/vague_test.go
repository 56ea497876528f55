package fts

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kljensen/snowball/english"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// The files of terms hold those of the words in vague_words_test.go and function_words_test.go:
// stemmed once, and not in every process. "go test ./internal/store/fts -run TestTermsOfWords
// -update" writes them anew; where sameWords changed, a second time, for the terms of the others.
func TestTermsOfWords(t *testing.T) {
	for name, is := range map[string]struct{ want, have string }{
		"small_terms.txt":         {listed(smallWords + functionWords), smallTerms},
		"vague_terms.txt":         {listed(vagueWords + " " + tradeWords), vagueTerms},
		"analyzer/same_terms.txt": {sameStems(), analyzer.SameTerms},
	} {
		if *update {
			if err := os.WriteFile(name, []byte(is.want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if is.want != is.have {
			t.Errorf("%s has other terms than the words; run this test with -update", name)
		}
	}
	for _, term := range strings.Fields(vagueTerms) {
		if !isVague(term) {
			t.Errorf("%q is not found", term)
		}
	}
	for _, term := range []string{"", "acc", "ccept", "postgresql"} {
		if isVague(term) {
			t.Errorf("%q is found", term)
		}
	}
}

// sameStems returns sameWords by the stems of its words, each once.
func sameStems() string {
	var groups []string
	for group := range strings.SplitSeq(sameWords, "|") {
		var stems []string
		for _, w := range strings.Fields(group) {
			if base, ok := analyzer.Irregular()[w]; ok {
				w = base
			}
			if term := english.Stem(w, true); !slices.Contains(stems, term) {
				stems = append(stems, term)
			}
		}
		groups = append(groups, strings.Join(stems, " "))
	}
	return strings.Join(groups, "|\n") + "\n"
}

func listed(words string) string {
	var terms []string
	for w := range strings.FieldsSeq(words) {
		terms = append(terms, termsOf(w)...)
	}
	slices.Sort(terms)
	return "\n" + strings.Join(slices.Compact(terms), "\n") + "\n"
}
