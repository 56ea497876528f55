package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/zricethezav/gitleaks/v8/config"
)

// tables collects the rules that each keyword opens, by number.
type tables struct{ keywords map[string][]int }

// The shape that gitleaks gives a rule about a name, an operator and a value.
const (
	operator  = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}(`
	nameFirst = `[\w.-]{0,50}?(`
)

// rule returns the row of a rule: its id, pattern, entropy, group, longest name, set of characters,
// run and set of plain characters, and three columns for each allowlist.
func (t *tables) rule(r config.Rule, n int) (string, error) {
	pattern := r.Regex.String()
	value, longest := pattern, 0
	name, secret, ok := strings.Cut(pattern, operator)
	if ok && strings.HasPrefix(strings.TrimPrefix(pattern, "(?i)"), nameFirst) && !alternates(pattern) && named(name, r.Keywords) {
		value = "(" + secret
		if strings.HasPrefix(pattern, "(?i)") {
			value = "(?i)" + value
		}
		longest = nameLen(name)
	}
	set, run, err := longestRun(value)
	if err != nil {
		return "", err
	}
	if longest > 0 && r.Entropy > 0 {
		// So many different characters the value must have.
		run = max(run, int(math.Exp2(r.Entropy))+1)
	}
	if run <= 0 {
		set, run = byteSet{}, 0
	}
	var plain byteSet
	for _, a := range r.Allowlists {
		if s, ok := harmless(a); ok {
			plain = s
		}
	}
	if len(r.Keywords) == 0 {
		return "", fmt.Errorf("no keyword")
	}
	for _, k := range r.Keywords {
		k = strings.ToLower(k)
		t.keywords[k] = append(t.keywords[k], n)
	}
	return fmt.Sprintf("%s\t%s\t%v\t%d\t%d\t%s\t%d\t%s%s\n", r.RuleID, pattern, r.Entropy,
		r.SecretGroup, longest, set.column(), run, plain.column(), allowlists(r.Allowlists)), nil
}

// column returns a set as four numbers in hexadecimal, or nothing if it is empty.
func (s byteSet) column() string {
	if s == (byteSet{}) {
		return ""
	}
	return fmt.Sprintf("%x,%x,%x,%x", s[0], s[1], s[2], s[3])
}

// allowlists returns the columns of the lists that can apply to a text without a path and a commit.
func allowlists(lists []*config.Allowlist) string {
	var b strings.Builder
	for _, a := range lists {
		if len(a.Regexes) == 0 && len(a.StopWords) == 0 || a.MatchCondition == config.AllowlistMatchAnd && len(a.Paths)+len(a.Commits) > 0 {
			continue
		}
		if a.MatchCondition == config.AllowlistMatchAnd {
			panic("a list whose pattern and words must both hold is new, and package secret knows none")
		}
		words := slices.Clone(a.StopWords)
		slices.Sort(words)
		fmt.Fprintf(&b, "\t%s\t%s\t%s", a.RegexTarget, joined(a), strings.Join(words, " "))
	}
	return b.String()
}

var plainWord = regexp.MustCompile(`^AIza?\w`)

// joined is what gitleaks makes of the patterns of a list: one, in which a flag of the first holds
// for all.
func joined(a *config.Allowlist) string {
	if len(a.Regexes) == 0 {
		return ""
	}
	var parts []string
	for _, re := range a.Regexes {
		// Known examples of keys: spelled so that the table does not look as if it held keys.
		parts = append(parts, plainWord.ReplaceAllStringFunc(re.String(), func(s string) string { return s[:len(s)-1] + "[" + s[len(s)-1:] + "]" }))
	}
	return "(?:" + strings.Join(parts, "|") + ")"
}

// writeKeywords writes a line for each keyword: the word, and the numbers of its rules, from 0.
func (t *tables) writeKeywords(w *bytes.Buffer) {
	for _, word := range slices.Sorted(maps.Keys(t.keywords)) {
		w.WriteString(word)
		for _, n := range t.keywords[word] {
			fmt.Fprintf(w, "\t%d", n)
		}
		w.WriteString("\n")
	}
}
