package capture

import (
	_ "embed"
	"regexp"
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
	duties   []string // words of which one stands in each sentence that the pattern "duty" matches

	mu       sync.Mutex
	compiled map[string]*regexp.Regexp
}

// languages returns the table of words.txt, read when the first prompt is judged.
var languages = sync.OnceValue(func() (all []*language) {
	// Groups have no submatch.
	notation := strings.NewReplacer(`\(`, `\(`, "(?", "(?", "(", "(?:", " ", `\s+`, "_", `\s*`)
	l, name := (*language)(nil), ""
	for line := range strings.Lines(wordList) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			l = &language{spaced: strings.HasSuffix(line, " spaced]"),
				patterns: map[string]string{}, compiled: map[string]*regexp.Regexp{}}
			all = append(all, l)
		case line[0] == '\t' && name == "duties":
			l.duties = strings.Split(line[1:], "|")
		case line[0] == '\t':
			l.patterns[name] += notation.Replace(line[1:])
		default:
			name = line
		}
	}
	return all
})

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
	if l.patterns[name] == "" {
		return nil
	}
	return l.expression(name, at).FindStringSubmatchIndex(low)
}

func (l *language) has(name, low string) bool { return l.find(name, anywhere, low) != nil }

// expression returns the regular expression of a pattern at a place. It has one submatch.
func (l *language) expression(name, at string) *regexp.Regexp {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.compiled[name+at] == nil {
		l.compiled[name+at] = regexp.MustCompile(l.source(l.patterns[name], at))
	}
	return l.compiled[name+at]
}

// source returns the text of that expression.
func (l *language) source(body, at string) string {
	lead := `(?:[\s,:!.;~()\-–—]*(?:` + l.patterns["lead"] + `)(?:[\s,:!.;~\-–—]+|$))*`
	edge, end := `(?:^|[^a-z0-9_])`, `(?:[^a-z0-9_]|$)`
	if !l.spaced {
		lead = `(?:(?:` + l.patterns["lead"] + `)[\s,:!.;~、]*)*`
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
