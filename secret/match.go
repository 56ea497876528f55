package secret

import (
	"bytes"
	"math"
	"regexp"
	"slices"
)

// span is a finding in the scanned text, in bytes.
type span struct {
	rule     string
	from, to int
}

// tableSpans finds what the rules of the table find.
func tableSpans(text []byte) (found []span) {
	var room [64]hit
	at := hits(room[:0], text)
	var open [256]bool
	for _, h := range at {
		for _, n := range []byte(keywords[h.word].rules) {
			open[n] = true
		}
	}
	for n := range table {
		if !open[n] {
			continue
		}
		for _, p := range table[n].parts(text, n, at) {
			found = append(found, find(n, text, p)...)
		}
	}
	return withoutGeneric(text, found)
}

// find runs a rule over a part of the text.
func find(n int, text []byte, p part) (found []span) {
	re := expression(n)
	for _, m := range re.FindAllIndex(text[p.from:p.to], -1) {
		from, to := trim(text, p.from+m[0], p.from+m[1])
		s := span{table[n].id, from, to}
		s.narrow(re, text, table[n].group)
		if secret := text[s.from:s.to]; entropy(secret) <= table[n].entropy && table[n].entropy != 0 {
			continue
		}
		f := finding{text[s.from:s.to], text[from:to], line(text, from, to)}
		if !f.allowed(globalAllow) && !f.allowed(table[n].allow) && !(s.rule == generic && f.digest()) {
			found = append(found, s)
		}
	}
	return found
}

// trim takes newlines off both ends.
func trim(text []byte, from, to int) (int, int) {
	for from < to && text[from] == '\n' {
		from++
	}
	for from < to && text[to-1] == '\n' {
		to--
	}
	return from, to
}

// narrow goes from the match to the secret in it: the group that the rule names, else the first that holds anything. As gitleaks does it, the
// pattern is held once more against the match alone.
func (s *span) narrow(re *regexp.Regexp, text []byte, group int) {
	m := re.FindSubmatchIndex(text[s.from:s.to])
	for g := 1; 2*g < len(m); g++ {
		if g == group || group == 0 && m[2*g+1] > m[2*g] {
			s.from, s.to = s.from+m[2*g], s.from+m[2*g+1]
			return
		}
	}
}

// line gives the lines that a match stands in.
func line(text []byte, from, to int) []byte {
	from = bytes.LastIndexByte(text[:from], '\n') + 1
	if n := bytes.IndexByte(text[to:], '\n'); n >= 0 {
		return text[from : to+n]
	}
	return text[from:]
}

// entropy is Shannon's, in bits per character.
func entropy(secret []byte) (bits float64) {
	counts := map[rune]int{}
	for _, r := range string(secret) {
		counts[r]++
	}
	for _, n := range counts {
		share := float64(n) / float64(len(secret))
		bits -= share * math.Log2(share)
	}
	return bits
}

const generic = "generic-api-key"

// withoutGeneric drops what the generic rule finds where one that knows better finds the same in the same line.
func withoutGeneric(text []byte, found []span) (kept []span) {
	for _, s := range found {
		better := func(o span) bool {
			return o.rule != generic && lineStart(text, o) == lineStart(text, s) && bytes.Contains(text[o.from:o.to], text[s.from:s.to])
		}
		if s.rule == generic && slices.ContainsFunc(found, better) {
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

func lineStart(text []byte, s span) int { return bytes.LastIndexByte(text[:s.from], '\n') }
