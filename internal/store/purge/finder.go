package purge

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// minPattern is the length of the shortest text that is looked for, in bytes.
const minPattern = 4

// block is how many bytes of the text are looked at at once.
const block = 2

// finder finds any of many texts in one pass, after Wu and Manber, "A fast algorithm for
// multi-pattern searching" (1994): two bytes of the text tell how far the next place is at which a
// pattern may end, so that not every byte is looked at.
type finder struct {
	patterns []pattern
	window   int              // of each pattern so many bytes count for the table
	shift    []uint8          // by two bytes; nil: to be made
	ending   map[uint16][]int // patterns by the last two bytes of their window
}

type pattern struct {
	text   []byte
	value  int  // of which it is a spelling
	number bool // digits beside it make it another number
}

// add adds a pattern of at least minPattern bytes.
func (f *finder) add(p pattern) { f.patterns, f.shift = append(f.patterns, p), nil }

// prepare makes the table, if patterns were added since.
func (f *finder) prepare() {
	if f.shift != nil {
		return
	}
	const most = 64 // a longer window would save little
	f.window = most
	for _, p := range f.patterns {
		f.window = min(f.window, len(p.text))
	}
	f.shift = slices.Repeat([]uint8{uint8(f.window - block + 1)}, 1<<16)
	f.ending = map[uint16][]int{}
	for n, p := range f.patterns {
		for i := range f.window - block + 1 {
			at := binary.LittleEndian.Uint16(p.text[i:])
			f.shift[at] = min(f.shift[at], uint8(f.window-block-i))
			if i == f.window-block {
				f.ending[at] = append(f.ending[at], n)
			}
		}
	}
}

// each calls hit with each place where a pattern stands, until it returns false.
func (f *finder) each(text []byte, hit func(value, at int) bool) {
	f.prepare()
	for end := f.window; end <= len(text); {
		at := binary.LittleEndian.Uint16(text[end-block:])
		if skip := int(f.shift[at]); skip > 0 {
			end += skip
			continue
		}
		from := end - f.window
		for _, n := range f.ending[at] {
			p := &f.patterns[n]
			if p.standsAt(text, from) && !hit(p.value, from) {
				return
			}
		}
		end++
	}
}

func (p *pattern) standsAt(text []byte, i int) bool {
	if !bytes.HasPrefix(text[i:], p.text) {
		return false
	}
	end := i + len(p.text)
	return !p.number || (i == 0 || !isDigit(text[i-1])) && (end == len(text) || !isDigit(text[end]))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
