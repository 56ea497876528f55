package secret

import (
	"cmp"
	"sort"
)

// part is a range of the text.
type part struct{ from, to int }

// span is a finding in the scanned text, in bytes.
type span struct {
	rule     string
	from, to int
}

// inOrder compares spans by where they begin.
func inOrder(a, b span) int { return cmp.Compare(a.from, b.from) }

// union returns the ranges that sorted spans cover, in order and without overlap.
func union(spans []span) (list []part) {
	for _, s := range spans {
		if last := len(list) - 1; last >= 0 && s.from < list[last].to {
			list[last].to = max(list[last].to, s.to)
		} else {
			list = append(list, part{s.from, s.to})
		}
	}
	return list
}

// overlaps reports whether s overlaps one of these ranges, which are in order and do not overlap.
func (s span) overlaps(list []part) bool {
	i := sort.Search(len(list), func(i int) bool { return list[i].to > s.from })
	return i < len(list) && list[i].from < s.to
}
