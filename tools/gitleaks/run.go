package main

import (
	"regexp/syntax"
	"strings"

	"github.com/zricethezav/gitleaks/v8/config"
)

// byteSet has a bit for each byte; one at 128 stands for all beyond ASCII.
type byteSet [4]uint64

func (s *byteSet) add(lo, hi rune) {
	for c := lo; c <= hi && c < 128; c++ {
		s[c/64] |= 1 << (c % 64)
	}
	if hi >= 128 {
		s[2], s[3] = ^uint64(0), ^uint64(0)
	}
}

func (s *byteSet) join(o byteSet) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s byteSet) has(c byte) bool { return s[c/64]&(1<<(c%64)) != 0 }

// stretch is what a part of a pattern matches: so many characters at least, at most (-1: any
// number), all of this set.
type stretch struct {
	set      byteSet
	min, max int
}

// longestRun returns the longest run of characters without white space that every match of a pattern
// has: a text without such a run needs no look with the pattern. 0 if nothing can be said.
func longestRun(pattern string) (byteSet, int, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return byteSet{}, 0, err
	}
	var best, now stretch
	for _, part := range flat(re) {
		s := whole(part)
		if s.set.has(' ') || s.set.has('\n') {
			now = stretch{}
			continue
		}
		now.set.join(s.set)
		if now.min += s.min; now.min > best.min {
			best = now
		}
	}
	return best.set, best.min, nil
}

// flat returns the parts of a pattern in a row, groups opened.
func flat(re *syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpCapture:
		return flat(re.Sub[0])
	case syntax.OpConcat:
		var parts []*syntax.Regexp
		for _, sub := range re.Sub {
			parts = append(parts, flat(sub)...)
		}
		return parts
	}
	return []*syntax.Regexp{re}
}

// whole measures all that a pattern can match.
func whole(re *syntax.Regexp) (s stretch) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			s.set.add(r, r)
			if re.Flags&syntax.FoldCase != 0 {
				lower, upper := []rune(strings.ToLower(string(r)))[0], []rune(strings.ToUpper(string(r)))[0]
				s.set.add(lower, lower)
				s.set.add(upper, upper)
				s.set.add(128, 128) // K and S have kin beyond ASCII
			}
		}
		s.min, s.max = len(re.Rune), len(re.Rune)
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			s.set.add(re.Rune[i], re.Rune[i+1])
		}
		s.min, s.max = 1, 1
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		s.set.add(0, 128)
		s.min, s.max = 1, 1
	case syntax.OpCapture:
		return whole(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			s = s.then(whole(sub))
		}
	case syntax.OpAlternate:
		s = whole(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			s = s.or(whole(sub))
		}
	case syntax.OpStar:
		s = whole(re.Sub[0]).times(0, -1)
	case syntax.OpPlus:
		s = whole(re.Sub[0]).times(1, -1)
	case syntax.OpQuest:
		s = whole(re.Sub[0]).times(0, 1)
	case syntax.OpRepeat:
		s = whole(re.Sub[0]).times(re.Min, re.Max)
	}
	return s
}

func (s stretch) then(o stretch) stretch {
	s.set.join(o.set)
	return stretch{s.set, s.min + o.min, bounded(s.max, o.max, s.max+o.max)}
}

func (s stretch) or(o stretch) stretch {
	s.set.join(o.set)
	return stretch{s.set, min(s.min, o.min), bounded(s.max, o.max, max(s.max, o.max))}
}

func (s stretch) times(least, most int) stretch {
	return stretch{s.set, s.min * least, bounded(s.max, most, s.max*most)}
}

// bounded returns the value, or -1 if a or b has no bound.
func bounded(a, b, value int) int {
	if a < 0 || b < 0 {
		return -1
	}
	return value
}

// harmless returns the set of an allowlist that lets every value pass which consists of such
// characters alone.
func harmless(a *config.Allowlist) (s byteSet, ok bool) {
	if len(a.Regexes) != 1 || a.RegexTarget != "" || a.MatchCondition == config.AllowlistMatchAnd {
		return s, false
	}
	re, err := syntax.Parse(a.Regexes[0].String(), syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat || len(re.Sub) != 3 {
		return s, false
	}
	if re.Sub[0].Op != syntax.OpBeginText || re.Sub[1].Op != syntax.OpPlus || re.Sub[1].Sub[0].Op != syntax.OpCharClass || re.Sub[2].Op != syntax.OpEndText {
		return s, false
	}
	return whole(re.Sub[1]).set, true
}
