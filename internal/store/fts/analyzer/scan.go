package analyzer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/text"
	"golang.org/x/text/unicode/norm"
)

// Normalize brings a text into NFKC, in which full-width letters, ligatures and composed characters
// have one spelling each. Case stays: it marks where the parts of an identifier begin.
func Normalize(s string) string {
	if text.IsASCII(s) || norm.NFKC.IsNormalString(s) {
		return s
	}
	return norm.NFKC.String(s)
}

// Scanner cuts a normalized text into words: runs of letters and digits, with the connectors
// between them that hold identifiers, paths and dates together; or runs of a script that is written
// without spaces.
type Scanner struct {
	Text string
	at   int
}

// word is a piece of a text as the scanner cuts it.
type word struct {
	Text     string
	Unspaced bool // of a script without spaces, in which characters and their pairs stand for words
}

// class is the role of a character in a word.
type class byte

const (
	gap       class = iota
	letter          // letters, digits, marks
	connector       // joins two letters, and ends a word elsewhere
	comma           // joins the groups of a long number
	unspaced
)

// asciiClasses holds the class of every ASCII character.
var asciiClasses = func() (table [utf8.RuneSelf]class) {
	for c := range table {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			table[c] = letter
		case strings.IndexByte(`_-./:@\'`, byte(c)) >= 0:
			table[c] = connector
		case c == ',':
			table[c] = comma
		}
	}
	return table
}()

func classify(text string) (c class, size int) {
	if text[0] < utf8.RuneSelf {
		return asciiClasses[text[0]], 1
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case IsUnspaced(r):
		return unspaced, size
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return letter, size
	case r == '’':
		return connector, size
	}
	return gap, size
}

// IsUnspaced reports whether r is of a script without spaces between words, or, as hangul, with
// spaces between groups of them.
func IsUnspaced(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3,
		r >= 0x3041 && r <= 0x30ff && r != '・' && r != '゠':
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hangul, unicode.Katakana, unicode.Bopomofo,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// Next returns the next word; false at the end.
func (s *Scanner) Next() (w word, ok bool) {
	for s.at < len(s.Text) {
		c, size := classify(s.Text[s.at:])
		switch c {
		case letter:
			return word{Text: s.spaced()}, true
		case unspaced:
			return word{Text: s.run(), Unspaced: true}, true
		}
		s.at += size
	}
	return word{}, false
}

// run takes characters of a script without spaces.
func (s *Scanner) run() string {
	from := s.at
	for s.at < len(s.Text) {
		c, size := classify(s.Text[s.at:])
		if c != unspaced && !(c == letter && unicode.IsMark(FirstRune(s.Text[s.at:]))) {
			break
		}
		s.at += size
	}
	return s.Text[from:s.at]
}

// FirstRune returns the first character of a text.
func FirstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// spaced takes letters, digits and what connects them.
func (s *Scanner) spaced() string {
	from := s.at
	for s.at < len(s.Text) {
		c, size := classify(s.Text[s.at:])
		switch {
		case c == letter:
		case c == connector && s.isLetterAt(s.at+size):
		case c == comma && isGrouped(s.Text[from:s.at], s.Text[s.at+1:]):
		default:
			s.at += s.suffix(from)
			return s.Text[from:s.at]
		}
		s.at += size
	}
	return s.Text[from:s.at]
}

// isLetterAt reports whether a letter stands at an offset.
func (s *Scanner) isLetterAt(at int) bool {
	if at >= len(s.Text) {
		return false
	}
	c, _ := classify(s.Text[at:])
	return c == letter
}

// suffix counts the signs that belong to a name of one letter: C++, C#, F#.
func (s *Scanner) suffix(from int) int {
	if s.at-from != 1 {
		return 0
	}
	for _, sign := range [...]string{"++", "#"} {
		if strings.HasPrefix(s.Text[s.at:], sign) && !s.isLetterAt(s.at+len(sign)) {
			return len(sign)
		}
	}
	return 0
}

// isGrouped reports whether a comma stands between the groups of a number, as in 1,000,000.
func isGrouped(before, after string) bool {
	isDigit := func(c byte) bool { return '0' <= c && c <= '9' }
	if !isDigit(before[len(before)-1]) || len(after) < 3 || len(after) > 3 && isDigit(after[3]) {
		return false
	}
	return isDigit(after[0]) && isDigit(after[1]) && isDigit(after[2])
}

// IsIn looks for a term in a list of them between spaces. A search asks for a few: to make a set of
// all would take longer.
func IsIn(list, term string) bool { return strings.Contains(list, " "+term+" ") }

// IsDigit reports whether a character is a digit of ASCII.
func IsDigit(r rune) bool { return '0' <= r && r <= '9' }

// ContainsAny reports whether a text has one of some parts.
func ContainsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}
