package main

import (
	"encoding/json"
	"path/filepath"
	"time"
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

func readDay(dir string) (d day, err error) {
	if d.notes, err = readLines[dayNote](dir, "notes.jsonl"); err != nil {
		return d, err
	}
	if d.prompts, err = readLines[dayPrompt](dir, "prompts.jsonl"); err != nil {
		return d, err
	}
	if d.off, err = readLines[dayPrompt](dir, "off.jsonl"); err != nil {
		return d, err
	}
	if d.facts, err = readLines[dayFact](dir, "facts.jsonl"); err != nil {
		return d, err
	}
	d.words, err = readLines[wording](dir, "wordings.jsonl")
	return d, err
}

func readLines[T any](dir, name string) (list []T, err error) {
	err = eachLine(filepath.Join(dir, name), func(line []byte) error {
		var v T
		err := json.Unmarshal(line, &v)
		list = append(list, v)
		return err
	})
	return list, err
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
