package readout

import (
	"strings"

	"github.com/set-memory/mem/internal/base/text"
)

// isInstruction reports whether a word says what has to be done or avoided.
func isInstruction(word string) bool {
	switch word {
	case "must", "never", "always", "only", "don't", "cannot", "can't", "not", "no", "nobody",
		"nothing", "nowhere", "forbidden", "banned", "needs", "need", "every", "each", "all",
		"before", "until", "unless", "instead", "without", "first", "by",
		"muss", "müssen", "nie", "niemals", "immer", "nur", "nicht", "kein", "keine", "verboten",
		"darf", "dürfen", "vor", "erst", "jede", "jeder",
		"nunca", "siempre", "solo", "debe", "jamais", "toujours", "seulement", "doit", "mai",
		"sempre", "deve", "nooit", "altijd", "moet":
		return true
	}
	return false
}

// instructionsCJK are such words in scripts without spaces.
var instructionsCJK = [...]string{"不许", "不准", "不能", "不要", "不用", "必须", "只能", "只在", "一律", "禁止", "才能",
	"先", "都"}

// enough is how many such words, or commands in backquotes, a text that instructs has.
const enough = 3

// instructs returns how far a text instructs, 0..1.
func instructs(s string) float64 {
	if text.IsASCII(s) {
		return min(1, float64(instructionsIn(s)+strings.Count(s, "`")/2)/enough)
	}
	found := 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool {
		return r != '\'' && betweenWords(r)
	}) {
		if isInstruction(word) {
			found++
		}
	}
	for _, word := range instructionsCJK {
		found += strings.Count(s, word)
	}
	found += strings.Count(s, "`") / 2
	return min(1, float64(found)/enough)
}

// instructionsIn counts the instructions in an ASCII text, without a copy of it: every candidate of
// a start is asked.
func instructionsIn(text string) (found int) {
	var word [longestInstruction]byte
	size := 0
	for i := 0; i <= len(text); i++ {
		c := byte(' ')
		if i < len(text) {
			c = text[i]
		}
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '\'':
		default:
			if size <= len(word) && isInstruction(string(word[:size])) {
				found++
			}
			size = 0
			continue
		}
		if size < len(word) {
			word[size] = c
		}
		size++
	}
	return found
}

// longestInstruction is the length of the longest such word in ASCII, and one more.
const longestInstruction = 10
