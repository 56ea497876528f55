package fts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/log"
)

const (
	// nearShare is the share of the shingles of the shorter text that two have in common where they
	// say nearly the same: one word of six that differs leaves three of five pairs.
	nearShare = 0.6
	// nearPairs is how many shingles they have in common at least, unless neither has as many.
	nearPairs = 2
	// nearTerms is how many terms of a text are looked for in a sidecar, the rarest. A record
	// without this part of them is not near, but for a short text within a long one.
	nearTerms, nearPart = 8, 3
	// nearPostings is how long their lists may be together: where all words stand everywhere it
	// would take too long.
	nearPostings = 1 << 14
)

// Near finds what says nearly the same as a text: where two have most of their shingles in common,
// every two neighboring words of the folded text (content.FoldText), and are not about things with
// different numbers. A character of the scripts that set no blanks is a word. Several goroutines
// may use it.
type Near struct {
	text  string
	pairs map[uint64]bool
	bits  [16]uint64 // one for the last bits of each pair
}

// NewNear returns what finds texts near to this one.
func NewNear(text string) *Near {
	n := &Near{text: text, pairs: shingles(content.FoldText(text))}
	for pair := range n.pairs {
		n.bits[pair/64%16] |= 1 << (pair % 64)
	}
	return n
}

// MayMatch reports whether the JSON of a content may be near, at little cost: as many shingles as
// there have to be stand in its bytes. What stands there in another form than FoldText makes, but
// for capitals and wide letters, is not found so.
func (n *Near) MayMatch(json []byte) bool {
	needed := min(nearPairs, len(n.pairs))
	found := uint64(0)
	eachShingle(json, true, func(pair uint64) bool {
		if n.bits[pair/64%16]&(1<<(pair%64)) != 0 && pair != found && n.pairs[pair] {
			found = pair
			needed--
		}
		return needed > 0
	})
	return needed == 0 && found != 0
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
	return share, share >= nearShare && !n.differsInNumber(f.Text)
}

// differsInNumber reports whether each of two texts has a number in its first half that the other
// lacks: they speak of different things. In the second half it is a value that may have changed.
func (n *Near) differsInNumber(other string) bool {
	has, others := numbersOf(content.FoldText(n.text)), numbersOf(content.FoldText(other))
	lacks := func(a, b []number) bool {
		return slices.ContainsFunc(a, func(one number) bool {
			return one.first && !slices.ContainsFunc(b, func(o number) bool {
				return o.digits == one.digits
			})
		})
	}
	return lacks(has, others) && lacks(others, has)
}

// number is a run of digits, and whether it stands in the first half of its text.
type number struct {
	digits string
	first  bool
}

func numbersOf(text string) (list []number) {
	isDigit := func(r rune) bool { return '0' <= r && r <= '9' }
	at := 0
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !isDigit(r) }) {
		at += strings.Index(text[at:], run)
		list = append(list, number{run, 2*at < len(text)})
		at += len(run)
	}
	return list
}

func shingles(text string) map[uint64]bool {
	pairs := map[uint64]bool{}
	eachShingle([]byte(text), false, func(pair uint64) bool {
		pairs[pair] = true
		return true
	})
	return pairs
}

// Rows returns the rows of a sidecar that may be near, the likeliest first: those that have the
// most of the rarest words. It misses records with hardly any of these.
func (n *Near) Rows(ix *Index) (rows []int, err error) {
	rarest, err := n.rarest(ix)
	if err != nil {
		return nil, err
	}
	needed := (len(rarest) + nearPart - 1) / nearPart
	terms, worth := make([]uint8, ix.rows), make([]float32, ix.rows) // of each row
	for _, term := range rarest {
		list, err := ix.open(term)
		if err != nil {
			return nil, err
		}
		one := float32(idf(int(ix.rows), term.count))
		err = list.eachBlock(0, ix.rows, func(some []posting) error {
			for _, p := range some {
				worth[p.row] += one
				if terms[p.row]++; int(terms[p.row]) == needed {
					rows = append(rows, int(p.row))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(rows, func(a, b int) int {
		return cmp.Or(cmp.Compare(worth[b], worth[a]), cmp.Compare(b, a))
	})
	return rows, nil
}

// rarest returns the terms of the text that the fewest rows have.
func (n *Near) rarest(ix *Index) (terms []dictEntry, err error) {
	for _, text := range termsOf(analyzer.Normalize(n.text)) {
		term, ok, err := ix.lookup(text)
		if err != nil {
			return nil, err
		}
		if ok && term.count > 0 {
			terms = append(terms, term)
		}
	}
	slices.SortFunc(terms, func(a, b dictEntry) int { return cmp.Compare(a.count, b.count) })
	all := 0
	for i, term := range terms {
		if all += term.count; all > nearPostings || i == nearTerms {
			return terms[:i], nil
		}
	}
	return terms, nil
}
