package fts

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// The order of the first places once more, as doc.go says it.

// arrange brings the first hits into order.
func (x *brute) arrange(hits []bruteHit, terms []bruteTerm, total float64) {
	hits = hits[:min(len(hits), 20)]
	mean, squares := 0.0, 0.0
	for _, h := range hits {
		mean += h.score / float64(len(hits))
	}
	for _, h := range hits {
		squares += math.Pow(h.score-mean, 2) / float64(len(hits))
	}
	first := 0.0
	for i := range hits {
		h := &hits[i]
		if i == 0 {
			first = h.score
		}
		h.by = .67*((h.score-first)/(math.Sqrt(squares)+.3)-math.Log(float64(i+1))) +
			x.lift(h.key, terms, total)
	}
	slices.SortStableFunc(hits, func(a, b bruteHit) int { return CompareScores(a.by, b.by) })
}

func (x *brute) lift(key string, terms []bruteTerm, total float64) float64 {
	at := slices.IndexFunc(x.docs, func(d *bag) bool { return d.key == key })
	d, before := x.docs[at], (*bag)(nil)
	for _, list := range x.lists {
		if i := slices.Index(list, at); i > 0 && x.folderOf(d) != "none" {
			before = x.docs[list[i-1]]
		}
	}
	speaks, named := 0.0, false
	for _, name := range x.q.names {
		if x.df(analyzer.KindSpeaker+name) > 0 {
			named = true
			if d.has(analyzer.KindSpeaker + name) {
				speaks = 1
			}
		}
	}
	if !named {
		speaks = -1
	}
	share := float64(x.df(analyzer.KindSpeaker)) / float64(len(x.docs))
	spoken := .47*speaks*d.times(selfSaid, 2) - .29*d.times(youSaid, 4)
	spoken += .51 * truth(before != nil && before.isQuestion)
	return share*spoken + (1+share)/2*x.liftOfWords(d, before, terms, total)
}

func (x *brute) liftOfWords(d, before *bag, terms []bruteTerm, total float64) (sum float64) {
	a := x.q.asks
	for _, t := range terms {
		own := slices.ContainsFunc(t.names, d.has)
		near := own || before != nil && slices.ContainsFunc(t.names, before.has)
		sum += 1.56 * t.weight * t.idf / total * truth(near)
		vague := slices.Contains(strings.Fields(vagueTerms), t.text())
		sum -= 1.47 * t.weight * t.idf / total * truth(own && vague)
	}
	sum += 2.2 * truth(a.amount && d.saysAny(numberSaid))
	sum += .44 * truth(d.saysAny(dateSaid)) * (1 + truth(a.when))
	title := d.saysAny(titleSaid)
	return sum + .5*truth(title && !a.title) + 1.5*truth(a.title && (title || d.quotes()))
}

// text is the term as it is listed; none for a pattern.
func (t bruteTerm) text() string {
	if len(t.names) == 1 {
		return t.names[0]
	}
	return ""
}

// times counts what is said of a pattern, up to so many.
func (b *bag) times(p *regexp.Regexp, most int) float64 {
	n := 0
	for _, text := range b.said {
		n += len(p.FindAllString(text, -1))
	}
	return float64(min(n, most))
}

// saysAny reports whether one of the texts has a pattern.
func (b *bag) saysAny(p *regexp.Regexp) bool { return slices.ContainsFunc(b.said, p.MatchString) }

// quotes reports whether one of the texts quotes a name.
func (b *bag) quotes() bool {
	for _, text := range b.said {
		for _, m := range quotation.FindAllStringSubmatch(text, -1) {
			if first, _ := utf8.DecodeRuneInString(m[1]); unicode.IsUpper(first) {
				return true
			}
		}
	}
	return false
}

// As much of the lists as the texts of these tests have; marks_test.go has the rest.
var (
	selfSaid   = regexp.MustCompile(`(?i)\b(i|me|my|we)\b|我`)
	youSaid    = regexp.MustCompile(`(?i)\b(you|your)\b|你|您`)
	numberSaid = regexp.MustCompile(`[0-9]|[两二三四五六七八九十百千万]`)
	dateSaid   = regexp.MustCompile(`(?i)\b(yesterday|may|monday|week|(19|20)[0-9]{2})\b|` +
		`[昨今明前后去][天年]|(^|[^\p{Han}])[月日号天年]|[上下]周|周末|星期|个月`)
	titleSaid = regexp.MustCompile(`《`)
	quotation = regexp.MustCompile(`["“「]([^"”」]*)["”」]`)
)
