package derive

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed rules.txt
var source string

// rules are the tables and the patterns of rules.txt.
type rules struct {
	names    map[string]string // by a table and a word
	patterns map[string]*regexp.Regexp
}

var loaded = sync.OnceValue(load)

func load() rules {
	r := rules{map[string]string{}, map[string]*regexp.Regexp{}}
	for line := range strings.Lines(source) {
		head, body, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		table, name, _ := strings.Cut(head, " ")
		if table == "pattern" {
			r.patterns[name] = regexp.MustCompile(body)
			continue
		}
		for word := range strings.FieldsSeq(body) {
			r.names[table+" "+word] = name
		}
	}
	return r
}

// lookup returns the name that a table gives a word, "" if none.
func lookup(table, word string) string { return loaded().names[table+" "+word] }

func pattern(name string) *regexp.Regexp { return loaded().patterns[name] }

func matches(name, s string) bool { return pattern(name) != nil && pattern(name).MatchString(s) }

// capture returns the last group of a match that is not empty; the match itself is the first.
func capture(name, s string) string {
	groups := pattern(name).FindStringSubmatch(s)
	slices.Reverse(groups)
	return cmp.Or(groups...)
}
