package readout

import "strings"

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
func instructs(text string) float64 {
	found := 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return r != '\'' && betweenWords(r)
	}) {
		if isInstruction(word) {
			found++
		}
	}
	for _, word := range instructionsCJK {
		found += strings.Count(text, word)
	}
	found += strings.Count(text, "`") / 2
	return min(1, float64(found)/enough)
}
