package analyzer

import "strings"

// Pattern is a word with wildcards, folded: * stands for any characters or none, ? for one.
type Pattern string

// wildcards are the characters that stand for others.
const wildcards = "*?"

// ParsePattern returns the pattern that a piece of a query spells; not ok where it is words. One
// is a word with * anywhere or ? before its end: there a question may end, too.
func ParsePattern(text string) (p Pattern, ok bool) {
	text = strings.TrimRight(text, "?")
	rest := strings.NewReplacer("*", "", "?", "").Replace(text)
	if rest == text || strings.Contains(rest, "://") || !hasWord(rest) {
		return "", false
	}
	prefix := strings.TrimRight(text, "*")
	if !strings.ContainsAny(prefix, wildcards) {
		return Pattern(Truncate(Fold(prefix)) + "*"), IsWordStart(prefix)
	}
	return Pattern(Fold(text)), isWord(rest)
}

// LastLetters returns the pattern of a query of one word that ends in ?: the word itself is looked
// for beside it, so that each ? stands for one character, or all of them for none.
func LastLetters(text string) (p Pattern, ok bool) {
	word := strings.TrimRight(text, "?")
	return Pattern(Fold(word) + text[len(word):]), word != text && IsWordStart(word) && isWord(word)
}

// hasWord reports whether a text begins with a word, perhaps after connectors.
func hasWord(text string) bool { return IsWordStart(strings.TrimLeft(text, `_-./:@\'`)) }

// isWord reports whether a text is letters, digits and connectors alone, of scripts that part words
// by spaces: of the others only pairs of characters are known.
func isWord(text string) bool {
	for len(text) > 0 {
		c, size := classify(text)
		if c != letter && c != connector {
			return false
		}
		text = text[size:]
	}
	return true
}

// Start returns what the words of a pattern begin with.
func (p Pattern) Start() string {
	if i := strings.IndexAny(string(p), wildcards); i >= 0 {
		return string(p)[:i]
	}
	return string(p)
}

// MatchesTerm reports whether a pattern stands for a term that is a word of a text.
func (p Pattern) MatchesTerm(term string) bool {
	return term != "" && term[0] > ' ' && p.Matches(term)
}

// Matches reports whether a pattern stands for a word.
func (p Pattern) Matches(word string) bool {
	want, got := []rune(string(p)), []rune(word)
	i, j := 0, 0
	star, after := -1, 0 // the last * and where what follows it was last tried
	for j < len(got) {
		switch {
		case i < len(want) && want[i] == '*':
			star, after = i, j
			i++
		case i < len(want) && (want[i] == '?' || want[i] == got[j]):
			i, j = i+1, j+1
		case star >= 0:
			after++
			i, j = star+1, after
		default:
			return false
		}
	}
	return strings.Trim(string(want[i:]), "*") == ""
}

// IsWordStart reports whether a text begins with a letter.
func IsWordStart(text string) bool {
	if text == "" {
		return false
	}
	c, _ := classify(text)
	return c == letter || c == unspaced
}
