package main

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// alternates reports whether a pattern is a choice at its top.
func alternates(pattern string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	return err != nil || re.Op == syntax.OpAlternate
}

// parseName parses what stands before the operator of a pattern. It was cut out of it; a group that
// is open there holds no choice, so it may be closed.
func parseName(name string) *syntax.Regexp {
	re, err := syntax.Parse(name+strings.Repeat(")", strings.Count(name, "(")-strings.Count(name, ")")), syntax.Perl)
	if err != nil {
		panic(err)
	}
	return re
}

// nameLen bounds what may stand between the start of a match and its operator.
func nameLen(name string) int { return whole(parseName(name)).max }

// named reports whether every name that the pattern takes has a keyword in it: only then is it
// enough to look around the keywords. Some rules are opened by a word of their value.
func named(name string, keywords []string) bool {
	for _, part := range flat(parseName(name)) {
		spellings := expand(part)
		if len(spellings) == 0 {
			continue
		}
		all := true
		for _, s := range spellings {
			all = all && slices.ContainsFunc(keywords, func(k string) bool { return strings.Contains(s, strings.ToLower(k)) })
		}
		if all {
			return true
		}
	}
	return false
}

// expand lists what a pattern without repetition matches, in lower case; nil where it cannot.
func expand(re *syntax.Regexp) (list []string) {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}
	case syntax.OpEmptyMatch:
		return []string{""}
	case syntax.OpCapture:
		return expand(re.Sub[0])
	case syntax.OpQuest:
		if list = expand(re.Sub[0]); list != nil {
			list = append(list, "")
		}
		return list
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1] && len(list) < 8; r++ {
				list = append(list, strings.ToLower(string(r)))
			}
		}
		if len(list) == 8 {
			return nil
		}
		return list
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			some := expand(sub)
			if some == nil {
				return nil
			}
			list = append(list, some...)
		}
		return list
	case syntax.OpConcat:
		list = []string{""}
		for _, sub := range re.Sub {
			list = product(list, expand(sub))
		}
		return list
	}
	return nil
}

func product(a, b []string) (list []string) {
	for _, x := range a {
		for _, y := range b {
			list = append(list, x+y)
		}
	}
	return list
}
