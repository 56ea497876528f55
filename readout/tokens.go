package readout

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// Tokens returns an estimate of how many tokens s costs a model, rounded up (the package comment
// has the method). The estimates of lines, newlines included, add up to a bound for the lines
// together.
func Tokens(s string) int {
	var m meter
	var units int
	for len(s) > 0 {
		n := piece(s)
		for at := 0; at < n; {
			part := longest(s[at:n])
			units += m.cost(s[at:at+part], n)
			at += part
		}
		s = s[n:]
	}
	return rounded(units)
}

// rounded returns how many tokens so many parts of one are said to be.
func rounded(units int) int { return (units + units/safety + unit - 1) / unit }

// Costs are added up in parts of a token and rounded once.
const (
	unit   = 16       // parts in one token
	unsure = unit / 4 // added for each part of a piece that is not itself a token
	repeat = 12       // added for one that repeats
	safety = 32       // a 1/32 on top of everything
)

// meter adds up the parts of pieces, which are the longest known tokens from their beginning. Where
// a pattern repeats, what the longest token is ahead in its first turn it is ahead in each, so such
// a part costs three quarters more if it has come shortly before.
type meter struct {
	before [period]string // parts that cost more
	next   int
}

// period is how many parts back a repeat is looked for.
const period = 4

func (m *meter) cost(part string, piece int) int {
	if part == "\n" {
		*m = meter{} // what lines cost is added up
	}
	if len(part) == piece || !alphabetic(part[0]) {
		return unit
	}
	cost := unit + unsure
	if slices.Contains(m.before[:], part) {
		cost += repeat
	}
	m.before[m.next%period] = part
	m.next++
	return cost
}

// alphabetic reports by its first byte whether a token begins with a character below U+3000, of the
// scripts that write words with letters.
func alphabetic(c byte) bool { return c < utf8.RuneSelf || 0xc2 <= c && c < 0xe3 }

// class is the kind of a character by which both tokenizers cut a text into pieces, before they
// look at tokens.
type class byte

const (
	letter  class = 'l'
	digit   class = 'd'
	space   class = 's'
	newline class = 'n'
	other   class = 'o' // punctuation, symbols, marks, controls
)

// asciiClasses holds the class of every ASCII character, sixteen to a line.
const asciiClasses = "ooooooooosnssnoo" +
	"oooooooooooooooo" +
	"sooooooooooooooo" +
	"ddddddddddoooooo" +
	"olllllllllllllll" +
	"lllllllllllooooo" +
	"olllllllllllllll" +
	"lllllllllllooooo"

// piece returns the length of the first piece of s, which is not empty: a word with at most one
// sign or space before it; up to three digits; a run of signs with at most one space before it; one
// line end; a run of spaces, without the last one if something follows.
func piece(s string) int {
	c, n := classify(s)
	switch c {
	case letter:
		return n + run(s[n:], letter)
	case digit:
		return digits(s)
	case newline:
		return n
	}
	next, _ := classify(s[n:])
	switch {
	case next == letter:
		return n + run(s[n:], letter)
	case c == other:
		return n + run(s[n:], other)
	case next == other && s[0] == ' ':
		return n + run(s[n:], other)
	}
	return spaces(s)
}

func spaces(s string) int {
	n := run(s, space)
	if n == len(s) {
		return n
	}
	if _, last := utf8.DecodeLastRuneInString(s[:n]); last < n {
		return n - last
	}
	return n
}

// digits returns the length of the digits at the start of s, at most three.
func digits(s string) (n int) {
	for range 3 {
		c, size := classify(s[n:])
		if c != digit {
			break
		}
		n += size
	}
	return n
}

// run returns the number of bytes at the start of s that are of class c.
func run(s string, c class) (n int) {
	for n < len(s) {
		if b := s[n]; b < utf8.RuneSelf {
			if class(asciiClasses[b]) != c {
				break
			}
			n++
			continue
		}
		got, size := classify(s[n:])
		if got != c {
			break
		}
		n += size
	}
	return n
}

// classify returns the class and the length of the first character of s; at the end, no class and
// length 0.
func classify(s string) (c class, size int) {
	if len(s) == 0 {
		return 0, 0
	}
	if s[0] < utf8.RuneSelf {
		return class(asciiClasses[s[0]]), 1
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case 0x4e00 <= r && r <= 0x9fff || unicode.IsLetter(r):
		return letter, size
	case unicode.IsNumber(r):
		return digit, size
	case unicode.IsSpace(r):
		return space, size
	}
	return other, size
}
