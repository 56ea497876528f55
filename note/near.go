package note

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

const (
	// nearLooked is how many hits of a search for a note are compared with it.
	nearLooked = 10
	// maxNear is how many of them are named.
	maxNear = 3
	// nearShare is the share of the shingles of the shorter text that two have in common where they
	// say nearly the same: one word of six that differs leaves three of five pairs.
	nearShare = 0.6
	// nearPairs is how many shingles they have in common at least, or both have no more.
	nearPairs = 2
)

// near returns the live memories of a store that say nearly what a text says, but for some keys:
// those that are best for a search for it (package fts), and share most of their shingles with it.
// A search that fails finds none: the note is stored already.
func near(ctx context.Context, s *mem.Store, c mem.Caller, text string,
	but []keypath.Key) (names []string) {
	hits, err := s.Reader(c).Search(ctx, mem.SearchOptions{
		Query: text, Plain: true, Limit: nearLooked, ForPage: true,
	})
	if err != nil {
		return nil
	}
	own := shingles(text)
	for _, h := range hits {
		if slices.Contains(but, h.Record.Key) || !alike(own, shingles(textOf(h.Record))) {
			continue
		}
		name, ok := idOf(h.Record.Key)
		if !ok {
			name = h.Record.Key.Shown()
		}
		if names = append(names, name); len(names) == maxNear {
			break
		}
	}
	return names
}

// textOf returns what a memory says.
func textOf(rec log.Record) string {
	f := content.Parse(rec.Content)
	if f.Text == "" {
		return f.Summary
	}
	return f.Text
}

// alike reports whether two sets of shingles are those of texts that say nearly the same.
func alike(a, b map[string]bool) bool {
	shorter, longer := a, b
	if len(a) > len(b) {
		shorter, longer = b, a
	}
	shared := 0
	for pair := range shorter {
		if longer[pair] {
			shared++
		}
	}
	return shared >= min(nearPairs, len(longer)) && shared > 0 &&
		float64(shared) >= nearShare*float64(len(shorter))
}

// shingles returns every two neighboring words of a text. A character of the scripts that set no
// blanks is a word.
func shingles(text string) map[string]bool {
	pairs := map[string]bool{}
	last := ""
	for _, word := range wordsOf(content.FoldText(text)) {
		if last != "" {
			pairs[last+" "+word] = true
		}
		last = word
	}
	return pairs
}

// wordsOf returns the runs of letters and digits of a text, Chinese and Japanese by character.
func wordsOf(text string) (list []string) {
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
