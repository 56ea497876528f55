package term

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Width returns the cells that a text takes.
func Width(s string) (cells int) {
	for s != "" {
		n, w := first(s)
		cells += w
		s = s[n:]
	}
	return cells
}

const (
	joiner    = '\u200d'
	asPicture = '\ufe0f'

	firstSkinTone, lastSkinTone = '\U0001f3fb', '\U0001f3ff'
	firstFlag, lastFlag         = '\U0001f1e6', '\U0001f1ff'
)

// first returns how long the first character of a text is in bytes, with all that is seen as one
// with it, and how many cells it takes.
func first(s string) (n, cells int) {
	if strings.HasPrefix(s, "\x1b[") {
		return strings.IndexByte(s+"m", 'm') + 1, 0 // a style
	}
	r, n := utf8.DecodeRuneInString(s)
	cells = runeWidth(r)
	isFlag := firstFlag <= r && r <= lastFlag
	for n < len(s) {
		next, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case next == asPicture && cells > 0:
			cells = 2
		case isFlag && firstFlag <= next && next <= lastFlag:
			cells, isFlag = 2, false
		case r == joiner && cells == 2: // the next part of a picture
		case firstSkinTone <= next && next <= lastSkinTone && cells == 2:
		case runeWidth(next) > 0:
			return n, cells
		}
		r = next
		n += size
	}
	return n, cells
}

// runeWidth returns the cells of one code point that stands alone.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf), 0x1160 <= r && r <= 0x11ff:
		return 0 // what follows the first part of a Korean syllable is drawn into it
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cut shortens a text to some cells, and shows that it did.
func cut(s string, cells int) string {
	if Width(s) <= cells {
		return s
	}
	head, _ := upTo(s, cells-1)
	return head + "…"
}

// upTo parts a text behind as many whole characters as take at most some cells.
func upTo(s string, cells int) (head, rest string) {
	at := 0
	for at < len(s) {
		n, w := first(s[at:])
		if cells -= w; cells < 0 {
			break
		}
		at += n
	}
	return s[:at], s[at:]
}

// cutMiddle cuts a text in its middle.
func cutMiddle(s string, cells int) string {
	if Width(s) <= cells {
		return s
	}
	head := cut(s, cells/2)
	// From the left, for where a character begins is not seen from its end.
	for left := cells - Width(head); Width(s) > left; {
		n, _ := first(s)
		s = s[n:]
	}
	return head + s
}

// Pad adds blanks up to some cells.
func Pad(s string, cells int) string {
	return s + strings.Repeat(" ", max(cells-Width(s), 0))
}

// Fill returns the paragraphs of a text, one a line of it, in lines of at most some cells: the
// first of each behind one indent, the others behind another. It breaks between words, and a word
// where it is wider than a line: nothing is cut. Every line ends with a newline.
func Fill(text, first, rest string, cells int) string {
	var out strings.Builder
	for paragraph := range strings.Lines(text) {
		indent, line := first, ""
		end := func() {
			out.WriteString(strings.TrimRight(indent+line, " ") + "\n")
			indent, line = rest, ""
		}
		for _, word := range strings.Fields(paragraph) {
			room := max(cells-Width(indent), leastFilled)
			if line != "" && Width(line)+1+Width(word) > room {
				end()
			}
			if line != "" {
				line += " "
			}
			for line += word; Width(line) > max(cells-Width(indent), leastFilled); {
				var left string
				line, left = upTo(line, max(cells-Width(indent), leastFilled))
				end()
				line = left
			}
		}
		end()
	}
	return out.String()
}

const leastFilled = 8 // cells of a line, however narrow the screen
