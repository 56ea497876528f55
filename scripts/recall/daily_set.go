package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// day is a working month: what was noted in two repositories and by their user, what was asked
// there, and what was asked of other things.
type day struct {
	notes   []dayNote
	prompts []dayPrompt
	off     []dayPrompt
	facts   []dayFact
	words   []wording
}

// dayNote is a memory as an agent wrote it down. Without a key it is a note.
type dayNote struct {
	ID   string    `json:"id"`
	Repo string    `json:"repo"` // or userRepo
	TS   time.Time `json:"ts"`
	Text string    `json:"text"`
	Tags []string  `json:"tags"`
	Type string    `json:"type"` // with Key only
	Key  string    `json:"key"`
}

// dayPrompt is what somebody typed at an agent, and the notes that answer it, any of them; of other
// things there are none.
type dayPrompt struct {
	ID       string   `json:"id"`
	Repo     string   `json:"repo"`
	Class    string   `json:"class"`
	Long     bool     `json:"long"` // whole sentences, or pasted text
	Evidence []string `json:"evidence"`
	Prompt   string   `json:"prompt"`
}

// dayFact is a fact that changed, each text in the place of the one before it.
type dayFact struct {
	ID     string    `json:"id"`
	Repo   string    `json:"repo"`
	Key    string    `json:"key"`
	Prompt string    `json:"prompt"`
	Texts  []dayNote `json:"texts"` // ts and text
}

// userRepo is the repository of what holds in all of them.
const userRepo = "user"

// dayRepos are the repositories that prompts are typed in.
var dayRepos = [...]string{"pay", "shop"}

// classes are how much a prompt has in common with its note, the most first: see the package
// comment.
var classes = [...]string{"easy", "middle", "hard"}

func readDay(dir string) (d day) {
	d.notes = readLines[dayNote](dir, "notes.jsonl")
	d.prompts = readLines[dayPrompt](dir, "prompts.jsonl")
	d.off = readLines[dayPrompt](dir, "off.jsonl")
	d.facts = readLines[dayFact](dir, "facts.jsonl")
	d.words = readLines[wording](dir, "wordings.jsonl")
	return d
}

// readLines reads a file of one JSON object on a line.
func readLines[T any](dir, name string) (list []T) {
	file := filepath.Join(dir, name)
	n := 0
	for line := range bytes.Lines(harness.Must(os.ReadFile(file))) {
		if n++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			harness.Failf("%s:%d: %w", file, n, err)
		}
		list = append(list, v)
	}
	return list
}

// half returns every second one, the "first" or the "second", or all.
func half[T any](list []T, which string) (part []T) {
	for i, v := range list {
		if which == "" || (which == "first") == (i%2 == 0) {
			part = append(part, v)
		}
	}
	return part
}
