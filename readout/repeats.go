package readout

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/kljensen/snowball/english"

	"github.com/set-memory/mem/internal/base/content"
)

// bodyOf returns the text of an item, or a hash of a long text: enough to find repeated texts.
func bodyOf(it *Item) string {
	if text := it.Fields.Text; len(text) <= keepRaw {
		return text
	}
	sum := sha256.Sum256([]byte(content.FoldText(it.Fields.Text)))
	return hex.EncodeToString(sum[:])
}

// text returns the folded text of a candidate, to find candidates with the same text; "" where a
// page may repeat texts.
func (p *packing) text(c *Candidate) string {
	if p.query.AsRanked {
		return ""
	}
	if p.said == nil {
		p.said = map[string]int{}
	}
	return content.FoldText(c.body) // "" for a memory without text: only its key identifies it
}

// maxCompared is how many lines of a page are compared with each other: as many as a page of 10,000
// tokens mostly has. The time grows with the square.
const maxCompared = 400

// newerFirst lets the newer of two entries have the better place where they speak of the same
// thing: the newer may have replaced the older. At a start, routine does not replace a fact about
// the whole. The others keep their places as far as possible.
func newerFirst(entries []Entry, start bool, wordsOf func(int) map[string]bool) {
	entries = entries[:min(len(entries), maxCompared)]
	stems := stemsOf(len(entries), wordsOf)
	for place := range entries {
		// Takes a newer entry that is akin to the best, then again from the start with that one.
		best := place
		for i := place + 1; i < len(entries); i++ {
			if entries[i].Time > entries[best].Time && isAkin(stems[i], stems[best]) &&
				(!start || isLasting(entries[i].Type) || !isLasting(entries[best].Type)) {
				best, i = i, place
			}
		}
		e, s := entries[best], stems[best]
		copy(entries[place+1:], entries[place:best])
		copy(stems[place+1:], stems[place:best])
		entries[place], stems[place] = e, s
	}
}

// isAkin reports whether two lists of stems share half of the shorter.
func isAkin(a, b []int) bool {
	shared, least := 0, min(len(a), len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			shared++
			a, b = a[1:], b[1:]
		}
	}
	return shared > 0 && 2*shared >= least
}

// stemsOf returns the stems in the words of each entry as numbers, sorted; of scripts without spaces those of
// every two characters.
func stemsOf(count int, wordsOf func(int) map[string]bool) [][]int {
	n := numbering{stems: map[string]int{}, words: map[string]int{}, alike: map[string]int{}}
	lists := make([][]string, count)
	for i := range count {
		for word := range wordsOf(i) {
			lists[i] = append(lists[i], word)
			n.meet(word)
		}
	}
	all := make([][]int, count)
	for i, list := range lists {
		for _, word := range list {
			all[i] = append(all[i], n.number(word))
		}
		slices.Sort(all[i])
		all[i] = slices.Compact(all[i])
	}
	return all
}

// numbering numbers the stems of words. A word that begins as no other does is its own stem: to
// stem a page costs more than all else about it.
type numbering struct {
	stems, words map[string]int
	alike        map[string]int // how many words begin so
}

// stemStart is how much of a word its stem has at least, or all of it.
const stemStart = 3

func startOf(word string) string { return word[:min(stemStart, len(word))] }

func (n *numbering) meet(word string) {
	if _, ok := n.words[word]; !ok {
		n.words[word] = -1
		n.alike[startOf(word)]++
	}
}

func (n *numbering) number(word string) int {
	if id := n.words[word]; id >= 0 {
		return id
	}
	stem := word
	if n.alike[startOf(word)] > 1 {
		stem = english.Stem(word, true)
	}
	id, ok := n.stems[stem]
	if !ok {
		id = len(n.stems)
		n.stems[stem] = id
	}
	n.words[word] = id
	return id
}
