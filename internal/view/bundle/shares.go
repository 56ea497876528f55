package bundle

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/view/ledger"
	"golang.org/x/text/unicode/norm"
)

// sharesOf returns how much each chunk of a text has of what a query looks for, as a share of the
// best of them: the terms that it has count by how few of the chunks have them. Terms are stems, so
// they are looked for as beginnings of words and no text is analyzed. Where no chunk has a term the
// first one stands for the text.
func sharesOf(parts []ledger.Chunk, terms []string) []float64 {
	shares := make([]float64, len(parts))
	if len(parts) == 0 {
		return shares
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = strings.ToLower(norm.NFKC.String(p.Text))
	}
	best := 0.0
	for _, term := range terms {
		best = max(best, addTerm(shares, texts, stemOf(term)))
	}
	if len(parts) == 1 || best == 0 {
		shares[0] = 1
		return shares
	}
	best = 0
	for _, share := range shares {
		best = max(best, share)
	}
	for i := range shares {
		shares[i] /= best
	}
	return shares
}

func addTerm(shares []float64, texts []string, term string) (worth float64) {
	var has []int
	for i, text := range texts {
		if hasWord(text, term) {
			has = append(has, i)
		}
	}
	if len(has) == 0 {
		return 0
	}
	worth = math.Log(1 + float64(len(texts))/float64(len(has)))
	for _, i := range has {
		shares[i] += worth
	}
	return worth
}

// stemOf returns what words begin with that have a stem: a y at the end became an i.
func stemOf(term string) string {
	if len(term) > 3 {
		return strings.TrimSuffix(term, "i")
	}
	return term
}

// hasWord reports whether a word in a text begins with a stem. In scripts without spaces any
// character may begin one.
func hasWord(text, stem string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], stem)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		first, size := utf8.DecodeRuneInString(stem)
		if first >= 0x0e00 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return true
		}
		at += size
	}
}
