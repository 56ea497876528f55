package secret

import (
	"regexp"
	"slices"
	"sync/atomic"
)

// Rule is one shape of a secret.
type Rule struct {
	ID      string
	Pattern string // empty for the own rules, which are code
}

// Rules returns all rules, those of the table first.
func Rules() []Rule {
	list := make([]Rule, 0, len(table)+len(ownRules))
	for i := range table {
		list = append(list, Rule{table[i].id, table[i].pattern})
	}
	for _, id := range ownRules {
		list = append(list, Rule{ID: id})
	}
	return list
}

// Known reports whether there is a rule with this name.
func Known(id string) bool {
	for i := range table {
		if table[i].id == id {
			return true
		}
	}
	return slices.Contains(ownRules[:], id)
}

// rule is one row of the table.
type rule struct {
	id, pattern string
	entropy     float64 // the secret has more bits per character than this; 0: any
	group       int     // the group of the pattern that is the secret; 0: the first that matched
	// for a pattern of name, operator and value: the greatest length of name and what follows it
	name     int
	set, run int // a match has so many characters of this set in a row
	plain    int // and one of them that is not of this set
	allow    []allowlist
}

// allowlist lists findings that are no secrets after all.
type allowlist struct {
	target  string // what pattern is matched with: "" the secret, "match", or "line"
	pattern string
	words   string // a secret that contains one of these lines, in any case, is none

	compiled atomic.Pointer[regexp.Regexp] // pattern, once it was needed
}

// keyword is a word, in lower case, and the numbers of its rules.
type keyword struct{ word, rules string }

// byteSet has a bit for each byte.
type byteSet [4]uint64

func (s *byteSet) has(c byte) bool { return s[c/64]&(1<<(c%64)) != 0 }

// compiled holds the patterns that this process has needed so far. To compile all takes 30 times as
// long as a mem set.
var compiled [len(table)]atomic.Pointer[regexp.Regexp]

// expression returns the compiled pattern of a rule. Two goroutines may compile the same one.
func expression(n int) *regexp.Regexp {
	re := compiled[n].Load()
	if re == nil {
		re = regexp.MustCompile(table[n].pattern)
		compiled[n].Store(re)
	}
	return re
}
