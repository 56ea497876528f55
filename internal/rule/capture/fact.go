package capture

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// fact returns the words of the request without its shell, with the requests right behind it. A
// request that points back stands for the sentences before it, too.
func (t *text) fact(i, first int) (fact sentence, isLimited bool) {
	s := t.sentences[i]
	rest := t.cut(s)
	short := rest.to-rest.from < minFact
	last := i
	for last+1 < len(t.sentences) && t.goesOn(t.sentences[last+1]) {
		last++
		rest.to = t.sentences[last].to
	}
	if isLimited = last+1 < len(t.sentences) && t.limits(t.sentences[last+1]); isLimited {
		last++
		rest.to = t.sentences[last].to
	}
	switch {
	case i > first && (short || t.any(s.low, "points") && !t.announces(s.low)):
		rest = sentence{from: t.sentences[max(first, i-maxBack)].from, to: max(s.to, rest.to)}
	case short && last == i && i+1 < len(t.sentences) && t.asksOnly(s.low):
		rest = t.sentences[i+1]
	case short && last == i:
		rest = sentence{from: s.from, to: t.sentences[min(i+1, len(t.sentences)-1)].to}
	case short:
		rest.from = s.from
	}
	return rest, isLimited
}

// limits reports whether a sentence takes back or limits the one before it, or goes on about it, as
// in "Actually no, ..." and "But only on Windows": both are one fact.
func (t *text) limits(s sentence) bool {
	return slices.ContainsFunc(t.languages, func(l *language) bool {
		return l.find("limits", opening, s.low) != nil
	})
}

// goesOn reports whether a sentence behind a request asks, too, and has something to be remembered.
func (t *text) goesOn(s sentence) bool {
	return t.judge(s) != Nothing && !t.is(s.low, "empty") && !t.asksOnly(s.low)
}

// cut returns the sentence without the words that ask to remember it.
func (t *text) cut(s sentence) sentence {
	rest := s
	for _, l := range t.languages {
		if m := l.find("remember", opening, s.low); m != nil {
			shell := s.low[:m[3]]
			if kept := everyScript().find("kept", anywhere, shell); kept != nil {
				shell = shell[:kept[0]]
			}
			if l.spaced || strings.HasSuffix(shell, ":") || strings.HasSuffix(shell, ",") {
				rest.from = max(rest.from, s.from+utf8.RuneCountInString(shell))
			}
		}
		if m := l.find("asked", opening, s.low); m != nil {
			rest.from = max(rest.from, s.from+utf8.RuneCountInString(s.low[:m[3]]))
			rest.to = s.from + utf8.RuneCountInString(s.low) // without the mark of a question
		}
		if shell := l.laterShell(s.low); shell != "" {
			rest.from = max(rest.from, s.from+utf8.RuneCountInString(shell))
		}
		if m := l.find("tail", closing, s.low); m != nil {
			rest.to = min(rest.to, s.from+utf8.RuneCountInString(s.low[:m[2]]))
		}
	}
	if rest.from > s.from {
		rest.to = min(rest.to, t.beforeErrand(s, rest.from))
	}
	return t.shrink(rest)
}

// beforeErrand returns where the statement of a request that begins at from ends: before a step
// that the sentence adds to it, as in "remember that ids are strings, and please rerun the linter".
// A rule may have such a step in it.
func (t *text) beforeErrand(s sentence, from int) (to int) {
	low := string([]rune(s.low)[min(from-s.from, utf8.RuneCountInString(s.low)):])
	m := everyScript().find("errand", anywhere, low)
	if m == nil || t.isRule(s.low) || t.judge(sentence{low: low[m[2]:]}) != Nothing {
		return s.to
	}
	kept := utf8.RuneCountInString(strings.TrimRight(low[:m[2]], " ,;"))
	if kept < minFact {
		return s.to
	}
	return from + kept
}

// announces reports whether a sentence asks to remember the statement that it makes itself.
func (t *text) announces(low string) bool {
	return slices.ContainsFunc(t.languages, func(l *language) bool {
		m := l.find("remember", opening, low)
		return m != nil && l.spaced && l.isAnnounced(low, m[3])
	})
}

// isAnnounced reports whether the words of a request up to a place announce the statement behind
// it, and that is about nothing before it.
func (l *language) isAnnounced(low string, end int) bool {
	shell, rest := low[:end], low[end:]
	if strings.HasPrefix(rest, ",") || strings.HasSuffix(shell, " para que") {
		return false // "remember that, somebody asks", "apúntalo para que no pase"
	}
	if len(strings.Fields(rest)) < minStatement || l.find("trails", opening, rest) != nil {
		return false
	}
	endsIn := func(word string) bool { return strings.HasSuffix(shell, word) }
	return slices.ContainsFunc([]string{" that", ":", " dass", " que"}, endsIn)
}

// laterShell returns a sentence up to the statement of a request behind another clause, as in "Fix
// it, and remember that ids are strings"; "" where that may be about the clause before it.
func (l *language) laterShell(low string) string {
	if m := l.find("states", clause, low); m != nil {
		verb, _, _ := strings.Cut(low[m[2]:], " ")
		return low[:m[2]+len(verb)]
	}
	m := l.find("remember", clause, low)
	if m == nil || !l.spaced || m[0] == 0 || !l.isAnnounced(low, m[3]) {
		return ""
	}
	return low[:m[3]]
}
