package fts

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// ordered is how many of the best hits are put into a better order than by score.
const ordered = 20

// A feature is a property of a hit, besides its score, by which hits are ordered.
const (
	bySelf = iota
	byYou
	byAnswer
	byCover
	byVague
	byNumber
	byDate
	byTitle
	features
)

// featureTable holds the name of each feature, its weight, and its share without speakers.
var featureTable = [features]struct {
	name         string
	weight, kept float64
}{
	bySelf: {"self", 0.47, 0}, byYou: {"you", -0.29, 0}, byAnswer: {"answer", 0.51, 0},
	byCover: {"cover", 1.56, 0.5}, byVague: {"vague", -1.47, 0.5}, byNumber: {"number", 2.2, 0.5},
	byDate: {"date", 0.44, 0.5}, byTitle: {"title", 0.5, 0.5},
}

type featureValues [features]float64

func (v *featureValues) lift() (sum float64) {
	for i, f := range featureTable {
		sum += f.weight * v[i]
	}
	return sum
}

func (v *featureValues) String() string {
	var out []string
	for i, f := range featureTable {
		if v[i] != 0 {
			out = append(out, fmt.Sprintf("%s %.2f", f.name, f.weight*v[i]))
		}
	}
	return strings.Join(out, ", ")
}

// Enough returns how many hits, by their scores, it takes for the first so many to be in order.
func Enough(limit int) int {
	if limit == 0 {
		return 0
	}
	return max(limit, ordered)
}

// Arrange brings hits, which come by their scores, into the order in which they are shown: the
// first of them by score, place and lift. doc.go has the formula. of returns score and lift of a
// hit.
func Arrange[H any](hits []H, of func(*H) (score, lift float64)) {
	hits = hits[:min(len(hits), ordered)]
	if len(hits) < 2 {
		return
	}
	type placed struct {
		hit H
		by  float64
	}
	list := make([]placed, len(hits))
	best, _ := of(&hits[0])
	width := deviation(hits, of) + 0.3
	for i := range hits {
		score, lift := of(&hits[i])
		list[i] = placed{hits[i], 0.67*((score-best)/width-math.Log(float64(i+1))) + lift}
	}
	slices.SortStableFunc(list, func(a, b placed) int { return CompareScores(a.by, b.by) })
	for i := range list {
		hits[i] = list[i].hit
	}
}

// deviation is the standard deviation of the scores.
func deviation[H any](hits []H, of func(*H) (score, lift float64)) float64 {
	n, mean, squares := float64(len(hits)), 0.0, 0.0
	for i := range hits {
		score, _ := of(&hits[i])
		mean += score / n
	}
	for i := range hits {
		score, _ := of(&hits[i])
		squares += (score - mean) * (score - mean)
	}
	return math.Sqrt(squares / n)
}

// scoreAndLift is what fts itself arranges by.
func scoreAndLift(h *Hit) (score, lift float64) { return h.Score, h.Lift }

// addLifts sets the lift of those hits that may change places.
func (s *search) addLifts(hits []Hit) error {
	if !s.query.hasWords() {
		return nil
	}
	for i := range hits[:min(len(hits), ordered)] {
		v, err := s.features(hits[i].doc)
		if err != nil {
			return err
		}
		hits[i].Lift = v.lift()
	}
	return nil
}

func (s *search) features(doc uint32) (v featureValues, err error) {
	m, err := s.index.marks(doc)
	if err != nil {
		return v, err
	}
	speaks, err := s.speaks(doc)
	if err != nil {
		return v, err
	}
	n, err := s.index.neighborsOf(doc)
	if err != nil {
		return v, err
	}
	v[bySelf], v[byYou] = speaks*float64(m.Self()), float64(m.You())
	before := doc
	if n.befores > 0 {
		before = n.before[0]
		m, err := s.index.marks(before)
		if err != nil {
			return v, err
		}
		v[byAnswer] = truth(m.Has(analyzer.MarkAsks))
	}
	asks := s.query.asks
	v[byNumber] = truth(asks.amount && m.Has(analyzer.MarkNumber))
	v[byDate] = truth(m.Has(analyzer.MarkDate)) * (1 + truth(asks.when))
	switch {
	case asks.title:
		v[byTitle] = 3 * truth(m.Has(analyzer.MarkTitle|analyzer.MarkQuote))
	case m.Has(analyzer.MarkTitle):
		v[byTitle] = 1
	}
	if err := s.addShares(&v, doc, before); err != nil {
		return v, err
	}
	v.scale(float64(s.opened.spoken[0].df) / float64(s.index.docs))
	return v, nil
}

// scale weighs the features for a share of records that have a speaker.
func (v *featureValues) scale(share float64) {
	for i, f := range featureTable {
		v[i] *= share + (1-share)*f.kept
	}
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// speaks returns 1 for a record of a named speaker, 0 of another, -1 where none is named.
func (s *search) speaks(doc uint32) (float64, error) {
	for i := range s.terms.speakers {
		tf, err := s.index.countsIn(&s.terms.speakers[i].openTerm, doc)
		if tf > 0 || err != nil {
			return 1, err
		}
	}
	if len(s.terms.speakers) > 0 {
		return 0, nil
	}
	return -1, nil
}

// addShares adds the features that are shares of the query, in what its words are worth.
func (s *search) addShares(v *featureValues, doc, before uint32) error {
	for i := range s.terms.terms {
		t := &s.terms.terms[i]
		own, err := s.index.countsIn(&t.openTerm, doc)
		if err != nil {
			return err
		}
		near := own
		if own == 0 {
			if near, err = s.index.countsIn(&t.openTerm, before); err != nil {
				return err
			}
		}
		share := t.worth() / s.terms.total
		v[byCover] += share * truth(near != 0)
		v[byVague] += share * truth(own != 0 && isVague(t.text))
	}
	return nil
}

type asked struct{ amount, when, title bool }

func askedIn(text string) (a asked) {
	last := ""
	for s := (analyzer.Scanner{Text: text}); ; {
		w, ok := s.Next()
		if !ok {
			return a
		}
		if w.Unspaced {
			a.addRun(w.Text)
			continue
		}
		word := strings.ToLower(w.Text)
		a.addWord(last, word)
		last = word
	}
}

func (a *asked) addWord(last, word string) {
	switch word {
	case "when":
		a.when = true
	case "many", "much", "long":
		a.amount = a.amount || last == "how"
	case "book", "books", "movie", "movies", "film", "song", "songs", "game", "games", "band",
		"title", "titled", "called", "named", "read", "watch", "watched":
		a.title = true
	}
}

func (a *asked) addRun(run string) {
	a.amount = a.amount || analyzer.ContainsAny(run, "多少", "几", "多久", "多长")
	a.when = a.when || analyzer.ContainsAny(run, "什么时候", "何时", "哪天", "哪一天", "哪年", "哪一年", "几月")
	a.title = a.title || analyzer.ContainsAny(run, "书", "电影", "歌", "游戏", "名字", "叫什么")
}
