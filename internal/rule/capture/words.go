package capture

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed words.txt
var wordList string

// language has the patterns of one language by name (doc.go). They are compiled when first used, so
// that a process pays for the languages of its prompts only.
type language struct {
	spaced   bool // words have edges, and a phrase begins at the start of a clause
	patterns map[string]string
	words    map[string][]string // of which one stands in each text that a pattern matches

	mu       sync.Mutex
	compiled map[string]*regexp.Regexp
}

// languages returns the table of words.txt, read when the first prompt is judged. A pattern stands
// there in the notation of the file.
var languages = sync.OnceValue(func() (all []*language) {
	l, name, at, from := (*language)(nil), "", 0, 0
	for line := range strings.Lines(wordList) {
		at += len(line)
		switch {
		case line == "\n" || line[0] == '#':
		case line[0] == '[':
			l = &language{spaced: strings.HasSuffix(line, " spaced]\n"),
				patterns: map[string]string{}, words: map[string][]string{},
				compiled: map[string]*regexp.Regexp{}}
			all = append(all, l)
		case line[0] == '\t' && strings.HasSuffix(name, " words"):
			of := strings.TrimSuffix(name, " words")
			l.words[of] = strings.Split(strings.Trim(line, "\t\n"), "|")
		case line[0] == '\t':
			l.patterns[name] = wordList[from:at]
		default:
			name, from = strings.TrimSuffix(line, "\n"), at
		}
	}
	return all
})

// notation makes regular expressions of the patterns of words.txt. Groups have no submatch.
var notation = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("\n\t", "", "\n", "", "\t", "",
		`\(`, `\(`, "(?", "(?", "(", "(?:", " ", `\s+`, "_", `\s*`)
})

// pattern returns a pattern as a regular expression.
func (l *language) pattern(name string) string { return notation().Replace(l.patterns[name]) }

// everyScript returns the patterns that hold for all languages.
func everyScript() *language { return languages()[0] }

// The places in a sentence where a pattern has to match.
const (
	anywhere = ""
	clause   = "," // at the start of the sentence or behind a comma, a colon or a conjunction
	opening  = "^" // at the start of the sentence, behind words of politeness
	closing  = "$" // at its end
	whole    = "=" // from its start to its end, but for words of politeness
)

// find returns the submatches of a pattern in a text; the first is the match without the words
// before it.
func (l *language) find(name, at, low string) []int {
	if l.patterns[name] == "" || !l.mayMatch(name, low) {
		return nil
	}
	return l.expression(name, at).FindStringSubmatchIndex(low)
}

// mayMatch reports whether a text has one of the words without which a pattern matches nothing. Few
// texts have one of a rare form, and a pattern costs its compilation.
func (l *language) mayMatch(name, low string) bool {
	has := func(word string) bool { return strings.Contains(low, word) }
	return l.words[name] == nil || slices.ContainsFunc(l.words[name], has)
}

func (l *language) has(name, low string) bool { return l.find(name, anywhere, low) != nil }

// expression returns the regular expression of a pattern at a place. It has one submatch.
func (l *language) expression(name, at string) *regexp.Regexp {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.compiled[name+at] == nil {
		l.compiled[name+at] = regexp.MustCompile(l.source(l.pattern(name), at))
	}
	return l.compiled[name+at]
}

// source returns the text of that expression.
func (l *language) source(body, at string) string {
	lead := `(?:[\s,:!.;~()\-–—]*(?:` + l.pattern("lead") + `)(?:[\s,:!.;~\-–—]+|$))*`
	edge, end := `(?:^|[^a-z0-9_])`, `(?:[^a-z0-9_]|$)`
	if !l.spaced {
		lead = `(?:(?:` + l.pattern("lead") + `)[\s,:!.;~、]*)*`
		edge, end = ``, ``
	}
	switch at {
	case whole:
		return `^\s*` + lead + `\s*(` + body + `)[\s,:.!~)]*` + lead + `$`
	case clause:
		if l.spaced {
			edge = `(?:^|[,:;()\-–—]|[^a-z](?:so|and|und|y|et|donc|also)[\s,:])\s*` + lead + `\s*`
		}
	case opening:
		edge = `^\s*` + lead + `\s*`
	case closing:
		end = `[\s.。!~)]*$`
	}
	return edge + `(` + body + `)` + end
}
