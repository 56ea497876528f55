package purge

import "bytes"

// minPattern is the length of the shortest text that is looked for, in bytes.
const minPattern = 4

// finder finds any of many texts in one pass: a bit for each hash of four bytes tells whether a
// text may begin there.
type finder struct {
	bits     [1 << 10]uint64 // one bit for each hash
	at       map[[minPattern]byte][]int
	patterns []pattern
}

// pattern is one spelling of a value.
type pattern struct {
	text   []byte
	value  int  // of which it is a spelling
	number bool // digits beside it make it another number
}

func hashOf(b []byte) uint32 {
	word := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	return word * 2654435761 >> 16
}

// add adds a pattern of at least minPattern bytes.
func (f *finder) add(p pattern) {
	if f.at == nil {
		f.at = map[[minPattern]byte][]int{}
	}
	h := hashOf(p.text)
	f.bits[h>>6] |= 1 << (h & 63)
	start := [minPattern]byte(p.text)
	f.at[start] = append(f.at[start], len(f.patterns))
	f.patterns = append(f.patterns, p)
}

// each calls hit with each place where a pattern stands, until it returns false.
func (f *finder) each(text []byte, hit func(value, at int) bool) {
	for i := 0; i+minPattern <= len(text); i++ {
		h := hashOf(text[i : i+minPattern : i+minPattern])
		if f.bits[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		for _, n := range f.at[[minPattern]byte(text[i:])] {
			p := &f.patterns[n]
			if p.standsAt(text, i) && !hit(p.value, i) {
				return
			}
		}
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
