package fts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// ErrQuery is wrapped by the errors of ParseQuery.
var ErrQuery = errors.New("bad query")

// Query holds the words and conditions of a search. The zero Query finds nothing.
type Query struct {
	terms          []string           // of which each match counts
	patterns       []analyzer.Pattern // words with wildcards
	names          []string           // words that may be a speaker's name
	named          [][]string         // beside each name the terms that it consists of
	implied        []string           // of the terms those that are free where no record has them
	uncommon       []uncommon
	dates          []analyzer.Date
	phrases        []phrase
	without        [][]string // sets of terms: a record that has all of one is out
	tags           [][]string // of each set the record must have one
	types          []string   // of which its type must be one
	scope          keypath.Prefix
	scoped         bool
	asks           asked
	matchesNothing bool // no record can fit
}

// Words makes a query of a text as it is, such as a user's message: nothing in it is taken for
// syntax. Of the text only the first MaxQuery bytes are looked for.
func Words(text string) *Query {
	text = cut(text)
	q := &Query{asks: askedIn(analyzer.Normalize(text))}
	q.addText(analyzer.Normalize(text))
	q.addLogin(analyzer.Normalize(text))
	return q
}

// ParseQuery reads a query as people type it: words; "a phrase", whose words must stand together,
// unless a question quotes it: then they are words; prefix*, and * (any characters) or ? (one)
// anywhere in a word, but for those ? at its end: they stand for as many or none in a query of one
// word, and in a word with other wildcards; -word, or -"some words", for records that must not have
// it, or not all of them; tag:a,b for records with one of these tags, -tag:a,b for those with none
// of them; type:a,b and -type:a,b likewise; key:/a/b for the record of a key and the records below
// it. A hit meets all conditions. Any other text is a word, so the only error is a bad key; it
// wraps ErrQuery. Of the text only the first MaxQuery bytes are looked for.
func ParseQuery(text string) (*Query, error) {
	text = cut(text)
	q := &Query{asks: askedIn(analyzer.Normalize(text))}
	var plain []string // dates are of several words, so these are read together
	for rest := analyzer.Normalize(text); ; {
		var p piece
		if p, rest = nextPiece(rest); p.text == "" && rest == "" {
			break
		}
		if err := q.piece(p, &plain); err != nil {
			return nil, err
		}
	}
	rest := strings.Join(plain, " ")
	q.addText(rest)
	if p, ok := analyzer.LastLetters(rest); ok && len(q.patterns) == 0 {
		q.patterns = append(q.patterns, p)
	}
	if isQuestion(rest) {
		// The answer to what somebody took away from "Becoming Nicole" need not have that title.
		q.phrases = nil
	}
	return q, nil
}

// MaxQuery is how many bytes of a text are looked for: the time grows faster than the words, and a
// prompt may be any file.
const MaxQuery = 16 << 10

func cut(text string) string {
	if len(text) > MaxQuery {
		return strings.ToValidUTF8(text[:MaxQuery], "")
	}
	return text
}

// isQuestion reports whether a text reads as somebody asks, and not as words to look for.
func isQuestion(text string) bool {
	if strings.HasSuffix(text, "?") ||
		analyzer.ContainsAny(text, "吗", "什么", "哪", "谁", "几", "怎", "多少") {
		return true
	}
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return analyzer.IsIn(askingWords, first)
}

// askingWords are those that questions begin with.
const askingWords = " who whom whose what when where why which how do does did is are was were " +
	"has have had can could will would should "

// Terms returns the words of a query as they are looked for: stemmed, without those that stand
// everywhere.
func (q *Query) Terms() []string { return slices.Clone(q.terms) }

// hasWords reports whether there is anything to score by.
func (q *Query) hasWords() bool { return len(q.terms)+len(q.patterns)+len(q.dates) > 0 }

// hasConditions reports whether there is anything to choose by.
func (q *Query) hasConditions() bool {
	return q.scoped || len(q.phrases)+len(q.without)+len(q.tags)+len(q.types) > 0
}

// speakerTerms returns the terms of the records of the speakers with one of the names.
func (q *Query) speakerTerms() []string {
	terms := make([]string, len(q.names))
	for i, name := range q.names {
		terms[i] = analyzer.KindSpeaker + name
	}
	return terms
}

func (q *Query) patternTexts() (texts []string) {
	for _, p := range q.patterns {
		texts = append(texts, string(p))
	}
	return texts
}

func (q *Query) dateTerms(now log.Stamp) (terms []string) {
	for _, d := range q.dates {
		terms = append(terms, d.Terms(now)...)
	}
	return terms
}

// piece is a part of a query between spaces.
type piece struct {
	text   string
	quoted bool
	not    bool
}

// nextPiece takes the first piece off a query. A quotation mark that nothing closes is none.
func nextPiece(text string) (p piece, rest string) {
	text = strings.TrimLeft(text, " \t\r\n")
	body := text
	if strings.HasPrefix(text, "-") && len(text) > 1 {
		p.not, body = true, text[1:]
	}
	if inside, after, ok := cutQuoted(body); ok {
		p.text, p.quoted = inside, true
		return p, after
	}
	p.not = p.not && analyzer.IsWordStart(body)
	if !p.not {
		body = text
	}
	end := strings.IndexAny(body, " \t\r\n")
	if end < 0 {
		end = len(body)
	}
	p.text = body[:end]
	return p, body[end:]
}

func cutQuoted(text string) (inside, after string, ok bool) {
	for _, marks := range [...][2]string{{`"`, `"`}, {"“", "”"}, {"「", "」"}} {
		if rest, found := strings.CutPrefix(text, marks[0]); found {
			return strings.Cut(rest, marks[1])
		}
	}
	return "", "", false
}

func (q *Query) piece(p piece, plain *[]string) error {
	name, value, isPair := strings.Cut(p.text, ":")
	switch {
	case p.not:
		return q.exclude(p)
	case p.quoted:
		if words := wordSequence(p.text); len(words) > 0 {
			q.phrases = append(q.phrases, phrase{words, termsOf(p.text)})
			q.addText(p.text)
		}
	case isPair && value != "" && name == "tag":
		q.tags = append(q.tags, nameList(value))
	case isPair && value != "" && name == "type":
		q.types = append(q.types, nameList(value)...)
	case isPair && name == "key" && strings.HasPrefix(value, "/"):
		return q.setScope(value)
	default:
		q.addPiece(p.text, plain)
	}
	return nil
}

// exclude takes in what a record must not have: words, a tag, a type.
func (q *Query) exclude(p piece) error {
	name, value, isPair := strings.Cut(p.text, ":")
	isPair = isPair && value != "" && !p.quoted
	switch {
	case isPair && name == "key" && value[0] == '/':
		return fmt.Errorf("%w: -%s: a minus goes before a word, tag:x or type:x", ErrQuery, p.text)
	case isPair && name == "tag":
		q.excludeNames(analyzer.KindTag, value)
	case isPair && name == "type":
		q.excludeNames(analyzer.KindType, value)
	default:
		if all := termsOf(p.text); len(all) > 0 {
			q.without = append(q.without, all)
		}
	}
	return nil
}

func (q *Query) excludeNames(kind, value string) {
	for _, name := range nameList(value) {
		q.without = append(q.without, []string{kind + name})
	}
}

// addPiece takes in a word, or a pattern for several.
func (q *Query) addPiece(text string, plain *[]string) {
	p, ok := analyzer.ParsePattern(text)
	if !ok {
		*plain = append(*plain, text)
		return
	}
	last := text[len(strings.TrimRight(text, "?")):]
	for _, p := range [...]analyzer.Pattern{p, p + analyzer.Pattern(last)} {
		if !slices.Contains(q.patterns, p) {
			q.patterns = append(q.patterns, p)
		}
	}
}

func nameList(value string) (list []string) {
	for name := range strings.SplitSeq(value, ",") {
		if name = analyzer.FoldName(name); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// Narrow returns a copy of the query that is limited to a key and the keys below it, too. A query
// without words or conditions has no hits then either. The query itself stays as it is, since
// several searches may use it.
func (q *Query) Narrow(p keypath.Prefix) *Query {
	narrowed := *q
	q = &narrowed
	inside := func(outer, inner keypath.Prefix) bool {
		key, err := keypath.Parse(inner.String())
		return err == nil && outer.Holds(key)
	}
	switch {
	case inside(p, q.scope):
	case inside(q.scope, p):
		q.scope = p
	default: // two different places, unless one of them is everything
		q.matchesNothing = p.String() != "/"
	}
	return q
}

func (q *Query) setScope(value string) error {
	scope, err := keypath.ParsePrefix(value)
	if err == nil && q.scoped {
		err = errors.New("one key: is enough")
	}
	if err != nil {
		return fmt.Errorf("%w: key:%s: %w", ErrQuery, value, err)
	}
	q.scope, q.scoped = scope, true
	return nil
}

// addText takes a normalized text in: its words, the names and dates in it.
func (q *Query) addText(text string) {
	for s := (analyzer.Scanner{Text: text}); ; {
		w, ok := s.Next()
		if !ok {
			break
		}
		if w.Unspaced {
			analyzer.EachRunTerm(w.Text, func(term string) { q.terms = appendNew(q.terms, term) })
			continue
		}
		e := analyzer.Expand(w.Text)
		terms := e.Terms
		for _, term := range terms {
			q.terms = appendNew(q.terms, term)
		}
		q.addUncommon(w.Text, &e)
		name := strings.TrimSuffix(strings.ReplaceAll(w.Text, "’", "'"), "'s")
		q.addName(analyzer.Truncate(analyzer.Fold(name)), terms)
	}
	q.dates = append(q.dates, analyzer.DatesIn(text)...)
}

// addLogin takes in the noun where somebody wants to "log in" or "sign into" something; the log of
// "the log in /var" is none.
func (q *Query) addLogin(text string) {
	const login, verbs, particles = "login", " log logged sign signing signed ", " in into "
	const articles = " a an the this that each our my "
	var before, verb string
	for s := (analyzer.Scanner{Text: text}); ; {
		w, ok := s.Next()
		if !ok {
			return
		}
		word := analyzer.Fold(w.Text)
		if analyzer.IsIn(particles, word) && analyzer.IsIn(verbs, verb) &&
			!analyzer.IsIn(articles, before) && !slices.Contains(q.terms, login) {
			q.terms, q.implied = append(q.terms, login), append(q.implied, login)
		}
		before, verb = verb, word
	}
}

func (q *Query) addName(name string, terms []string) {
	for _, known := range q.names {
		if known == name {
			return
		}
	}
	q.names, q.named = append(q.names, name), append(q.named, terms)
}

func appendNew(list []string, s string) []string {
	for _, t := range list {
		if t == s {
			return list
		}
	}
	return append(list, s)
}

// termsOf returns the terms that a record must have for a text to be in it, or nearly so.
func termsOf(text string) (all []string) {
	for s := (analyzer.Scanner{Text: text}); ; {
		w, ok := s.Next()
		switch {
		case !ok:
			return all
		case w.Unspaced:
			analyzer.EachRunTerm(w.Text, func(term string) { all = appendNew(all, term) })
		default:
			for _, term := range analyzer.Expand(w.Text).Terms {
				all = appendNew(all, term)
			}
		}
	}
}

func isConnector(r rune) bool {
	return r < utf8.RuneSelf && strings.ContainsRune(analyzer.Connectors, r)
}

// wordSequence returns the stems of a text one after the other, of common words too: what phrases
// are compared by. A phrase is quoted for its words, so no other word stands for one of them.
func wordSequence(text string) (words []string) {
	for s := (analyzer.Scanner{Text: text}); ; {
		w, ok := s.Next()
		if !ok {
			return words
		}
		if w.Unspaced {
			for _, r := range w.Text {
				words = append(words, string(r))
			}
			continue
		}
		spelling := strings.ReplaceAll(strings.ReplaceAll(w.Text, ",", ""), "’", "'")
		for part := range strings.FieldsFuncSeq(spelling, isConnector) {
			words = append(words, analyzer.OwnStem(analyzer.Fold(part)))
		}
	}
}
