package readout

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/test/testkit"
)

// TestTokensBound compares the estimate of lines of every class with what both tokenizers count. Of
// single lines one in a thousand may cost more, because the Go distribution is not always the same;
// of pages none may.
func TestTokensBound(t *testing.T) {
	for _, c := range corpora() {
		over, sum, real := 0, 0, 0
		for _, text := range c.texts {
			n := realTokens(text + "\n")
			worse := max(n[0], n[1])
			sum, real = sum+Tokens(text+"\n"), real+worse
			if Tokens(text+"\n") < worse {
				over++
				t.Logf("%s: %d < %d: %.90q", c.class, Tokens(text+"\n"), worse, text)
			}
		}
		if over*1000 > len(c.texts) {
			t.Errorf("%s: %d of %d lines cost more than estimated", c.class, over, len(c.texts))
		}
	}
}

// TestRatios prints the table in docs/ranking.md: estimate / real, by class and tokenizer.
func TestRatios(t *testing.T) {
	if os.Getenv("MEM_RATIOS") == "" && !testkit.Full() {
		t.Skip("a measurement: set MEM_RATIOS=1, and MEM_RECALL to a directory of " +
			"*.corpus.jsonl for more")
	}
	t.Logf("%-20s %6s  %-17s  %-17s  %s", "class", "lines", "cl100k_base", "o200k_base",
		"worse of the two")
	for _, c := range append(corpora(), recallCorpora(t)...) {
		var ratios [3][]float64
		var sums [3]float64
		estimates := 0
		for _, text := range c.texts {
			n, estimate := realTokens(text+"\n"), Tokens(text+"\n")
			estimates += estimate
			for i, real := range []int{n[0], n[1], max(n[0], n[1])} {
				sums[i] += float64(real)
				ratios[i] = append(ratios[i], float64(estimate)/float64(real))
			}
		}
		var line []any
		for i := range ratios {
			line = append(line, slices.Min(ratios[i]), float64(estimates)/sums[i],
				slices.Max(ratios[i]))
		}
		t.Logf("%-20s %6d"+strings.Repeat("  %.2f  %.2f %.2f", 3),
			append([]any{c.class, len(c.texts)}, line...)...)
	}
}

// TestPagesAgainstTokenizers packs pages of every class for budgets 0..4000. Neither tokenizer may
// count more than the limit, and the worse of them counts three quarters of it and more, averaged
// over the budgets.
func TestPagesAgainstTokenizers(t *testing.T) {
	for _, c := range corpora() {
		items := itemsOf(c)
		used, pages := 0.0, 0
		for limit := range 4001 {
			if limit > 200 && limit%20 != 0 || testing.Short() && limit%200 != 0 {
				continue
			}
			const some = 400
			first := limit * 37 % (len(items) - some)
			page := fill(Query{Now: now, Limit: limit}, items[first:first+some])
			real := realPage(t, page, limit%100 == 0)
			if real > limit {
				t.Errorf("%s: %d tokens on a page of %d", c.class, real, limit)
			}
			if limit%20 == 0 && limit > 0 && page.LeftOut > 0 {
				used, pages = used+float64(real)/float64(limit), pages+1
			}
		}
		share := 100 * used / float64(pages)
		t.Logf("%-12s %.0f %% of the limit used", c.class, share)
		if share < 75 {
			t.Errorf("%s: only %.1f %% of the limit used", c.class, share)
		}
	}
}

// itemsOf makes memories of a corpus's texts, of small corpora many times over.
func itemsOf(c corpus) []Item {
	items := make([]Item, max(1000, len(c.texts)))
	for i := range items {
		key := fmt.Sprintf("/%s/%d/%d", strings.ReplaceAll(c.class, " ", "/"), i/len(c.texts),
			i%len(c.texts))
		text := c.texts[i%len(c.texts)]
		items[i] = note(key, i%600, content.Fields{Type: "note", Summary: text})
	}
	return items
}

// realPage counts a page by its lines, with the tokenizer that counts more; and, if asked, as a
// whole to see that this is the same.
func realPage(t *testing.T, page Page, whole bool) int {
	if len(page.Entries) == 0 {
		return 0
	}
	sum := realTokens(Header)
	for i := range page.Entries {
		n := realTokens(page.Entries[i].line())
		sum[0], sum[1] = sum[0]+n[0], sum[1]+n[1]
	}
	if whole {
		var text strings.Builder
		if err := page.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		for i, codec := range realTokenizers() {
			if n, _ := codec.Count(text.String()); n != sum[i] {
				t.Errorf("tokenizer %d: a page of %d tokens by its lines has %d", i, sum[i], n)
			}
		}
	}
	return max(sum[0], sum[1])
}
