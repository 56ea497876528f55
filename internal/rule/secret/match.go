package secret

import (
	"bytes"
	"regexp"
	"slices"
)

// maxFindings is about how many findings of one text are reported. One is enough to refuse it.
const maxFindings = 100

// tableSpans returns what the rules of the table find, whose keywords are at these places: about
// most of it, or all.
func tableSpans(text []byte, at []hit, most int) (found []span) {
	var open [len(rules)]bool
	for _, h := range at {
		for n := range h.rules {
			open[n] = true
		}
	}
	for n, opened := range open {
		if !opened {
			continue
		}
		for _, p := range ruleAt(n).parts(text, n, at) {
			if len(found) < most {
				found = append(found, ruleAt(n).find(text, p, most)...)
			}
		}
	}
	return found
}

// find returns what a rule finds in a part of the text, at most so many.
func (r *rule) find(text []byte, p part, most int) (found []span) {
	re := r.expression()
	for _, m := range re.FindAllIndex(text[p.from:p.to], -1) {
		from, to := trim(text, p.from+m[0], p.from+m[1])
		s := span{r.id, from, to}
		s.narrow(re, text, r.group)
		if r.entropy != 0 && entropy(text[s.from:s.to]) <= r.entropy {
			continue
		}
		f := finding{text[s.from:s.to], text[from:to], line(text, from, to)}
		if !f.allowed(globalAllow()) && !f.allowed(r.allow) &&
			!dummy(f.secret) && !(s.rule == generic && f.reference(text, s.from)) {
			found = append(found, s)
		}
		if len(found) == most {
			break
		}
	}
	return found
}

// trim returns a range without the newlines at both ends.
func trim(text []byte, from, to int) (int, int) {
	for from < to && text[from] == '\n' {
		from++
	}
	for from < to && text[to-1] == '\n' {
		to--
	}
	return from, to
}

// narrow reduces s from the match to the secret in it: the group that the rule names, else the
// first that is not empty. As in gitleaks, the pattern is run once more on the match alone.
func (s *span) narrow(re *regexp.Regexp, text []byte, group int) {
	m := re.FindSubmatchIndex(text[s.from:s.to])
	for g := 1; 2*g < len(m); g++ {
		if g == group || group == 0 && m[2*g+1] > m[2*g] {
			s.from, s.to = s.from+m[2*g], s.from+m[2*g+1]
			return
		}
	}
}

// line returns the lines that hold a match, and of long ones only the part near the match: a whole
// memory may be one line, and a word at its end says nothing about its beginning.
func line(text []byte, from, to int) []byte {
	const near = 1000
	before, after := text[max(0, from-near):from], text[to:min(to+near, len(text))]
	from -= len(before) - bytes.LastIndexByte(before, '\n') - 1
	if n := bytes.IndexByte(after, '\n'); n >= 0 {
		after = after[:n]
	}
	return text[from : to+len(after)]
}

const generic = "generic-api-key"

// withoutGeneric returns the findings in the order of the text, without those of the generic rule
// that a more specific one has too, in the same line.
func withoutGeneric(text []byte, found []span) (kept []span) {
	slices.SortStableFunc(found, inOrder)
	for i, s := range found {
		better := func(o span) bool {
			return o.rule != generic && bytes.Contains(text[o.from:o.to], text[s.from:s.to]) &&
				bytes.IndexByte(text[min(o.from, s.from):max(o.from, s.from)], '\n') < 0
		}
		// Of many findings only those near are compared: all with all would take their square.
		near := found[max(0, i-maxFindings):min(i+maxFindings, len(found))]
		if s.rule == generic && slices.ContainsFunc(near, better) {
			continue
		}
		kept = append(kept, s)
	}
	return kept
}
