package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// startNote is a memory of a store of -start, and says more of itself than one of a month does.
type startNote struct {
	dayNote
	Layer      string   `json:"layer"`  // userRepo, or "" for the project
	Status     string   `json:"status"` // of a task
	Importance *float64 `json:"importance"`
	Pinned     bool     `json:"pinned"`
}

// startAsked is when a conversation begins in the stores of -start.
var startAsked = time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)

// measureStart prints for each store how many of its wanted facts a start injects, and with -v the
// ones that it does not.
func measureStart(opt options, out io.Writer) {
	names := opt.setsIn(opt.start, ".notes.jsonl")
	fmt.Fprintf(out, "%-16s %7s %7s %7s %7s\n", "start", "notes", "found", "tokens", "lines")
	var all share
	for _, name := range names {
		harness.Within(name, func() { all = all.plus(measureStore(opt, name, out)) })
	}
	fmt.Fprintf(out, "%-16s %7s %7.2f\n", "mean", "", all.percent()/10)
}

func measureStore(opt options, name string, out io.Writer) (found share) {
	notes := readLines[startNote](opt.start, name+".notes.jsonl")
	wanted := readLines[struct{ ID, Why string }](opt.start, name+".wanted.jsonl")
	text, rec := startBlock(opt.mem, notes)
	var missed strings.Builder
	for _, w := range wanted {
		at := slices.IndexFunc(notes, func(n startNote) bool { return n.ID == w.ID })
		if at < 0 {
			harness.Failf("no note has the wanted id %s", w.ID)
		}
		has := strings.Contains(text, shown(notes[at].Text))
		if found.add(has); !has {
			fmt.Fprintf(&missed, "%s misses %s (%s): %s\n", name, w.ID, w.Why, notes[at].Text)
		}
	}
	fmt.Fprintf(out, "%-16s %7d %7d %7d %7d\n", name, len(notes), found.n, rec.Tokens,
		len(rec.Memories))
	if opt.verbose {
		fmt.Fprint(out, missed.String())
	}
	return found
}

// shown returns the part of a text that its line has, whatever the limit of a line cuts off.
func shown(text string) string {
	signs := []rune(oneBlank(text))
	return string(signs[:min(len(signs), 350)])
}

// startBlock returns the text that a start injects where these notes were taken.
func startBlock(mem string, notes []startNote) (text string, rec recorded) {
	h := newHome(mem, inLayers)
	defer h.close()
	for _, n := range notes {
		h.writeStart(n)
	}
	h.now = startAsked
	h.run(dayRepos[0], nil, nil, "compact")
	conversation := h.begin()
	text = textOf(h.hook(dayRepos[0], conversation, ""))
	return text, h.record(dayRepos[0], conversation)
}

// writeStart stores a note of a store: a task by its verb, another note with a type below a key of
// the type, and the rest as notes.
func (h *home) writeStart(n startNote) {
	if n.Repo = dayRepos[0]; n.Layer == userRepo {
		n.Repo = userRepo
	}
	if n.Type == "task" && n.Key == "" {
		h.writeTask(n)
		return
	}
	if n.Type != "" && n.Key == "" {
		n.Key = "/project/" + n.Type + "/" + n.ID
		if n.Layer == userRepo {
			n.Key = "/user/" + n.Type + "/" + n.ID
		}
	}
	var more []string
	if n.Importance != nil {
		more = append(more, fmt.Sprintf("--importance=%.2f", *n.Importance))
	}
	if n.Pinned {
		more = append(more, "--pin")
	}
	h.write(n.dayNote, more...)
}

func (h *home) writeTask(n startNote) {
	h.now = n.TS
	env := []string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=" + n.TS.Format("day-02")}
	id := h.run(n.Repo, env, nil, "task", "--", n.Text)
	if n.Status == "done" {
		h.run(n.Repo, env, nil, "task", string(bytes.TrimSpace(id)), "--status", "done")
	}
}
