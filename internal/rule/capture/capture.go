package capture

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Verdict says what becomes of a prompt.
type Verdict int

// The verdicts, from the weakest to the strongest.
const (
	Nothing Verdict = iota // the prompt asks for no memory
	Propose                // it seems to; a person or a model decides
	Store                  // it asks plainly, and its text may be stored
)

const (
	maxBytes      = 2000 // of a prompt that is judged at all
	maxStore      = 500  // characters of a prompt that is stored
	maxStoreLines = 3
	maxLines      = 6
	minFact       = 8  // characters of a fact that stands alone
	minCorrection = 30 // characters of a correction that needs no second sentence
	maxBack       = 3  // sentences that a request like "remember this" points back to
	maxPointer    = 60 // characters of a sentence that only points back
	minStatement  = 3  // words of a statement
)

// Request is what a prompt asks to remember.
type Request struct {
	Verdict Verdict
	Text    string // the fact in the user's words
	User    bool   // it is about the user, else about the project
	Rule    bool   // it says what holds from now on, always or never
	Plain   bool   // it asks in so many words to remember
	Why     string // of Nothing: why a prompt that begins with a request is refused; "" of others
}

// Asked returns the request of a prompt to remember something, if it has one.
func Asked(prompt string) (none Request) {
	t := judged(prompt, maxLines, maxBytes)
	if t == nil {
		none.Why = formOf(prompt)
		return none
	}
	first := t.first()
	for i, s := range t.sentences {
		v := t.judge(s)
		if i < first || v == Nothing || i == first && t.bare(i) {
			continue
		}
		isList := t.isList(i)
		if t.refused() || !isList && t.pasted(i) {
			if i == first && v == Store {
				none.Why = t.refusal()
			}
			return none
		}
		part, isLimited := t.fact(i, first)
		if isList {
			part = sentence{from: s.to, to: len(t.raw)}
		}
		if v == Store && (i != first || !t.strict(first) || isLimited || isList) {
			v = Propose
		}
		return Request{Verdict: v, Text: t.quote(part.from, part.to),
			User:  t.isAboutUser(part),
			Rule:  t.isRule(s.low),
			Plain: t.begins(s.low, "remember", "tail", "polite", "states")}
	}
	return none
}

// isAboutUser reports whether all sentences of a fact that state something are about the user. A
// fact of the user goes to all projects, so one about both is the project's.
func (t *text) isAboutUser(fact sentence) bool {
	mine := false
	for _, s := range t.sentences {
		if s.to <= fact.from || s.from >= fact.to || t.onlyPoints(s) {
			continue
		}
		// The request itself is about the agent: "I want you to remember that ...".
		said := string([]rune(s.low)[min(max(fact.from-s.from, 0), utf8.RuneCountInString(s.low)):])
		if mine = t.any(said, "me") && !t.any(said, "ours"); !mine {
			return false
		}
	}
	return mine
}

// onlyPoints reports whether a sentence asks to remember another one, and states nothing itself.
func (t *text) onlyPoints(s sentence) bool {
	rest := t.cut(s)
	return rest.to-rest.from < minFact || slices.ContainsFunc(t.languages, func(l *language) bool {
		return l.find("points", closing, s.low) != nil
	})
}

// isList reports whether a sentence announces a list, and all lines below it are its items.
func (t *text) isList(i int) bool {
	s := t.sentences[i]
	if i+1 == len(t.sentences) || !strings.HasSuffix(s.low, ":") {
		return false
	}
	for line := range strings.Lines(strings.TrimSpace(string(t.raw[s.to:]))) {
		if strings.TrimSpace(line) != "" && !everyScript().has("list", line) {
			return false
		}
	}
	return true
}

// The reasons of a refused request.
const (
	whyLong  = "it is too long"
	whyForm  = "it has the form of a command, a file or a pasted text"
	whyRisk  = "it has words of secrets or of checks that are turned off"
	whyPaste = "it works on another text"
)

// maxHead is how many bytes of a prompt without a form to judge are looked at for a request.
const maxHead = 200

// formOf returns the reason for a prompt whose form refuses it, if it begins with a request.
func formOf(prompt string) string {
	head, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	if head == "" || strings.ContainsAny(head[:1], "!/<") || !utf8.ValidString(prompt) {
		return ""
	}
	t := read(strings.ToValidUTF8(head[:min(len(head), maxHead)], ""))
	if len(t.sentences) == 0 || t.judge(t.sentences[t.first()]) != Store {
		return ""
	}
	if len(prompt) > maxBytes || strings.Count(prompt, "\n") >= maxLines {
		return whyLong
	}
	return whyForm
}

// refusal returns the reason for a request that is refused for its words.
func (t *text) refusal() string {
	if t.any(t.withoutTopics(), "risk") {
		return whyRisk
	}
	return whyPaste
}

// withoutTopics returns the folded text without topics such as "password rotation".
func (t *text) withoutTopics() string { return t.mask(t.low, "topic") }

// PointsBack reports whether a prompt asks to keep what was said before it, and no commit keeps
// that: "save that", "write it down".
func PointsBack(prompt string) bool {
	t := judged(prompt, maxLines, maxStore)
	if t == nil || len(t.sentences) == 0 {
		return false
	}
	first := t.first()
	s := t.sentences[first]
	// In this order, since a pattern costs its compilation, and most prompts are none.
	return s.to-s.from <= maxPointer && t.is(t.upToNext(s.low), "bare") && t.bare(first) &&
		!t.is(s.low, "empty") && !t.any(s.low, "not") &&
		(!s.asks || t.any(s.low, "polite")) && !t.refused() && !everyScript().has("git", t.low)
}

// upToNext returns a sentence without the step that it adds, as "and push".
func (t *text) upToNext(low string) string {
	for _, l := range t.languages {
		if m := l.find("next", anywhere, low); m != nil {
			low = low[:m[0]]
		}
	}
	return low
}

// begins reports whether a clause of a sentence begins with one of the patterns of any language.
func (t *text) begins(low string, names ...string) bool {
	return slices.ContainsFunc(t.languages, func(l *language) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return l.find(name, clause, low) != nil
		})
	})
}

// isRule reports whether a clause begins with words of a lasting rule that are no contrast within a
// statement, as in "levels are in millimetres, never in metres".
func (t *text) isRule(low string) bool {
	return slices.ContainsFunc(t.languages, func(l *language) bool {
		for {
			m := l.find("rule", clause, low)
			if m == nil {
				return false
			}
			aside := l.find("aside", anywhere, low)
			if aside == nil || m[2] < aside[2] || m[2] >= aside[3] {
				return true
			}
			low = low[aside[3]:]
		}
	})
}

// judged returns the text of a prompt whose form lets it be judged, else nil.
func judged(prompt string, lines, characters int) *text {
	if len(prompt) > maxBytes || !utf8.ValidString(prompt) {
		return nil
	}
	prompt = strings.TrimSpace(strings.ReplaceAll(prompt, "\r\n", "\n"))
	if utf8.RuneCountInString(prompt) > characters || strings.Count(prompt, "\n") >= lines {
		return nil
	}
	if t := read(prompt); !t.broken {
		return t
	}
	return nil
}

// refused reports whether a prompt works on a pasted text or has words of attacks.
func (t *text) refused() bool { return t.any(t.withoutTopics(), "risk") || t.any(t.low, "paste") }

// judge returns Store for a sentence that begins with a request, Propose for one that has a request
// in it, and Nothing for any other.
func (t *text) judge(s sentence) (v Verdict) {
	polite, explicit := t.any(s.low, "polite"), false
	if polite {
		v = Propose
	}
	for _, l := range t.languages {
		if !s.asks {
			v = max(v, l.request(s.low))
			explicit = explicit || l.spaced && l.find("remember", clause, s.low) != nil ||
				l.has("inform", s.low)
		}
	}
	if v == Nothing || t.any(s.low, "not", "once") || !explicit && t.any(s.low, "unlike") ||
		!polite && t.any(s.low, "question") {
		return Nothing
	}
	if !polite && t.any(s.low, "said") {
		if v < Store || !t.announces(s.low) {
			return Nothing
		}
		return Propose // somebody's wish is a statement: "remember that the client asked for it"
	}
	return v
}

// request returns the verdict on a sentence by the patterns that call for one.
func (l *language) request(low string) Verdict {
	atEnd := !l.spaced && l.find("tail", closing, low) != nil
	remember, rule := l.find("remember", clause, low) != nil, l.find("rule", clause, low) != nil
	switch {
	case atEnd, remember && l.find("remember", opening, low) != nil,
		rule && l.find("rule", opening, low) != nil:
		return Store
	case remember, rule, l.has("duty", low), l.has("loose", low), l.has("inform", low),
		l.has("scope", low) && l.has("fix", low), l.find("states", clause, low) != nil,
		l.find("habit", opening, low) != nil && !l.has("single", low):
		return Propose
	}
	return Nothing
}

// bare reports whether a sentence asks to remember and has nothing in it to be remembered, nor
// behind it, as in "save that", "write it down, then go on" or "never again".
func (t *text) bare(i int) bool {
	low := t.sentences[i].low
	if i+1 < len(t.sentences) && (strings.HasSuffix(low, ":") || !t.any(low, "back")) {
		return t.is(low, "empty")
	}
	return t.asksOnly(low) || t.is(low, "empty")
}

// asksOnly reports whether the words of a sentence ask to remember and say nothing more.
func (t *text) asksOnly(low string) bool {
	for _, l := range t.languages {
		if m := l.find("next", anywhere, low); m != nil {
			rest := low[m[2]:]
			if !t.is(rest, "bare") && t.judge(sentence{low: rest}) != Nothing {
				return false
			}
			low = low[:m[0]]
		}
	}
	return t.is(low, "bare", "remember", "tail")
}

// is reports whether one of the patterns of any language is a whole text.
func (t *text) is(low string, names ...string) bool {
	return slices.ContainsFunc(t.languages, func(l *language) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return l.find(name, whole, low) != nil
		})
	})
}

// strict reports whether the conditions of Store hold that the sentence alone cannot show.
func (t *text) strict(first int) bool {
	return !t.quoted && t.lines <= maxStoreLines && len(t.raw) <= maxStore && first <= 1 &&
		!t.any(t.low, "once", "links") && !everyScript().has("topic", t.low) &&
		(t.lines == 1 || !everyScript().has("ragged", t.low))
}
