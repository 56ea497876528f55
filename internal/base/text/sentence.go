package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// EndsSentence reports whether a full stop between two parts of a text ends a sentence: before
// white space, unless the word before it is an abbreviation or an ordinal that goes on.
func EndsSentence(before, after string) bool {
	next := strings.TrimLeftFunc(after, unicode.IsSpace)
	if next == "" {
		return true
	}
	gap := after[:len(after)-len(next)]
	if gap == "" || strings.Contains(gap, "\n") {
		return gap != ""
	}
	before, last := cutLastWord(before)
	_, previous := cutLastWord(before)
	first, _ := utf8.DecodeRuneInString(next)
	word := strings.ToLower(last)
	if utf8.RuneCountInString(strings.TrimSuffix(previous, ".")) == 1 && previous[0] >= 'a' {
		word = strings.ToLower(previous) + word // z. B.
	}
	switch {
	case utf8.RuneCountInString(last) == 1 && isSpaced(next):
		return false
	case isIn(abbreviations, word):
		return false
	case isIn(counted, word):
		return !unicode.IsDigit(first)
	case isIn(finals, word):
		return !unicode.IsLower(first)
	case isInitial(last) && isCapital(previous):
		return !unicode.IsUpper(first)
	case isOrdinal(word):
		german := isIn(beforeOrdinal, strings.ToLower(previous))
		return !unicode.IsLower(first) && !german
	}
	return true
}

// Abbreviations without their last stop, with a space on both sides of each.
const (
	// abbreviations have something behind them always.
	abbreviations = " i.e ie e.g eg cf vs viz approx mr mrs ms dr prof st z.b d.h bzw ca vgl u.a " +
		"inkl sog p.ej c.-à-d esp resp incl excl "
	// counted ones have a number behind them.
	counted = " no nos nr num núm fig sec ch p pp vol art abs ver v tab eq kap s pág "
	// finals may end a sentence, too.
	finals = " etc usw u.s.w al inc ltd co corp jr sr a.m p.m u.s min max dept std "
	// beforeOrdinal are the words before an ordinal of German: am 3. Mai.
	beforeOrdinal = " am der die das den dem des im zum zur vom beim jeden jeder jedes ab bis "
)

func isIn(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// isOrdinal reports whether a word is a small number, also of a version: a large one ends a
// sentence ("port 5433.").
func isOrdinal(word string) bool {
	digits := strings.TrimPrefix(word, "v")
	return len(digits) > 0 && len(digits) < 3 && strings.Trim(digits, "0123456789") == ""
}

// isSpaced reports whether a text begins with the second part of an abbreviation with a space in
// it, as "z. B.".
func isSpaced(next string) bool {
	word, _, found := strings.Cut(next, ".")
	n := utf8.RuneCountInString(word)
	return found && n > 0 && n < 3 && strings.IndexFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r)
	}) < 0
}

// cutLastWord splits off the last word of a text, without brackets and quotes before it.
func cutLastWord(s string) (before, word string) {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	at := strings.LastIndexFunc(s, unicode.IsSpace) + 1
	return s[:at], strings.TrimLeft(s[at:], `("'[`)
}

func isInitial(word string) bool {
	return utf8.RuneCountInString(word) == 1 && isCapital(word)
}

func isCapital(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}
