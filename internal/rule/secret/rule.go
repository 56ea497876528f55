package secret

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Rule is one shape of a secret.
type Rule struct {
	ID      string
	Pattern string // empty for the own rules, which are code
}

// The rules of notes and of texts that agents write, which gitleaks lacks.
// They are code because a pattern cannot ask for a digit and a letter in any order, nor whether a
// word is plain.
const (
	tokenPrefix      = "token-prefix"
	credentialMarker = CredentialMarker
	urlPassword      = "url-password"
	randomBlob       = RandomBlob
)

// RandomBlob is the rule for what looks drawn and says nothing else of itself, CredentialMarker
// that for the value behind "password:" and its like.
const (
	RandomBlob       = "random-blob"
	CredentialMarker = "credential-marker"
)

var ownRules = [...]string{tokenPrefix, credentialMarker, urlPassword, randomBlob}

// Explain returns in words what an own rule finds; "" for a rule of gitleaks, which is called by
// the service whose tokens it finds.
func Explain(rule string) string {
	return map[string]string{
		tokenPrefix:      "the beginning of a token of a known service",
		credentialMarker: "a value after a word that names a password, a token or a key",
		urlPassword:      "the password in a URL",
		randomBlob:       "a long text that looks random, as keys do",
	}[rule]
}

// Rules returns all rules, those of the table first.
func Rules() []Rule {
	list := make([]Rule, 0, len(table())+len(ownRules))
	for n := range table() {
		list = append(list, Rule{ruleAt(n).id, ruleAt(n).pattern})
	}
	for _, id := range ownRules {
		list = append(list, Rule{ID: id})
	}
	return list
}

// IsRule reports whether there is a rule with this name.
func IsRule(id string) bool {
	return slices.Contains(ownRules[:], id) || slices.ContainsFunc(table(), func(row string) bool {
		return len(row) > len(id) && row[:len(id)] == id && row[len(id)] == '\t'
	})
}

// The table as tools/gitleaks writes it: a row for each rule with its columns (see parseRule), and
// a row for each keyword with the numbers of the rules that it opens. The first two lines of the
// rules are a comment and the allowlists that hold for all.
var (
	//go:embed rules.tsv
	rulesTSV string
	//go:embed keywords.tsv
	keywordsTSV string
)

// rows holds the rows of rulesTSV and what every rule allows once a text was scanned: a command
// that scans none pays nothing.
var rows struct {
	once  sync.Once
	lines []string
	allow []allowlist
}

func parseTable() {
	rows.lines = slices.AppendSeq(make([]string, 0, maxRules), strings.SplitSeq(rulesTSV, "\n"))
	rows.allow = parseAllowlists(strings.Split(rows.lines[1], "\t")[8:])
}

// maxRules bounds the number of rows.
const maxRules = 1 << 8

func table() []string {
	rows.once.Do(parseTable)
	return rows.lines[2 : len(rows.lines)-1]
}

// rule is one row of the table.
type rule struct {
	id, pattern string
	entropy     float64 // the secret has more bits per character than this; 0: any
	group       int     // the group of the pattern that is the secret; 0: the first that matched
	// for a pattern of name, operator and value: the greatest length of name and what follows it
	name  int
	set   byteSet // a match has run characters of this set in a row
	run   int
	plain byteSet // and one of them that is not of this set
	allow []allowlist

	expression func() *regexp.Regexp
}

// allowlist lists findings that are no secrets after all.
type allowlist struct {
	target  string                // what pattern is matched with: "" the secret, "match", or "line"
	pattern func() *regexp.Regexp // nil for none
	words   string                // a secret that contains one of these, in any case, is none
}

// rules holds the rules that this process has needed so far: it parses and compiles no others,
// since all of them would take 30 times as long as a mem set.
var rules [maxRules]atomic.Pointer[rule]

// ruleAt returns a rule by its number. Two goroutines may parse the same row.
func ruleAt(n int) *rule {
	r := rules[n].Load()
	if r == nil {
		r = parseRule(table()[n])
		rules[n].Store(r)
	}
	return r
}

// parseRule parses a row: id, pattern, entropy, group, name, set, run, plain, and three columns for
// each allowlist.
func parseRule(row string) *rule {
	column := strings.Split(row, "\t")
	number := func(i int) int {
		n, _ := strconv.Atoi(column[i])
		return n
	}
	r := &rule{id: column[0], pattern: column[1], group: number(3), name: number(4),
		set: parseSet(column[5]), run: number(6), plain: parseSet(column[7]),
		allow: parseAllowlists(column[8:]), expression: compiled(column[1])}
	r.entropy, _ = strconv.ParseFloat(column[2], 64)
	return r
}

func parseAllowlists(columns []string) (lists []allowlist) {
	for c := range slices.Chunk(columns, 3) {
		lists = append(lists, allowlist{c[0], compiled(c[1]), c[2]})
	}
	return lists
}

func globalAllow() []allowlist {
	rows.once.Do(parseTable)
	return rows.allow
}

// compiled returns a function that compiles a pattern at its first call.
func compiled(pattern string) func() *regexp.Regexp {
	if pattern == "" {
		return nil
	}
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// pattern is compiled at its first use, so that the linker lays it out.
type pattern struct {
	text string
	once sync.Once
	made *regexp.Regexp
}

func (p *pattern) match(text []byte) bool {
	p.once.Do(func() { p.made = regexp.MustCompile(p.text) })
	return p.made.Match(text)
}

// byteSet has a bit for each byte.
type byteSet [4]uint64

func (s *byteSet) has(c byte) bool { return s[c/64]&(1<<(c%64)) != 0 }

// parseSet parses four numbers in hexadecimal, or nothing for the empty set.
func parseSet(column string) (s byteSet) {
	for i, part := range strings.Split(column, ",") {
		s[i], _ = strconv.ParseUint(part, 16, 64)
	}
	return s
}
