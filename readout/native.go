package readout

import (
	"strings"

	"github.com/set-memory/mem/log"
)

// Native is a fact from the memory that a client keeps itself, beside mem.
type Native struct {
	Key  string    // for the record of injections; no memory has it
	TS   log.Stamp // of the last change of its file
	From string    // the memory, as "Claude Code's memory"
	File string    // the name of the file in it
	Type string    // the type that the file claims; "" for none
	Text string
}

// maxFile is how many characters of the name of a file stand on a line.
const maxFile = 80

// AddNative puts a fact behind all entries of the page, in a part of its own, if there is room for
// its line. It is never more than a fact, whatever its type or its text says.
func (p *Page) AddNative(n Native, now log.Stamp) (fits bool) {
	label := strings.Map(func(r rune) rune {
		if strings.ContainsRune(apart, r) {
			return '_'
		}
		return r
	}, n.From+": "+Flatten(n.File, maxFile)) + ", " + Age(now.Time().Sub(n.TS.Time()))
	if kind := plainWord(n.Type, ""); kind != "" {
		label += ", " + kind
	}
	e := Entry{Key: n.Key, TS: n.TS, Time: n.TS, Text: Flatten(n.Text, MaxShort),
		Standing: NativeFact, label: "(" + label + ")"}
	e.Tokens = Tokens(e.line())
	used := max(p.Tokens, Tokens(Header)) + e.Tokens
	if i := len(p.Entries) - 1; i < 0 || p.Entries[i].Standing != NativeFact {
		used += Tokens(headings[native])
	}
	if p.Considered++; used > p.Limit {
		p.LeftOut++
		return false
	}
	p.Entries, p.Tokens = append(p.Entries, e), used
	return true
}

// IsLabelled reports whether a line begins as the lines of a block do.
func IsLabelled(line string) bool { return labels().MatchString(line) }
