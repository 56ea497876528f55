package audit

import (
	"slices"
	"strings"
	"unicode"
)

// verbs have one object at a time, mostly; each with the words of which one has to follow it.
var verbs = map[string][]string{
	"is": nil, "are": nil, "uses": nil, "use": nil, "prefers": nil, "prefer": nil, "equals": nil,
	"=": nil, "runs": {"on", "in", "at"}, "run": {"on", "in", "at"}, "listens": {"on", "at"},
	"lives": {"in", "at"}, "works": {"at", "for"}, "deploys": {"to", "on"},
	"points": {"to", "at"}, "defaults": {"to"}, "belongs": {"to"},
}

var (
	// loose are the verbs that often have several objects.
	loose    = []string{"uses", "use", "prefers", "prefer", "are"}
	articles = []string{"the", "a", "an"}
	// vague are subjects that may be another thing in each memory.
	vague = []string{"it", "this", "that", "these", "those", "there", "he", "she", "they", "which",
		"what"}
	// unsure are words of sentences that leave other values possible.
	unsure = []string{"not", "no", "never", "without", "cannot", "or", "also", "either", "maybe",
		"sometimes", "if", "unless"}
)

const (
	maxSubject = 8
	maxRest    = 6
)

// parseSentence returns what an English sentence states.
func parseSentence(text string) (said statement, ok bool) {
	words, ok := wordsOf(text)
	if !ok {
		return said, false
	}
	subject, verb, rest := parts(words)
	if len(subject) == 0 || len(subject) > maxSubject || len(rest) == 0 || len(rest) > maxRest ||
		len(subject) == 1 && slices.Contains(vague, subject[0]) {
		return said, false
	}
	frame, value := frameOf(verb, rest)
	if len(value) == 0 {
		return said, false
	}
	return statement{
		predicate: "sentence " + strings.Join(slices.Concat(subject, []string{verb}, frame), " "),
		value:     strings.Join(value, " "),
		many:      slices.Contains(loose, verb),
	}, true
}

// wordsOf returns the words of a text that is one sentence and says something for certain.
func wordsOf(text string) (words []string, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > 200 || strings.ContainsAny(text, "\n?;") {
		return nil, false
	}
	all := strings.Fields(unpointed(text))
	for i, word := range all {
		if i < len(all)-1 && strings.ContainsAny(word[len(word)-1:], ".!:") {
			return nil, false
		}
		if word = bare(word); word == "" {
			continue
		}
		low := strings.ToLower(word)
		if slices.Contains(unsure, low) || strings.HasSuffix(low, "n't") {
			return nil, false
		}
		words = append(words, word)
	}
	return words, true
}

// parts returns what stands before the first verb, the verb, and what stands after it. There is no
// rest where no verb is.
func parts(words []string) (subject []string, verb string, rest []string) {
	for i, word := range words {
		low := strings.ToLower(word)
		after, isVerb := verbs[low]
		if isVerb && after == nil {
			return subject, low, withoutArticle(words[i+1:])
		}
		if isVerb && i+1 < len(words) && slices.Contains(after, words[i+1]) {
			return subject, low + " " + words[i+1], withoutArticle(words[i+2:])
		}
		if !slices.Contains(articles, low) {
			subject = append(subject, low)
		}
	}
	return subject, "", nil
}

func withoutArticle(words []string) []string {
	if len(words) > 0 && slices.Contains(articles, strings.ToLower(words[0])) {
		return words[1:]
	}
	return words
}

// frameOf parts the words after a verb into those of the predicate, with a mark for each of the
// value, and those of the value.
func frameOf(verb string, rest []string) (frame, value []string) {
	named := slices.ContainsFunc(rest, isName)
	if !named && (verb == "is" || verb == "are") {
		return nil, nil
	}
	for i, word := range rest {
		low := strings.ToLower(word)
		if named && !isName(word) || !named && i > 0 {
			frame = append(frame, low)
			continue
		}
		frame, value = append(frame, mark(verb, word)), append(value, low)
	}
	return frame, value
}

// mark stands for a word of the value, so that only what may be each other's opposite is compared:
// who works at Acme may work at home as well. What is used, though, is spelled either way.
func mark(verb, word string) string {
	switch {
	case strings.IndexFunc(word, unicode.IsLetter) < 0:
		return "<number>"
	case isName(word) && !strings.HasPrefix(verb, "use"):
		return "<name>"
	}
	return "<word>"
}

// isName reports whether a word is a name or a number: it has a capital, a digit, or a sign within.
func isName(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool {
		return unicode.IsUpper(r) || unicode.IsDigit(r) || strings.ContainsRune("./:@_+#$%=", r)
	})
}
