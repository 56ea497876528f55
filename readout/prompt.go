package readout

import (
	"cmp"
	_ "embed"
	"strings"
)

// Guide makes the part of a system prompt that explains mem to an agent. The zero Guide fits any
// agent.
type Guide struct {
	Told    Told
	Program string // what its shell starts, as a word for it; "": mem
}

// Told is the way in which memories are injected into an agent's context.
type Told uint8

// The times at which memories are injected.
const (
	ToldPerhaps Told = iota // it is not known: several agents read the same text
	ToldAlways              // memories at a start, and at a prompt those that fit it
	ToldAtStart             // memories at a start alone
	ToldNever               // nothing
)

// tellings holds the sentence for each time of injection: which memories are injected, and when to
// search.
var tellings = [...]string{
	ToldPerhaps: "Unless memories come by themselves, as `[Agent Memory]` or " +
		"`[Memories]`, run `{mem} read` at the start.",
	ToldAlways: "Memories come by themselves, as `[Agent Memory]`: at the start, and those that " +
		"fit what the user says or a file that you edit.",
	ToldAtStart: "Memories come by themselves at the start alone, as `[Agent Memory]`.",
	ToldNever: "Nothing comes by itself: run `{mem} ls --pinned` and `{mem} read` " +
		"at the start.",
}

//go:embed prompt.txt
var promptText string

//go:embed more.txt
var moreText string

// Text returns the part of a system prompt that teaches an agent to use mem through its shell: at
// most 400 tokens.
func (g Guide) Text() string {
	line := "Verbs take the name in a line's brackets: `m-4` of `(m-4, 3d)`."
	if g.Told == ToldNever {
		line = "Verbs take a key, or a note's id: `m-4` of `note/user/m-4`."
	}
	text := strings.Replace(promptText, "{told}", tellings[g.Told], 1)
	return g.naming(strings.Replace(text, "{line}", line, 1))
}

// More returns what an agent that has read Text looks up when it needs it: the verbs for the source,
// the versions and the lists of memories.
func (g Guide) More() string { return g.naming(moreText) }

func (g Guide) naming(text string) string {
	return strings.ReplaceAll(text, "{mem}", cmp.Or(g.Program, "mem"))
}
