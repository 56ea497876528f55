package fts

import (
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"pgregory.net/rapid"
)

// A word that is skipped has no term that is looked for, and has as many terms as are counted for
// it.
func TestSkippedWordsHaveNoTermOfTheQuery(t *testing.T) {
	var forms []string
	for form := range analyzer.Irregular() {
		forms = append(forms, form)
	}
	slices.Sort(forms)
	forms = append(forms, strings.Fields(analyzer.CommonWords+` dying lying tying skies news idly gently ugly
		early only singly howe aed eed cosmos atlas bias andes generate communal arsenal`)...)
	endings := []string{
		"", "s", "es", "ies", "ed", "ing", "ying", "ly", "ness", "ational", "'s",
	}
	english := rapid.Custom(func(t *rapid.T) string {
		root := rapid.StringMatching(`[a-z]{1,9}`).Draw(t, "root")
		return root + rapid.SampledFrom(endings).Draw(t, "ending")
	})
	word := rapid.OneOf(english, rapid.SampledFrom(forms),
		rapid.StringMatching(`[A-Za-z0-9][a-zA-Z0-9_]{0,5}`), rapid.StringMatching(`[0-9]{1,6}`))
	skipped := 0
	rapid.Check(t, func(rt *rapid.T) {
		query := rapid.SliceOfN(word, 1, 4).Draw(rt, "query")
		prefix := rapid.StringMatching(`[a-z]{2,4}`).Draw(rt, "prefix")
		q := Words(strings.Join(query, " "))
		var wanted, begins termFilter
		for _, term := range q.terms {
			wanted.addTerm(term)
		}
		begins.addPrefix(prefix)
		for _, w := range append(rapid.SliceOfN(word, 1, 20).Draw(rt, "text"), forms...) {
			start, terms := plainStart(w)
			if start < 0 {
				continue
			}
			e := analyzer.Expand(w)
			if len(e.Terms) != terms {
				rt.Fatalf("%q has the terms %q, and %d are counted", w, e.Terms, terms)
			}
			for _, term := range e.Terms {
				if !wanted.passes(start) && slices.Contains(q.terms, term) {
					rt.Fatalf("%q is skipped by a query for %q", w, query)
				}
				begin := strings.HasPrefix(term, prefix) ||
					strings.HasPrefix(analyzer.Fold(w), prefix)
				if !begins.passes(start) && begin {
					rt.Fatalf("%q is skipped by a query for %s*", w, prefix)
				}
			}
			if !wanted.passes(start) {
				skipped++
			}
		}
	})
	if skipped == 0 {
		t.Error("no word was ever skipped")
	}
}
