package fts

import "strings"

// pattern is a word with wildcards, folded: * stands for any characters or none, ? for one.
type pattern string

// wildcards are the characters that stand for others.
const wildcards = "*?"

// parsePattern returns the pattern that a piece of a query spells; not ok where it is words. One
// is a word with * anywhere or ? before its end: there a question may end, too.
func parsePattern(text string) (p pattern, ok bool) {
	text = strings.TrimRight(text, "?")
	rest := strings.NewReplacer("*", "", "?", "").Replace(text)
	if rest == text || strings.Contains(rest, "://") || !hasWord(rest) {
		return "", false
	}
	prefix := strings.TrimRight(text, "*")
	if !strings.ContainsAny(prefix, wildcards) {
		return pattern(truncate(fold(prefix)) + "*"), isWordStart(prefix)
	}
	return pattern(fold(text)), isWord(rest)
}

// lastLetters returns the pattern of a query of one word that ends in ?: the word itself is looked
// for beside it, so that each ? stands for one character, or all of them for none.
func lastLetters(text string) (p pattern, ok bool) {
	word := strings.TrimRight(text, "?")
	return pattern(fold(word) + text[len(word):]), word != text && isWordStart(word) && isWord(word)
}

// hasWord reports whether a text begins with a word, perhaps after connectors.
func hasWord(text string) bool { return isWordStart(strings.TrimLeft(text, `_-./:@\'`)) }

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

// start returns what the words of a pattern begin with.
func (p pattern) start() string {
	if i := strings.IndexAny(string(p), wildcards); i >= 0 {
		return string(p)[:i]
	}
	return string(p)
}

// matchesTerm reports whether a pattern stands for a term that is a word of a text.
func (p pattern) matchesTerm(term string) bool {
	return term != "" && term[0] > ' ' && p.matches(term)
}

// matches reports whether a pattern stands for a word.
func (p pattern) matches(word string) bool {
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

func isWordStart(text string) bool {
	if text == "" {
		return false
	}
	c, _ := classify(text)
	return c == letter || c == unspaced
}
