package main

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/zricethezav/gitleaks/v8/config"
)

// tables collects what the rows share.
type tables struct {
	sets     []byteSet
	keywords map[string][]int // the rules that each opens
}

// The shape that gitleaks gives a rule about a name, an operator and a value.
const (
	operator  = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}(`
	nameFirst = `[\w.-]{0,50}?(`
)

func (t *tables) rule(r config.Rule, n int) (string, error) {
	pattern := r.Regex.String()
	var b strings.Builder
	fmt.Fprintf(&b, "\t{id: %q, pattern: %s", r.RuleID, quote(pattern))
	if r.Entropy != 0 {
		fmt.Fprintf(&b, ", entropy: %v", r.Entropy)
	}
	if r.SecretGroup != 0 {
		fmt.Fprintf(&b, ", group: %d", r.SecretGroup)
	}
	value := pattern
	name, secret, ok := strings.Cut(pattern, operator)
	if ok && strings.HasPrefix(strings.TrimPrefix(pattern, "(?i)"), nameFirst) && !alternates(pattern) && named(name, r.Keywords) {
		value = "(" + secret
		if strings.HasPrefix(pattern, "(?i)") {
			value = "(?i)" + value
		}
		fmt.Fprintf(&b, ", name: %d", nameLen(name))
	}
	set, run, err := longestRun(value)
	if err != nil {
		return "", err
	}
	if strings.Contains(b.String(), ", name: ") && r.Entropy > 0 {
		// So many different characters the value must have.
		run = max(run, int(math.Exp2(r.Entropy))+1)
	}
	if run > 0 {
		fmt.Fprintf(&b, ", set: %d, run: %d", t.set(set), run)
	}
	for _, a := range r.Allowlists {
		if set, ok := harmless(a); ok {
			fmt.Fprintf(&b, ", plain: %d", t.set(set))
		}
	}
	if len(r.Keywords) == 0 {
		return "", fmt.Errorf("no keyword")
	}
	for _, k := range r.Keywords {
		k = strings.ToLower(k)
		t.keywords[k] = append(t.keywords[k], n)
	}
	if lists := t.allowlists(r.Allowlists); lists != "[]allowlist{}" {
		fmt.Fprintf(&b, ", allow: %s", lists)
	}
	return b.String() + "},\n", nil
}

func (t *tables) set(s byteSet) int {
	if i := slices.Index(t.sets, s); i >= 0 {
		return i
	}
	t.sets = append(t.sets, s)
	return len(t.sets) - 1
}

// allowlists returns the lists that can apply to a text without a path and a commit.
func (t *tables) allowlists(lists []*config.Allowlist) string {
	var b strings.Builder
	b.WriteString("[]allowlist{")
	for _, a := range lists {
		if len(a.Regexes) == 0 && len(a.StopWords) == 0 || a.MatchCondition == config.AllowlistMatchAnd && len(a.Paths)+len(a.Commits) > 0 {
			continue
		}
		if a.MatchCondition == config.AllowlistMatchAnd {
			panic("a list whose pattern and words must both hold is new, and package secret knows none")
		}
		fmt.Fprintf(&b, "{target: %q, pattern: %s", a.RegexTarget, quote(joined(a)))
		if len(a.StopWords) > 0 {
			words := slices.Clone(a.StopWords)
			slices.Sort(words)
			fmt.Fprintf(&b, ", words: %s", lines(words))
		}
		b.WriteString("}, ")
	}
	return strings.TrimSuffix(b.String(), ", ") + "}"
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

func quote(s string) string {
	if strings.Contains(s, "`") {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}

// lines returns words as one string, a few to a line of source.
func lines(words []string) string {
	var b strings.Builder
	for part := range slices.Chunk(words, 16) {
		if b.Len() > 0 {
			b.WriteString(" +\n")
		}
		b.WriteString(strconv.Quote(strings.Join(part, "\n") + "\n"))
	}
	return b.String()
}

func (t *tables) writeSets(w *bytes.Buffer) {
	w.WriteString("\nvar sets = [...]byteSet{\n")
	for _, s := range t.sets {
		fmt.Fprintf(w, "\t{%#x, %#x, %#x, %#x},\n", s[0], s[1], s[2], s[3])
	}
	w.WriteString("}\n")
}

func (t *tables) writeKeywords(w *bytes.Buffer) {
	w.WriteString("\nvar keywords = [...]keyword{\n")
	var words []string
	for word := range t.keywords {
		words = append(words, word)
	}
	slices.Sort(words)
	for _, word := range words {
		rules := ""
		for _, n := range t.keywords[word] {
			rules += fmt.Sprintf(`\x%02x`, n)
		}
		fmt.Fprintf(w, "\t{%q, \"%s\"},\n", word, rules)
	}
	w.WriteString("}\n")
}
