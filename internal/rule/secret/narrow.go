package secret

import (
	"bytes"
	"sort"
)

// narrowed is a text in which full-width letters, digits and the signs of an assignment are their
// ASCII forms. Wide commas and brackets stay, they only part sentences.
type narrowed struct {
	text []byte
	wide []int // the offsets in text of the wide characters, in order
}

// firstOfWide is the byte that every full-width character begins with, in UTF-8.
const firstOfWide = 0xEF

// narrow returns text itself if nothing in it is wide, which mostly is seen at once.
func narrow(text []byte) (n narrowed) {
	n.text = text
	for at := nextWide(text, 0); at < len(text); {
		if n.wide == nil {
			n.text = append(make([]byte, 0, len(text)), text[:at]...)
		}
		n.wide = append(n.wide, len(n.text))
		n.text = append(n.text, narrowAt(text[at:]))
		next := nextWide(text, at+3)
		n.text = append(n.text, text[at+3:next]...)
		at = next
	}
	return n
}

// nextWide returns the offset of the next full-width character with an ASCII form.
func nextWide(text []byte, from int) int {
	for {
		i := bytes.IndexByte(text[from:], firstOfWide)
		if i < 0 {
			return len(text)
		}
		if from += i; narrowAt(text[from:]) != 0 {
			return from
		}
		from++
	}
}

// narrowAt returns the ASCII form of the full-width character that text begins with, or 0. U+FF01
// to U+FF5E stand for ! to ~.
func narrowAt(text []byte) byte {
	if len(text) < 3 || text[0] != firstOfWide || text[1] != 0xBC && text[1] != 0xBD {
		return 0
	}
	c := text[2] - 0x80 + ' '
	if text[1] == 0xBD {
		c += '`' - ' '
	}
	if c > '~' || !alnum(c) && bytes.IndexByte([]byte(":=-_./@"), c) < 0 {
		return 0
	}
	return c
}

// original returns a span of the narrowed text as one of the text before.
func (n narrowed) original(s span) span {
	const more = 2 // bytes
	s.from += more * sort.SearchInts(n.wide, s.from)
	s.to += more * sort.SearchInts(n.wide, s.to)
	return s
}
