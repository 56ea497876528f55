package fts

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/log"
)

const (
	// nearShare is the share of the shingles of the shorter text that two have in common where they
	// say nearly the same: one word of six that differs leaves three of five pairs.
	nearShare = 0.6
	// nearPairs is how many shingles they have in common at least, unless neither has as many.
	nearPairs = 2
	// nearLooked is how many hits of a search for a text are compared with it.
	nearLooked = 10
)

// Near finds what says nearly the same as a text: where two have most of their shingles in common,
// every two neighboring words of the folded text (content.FoldText). A character of the scripts
// that set no blanks is a word.
type Near struct {
	text  string
	pairs map[string]bool
	words [][]byte // that stand in the bytes of what is near, without their first letter
}

// NewNear returns what finds texts near to this one.
func NewNear(text string) *Near {
	folded := content.FoldText(text)
	n := &Near{text: text, pairs: shingles(folded)}
	for word := range strings.FieldsSeq(folded) {
		if isPlainWord(word) {
			n.words = append(n.words, []byte(word[1:]))
		}
	}
	return n
}

// Query returns the search that finds what may be near, and how many of its hits to look at.
func (n *Near) Query() (q *Query, hits int) { return Words(n.text), nearLooked }

// minPlainWord is the length of the shortest word that is looked for in bytes: few others have its
// letters in them.
const minPlainWord = 5

// isPlainWord reports whether a word stands in JSON as it is, but for the case of its first letter.
func isPlainWord(word string) bool {
	return len(word) >= minPlainWord && strings.IndexFunc(word, func(r rune) bool {
		return r < 'a' || r > 'z'
	}) < 0
}

// MayBe reports whether a line may be near, at little cost: half of the longer words stand in it.
// What is written in capitals alone is not found so.
func (n *Near) MayBe(line []byte) bool {
	found := 0
	for _, word := range n.words {
		if bytes.Contains(line, word) {
			found++
		}
	}
	return 2*found >= len(n.words)
}

// Share returns the share of shingles in common with a memory, in 0..1, and whether that is near.
func (n *Near) Share(rec log.Record) (share float64, near bool) {
	f := content.Parse(rec.Content)
	if f.Text == "" {
		f.Text = f.Summary
	}
	shorter, longer := n.pairs, shingles(content.FoldText(f.Text))
	if len(shorter) > len(longer) {
		shorter, longer = longer, shorter
	}
	shared := 0
	for pair := range shorter {
		if longer[pair] {
			shared++
		}
	}
	if shared == 0 || shared < min(nearPairs, len(longer)) {
		return 0, false
	}
	share = float64(shared) / float64(len(shorter))
	return share, share >= nearShare
}

// shingles returns every two neighboring words of a folded text.
func shingles(folded string) map[string]bool {
	pairs := map[string]bool{}
	last := ""
	for _, word := range shingleWords(folded) {
		if last != "" {
			pairs[last+" "+word] = true
		}
		last = word
	}
	return pairs
}

// shingleWords returns the runs of letters and digits of a text, Chinese and Japanese by character.
func shingleWords(text string) (list []string) {
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		from := 0
		for i, r := range run {
			if !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
				continue
			}
			if from < i {
				list = append(list, run[from:i])
			}
			list, from = append(list, string(r)), i+len(string(r))
		}
		if from < len(run) {
			list = append(list, run[from:])
		}
	}
	return list
}
