package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
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
func measureStart(opt options, out io.Writer) error {
	files, err := filepath.Glob(filepath.Join(opt.start, "*.notes.jsonl"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no *.notes.jsonl in %q", opt.start)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%-16s %7s %7s %7s %7s\n", "start", "notes", "found", "tokens", "lines")
	var all share
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".notes.jsonl")
		if opt.sets != nil && !slices.Contains(opt.sets, name) {
			continue
		}
		found, err := measureStore(opt, name, out)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = all.plus(found)
	}
	fmt.Fprintf(out, "%-16s %7s %7.2f\n", "mean", "", all.percent()/10)
	return nil
}

func measureStore(opt options, name string, out io.Writer) (found share, err error) {
	notes, err := readLines[startNote](opt.start, name+".notes.jsonl")
	if err != nil {
		return found, err
	}
	wanted, err := readLines[struct{ ID, Why string }](opt.start, name+".wanted.jsonl")
	if err != nil {
		return found, err
	}
	text, rec, err := startBlock(opt.mem, notes)
	if err != nil {
		return found, err
	}
	var missed strings.Builder
	for _, w := range wanted {
		at := slices.IndexFunc(notes, func(n startNote) bool { return n.ID == w.ID })
		if at < 0 {
			return found, fmt.Errorf("no note has the wanted id %s", w.ID)
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
	return found, nil
}

// shown returns the part of a text that its line has, whatever the limit of a line cuts off.
func shown(text string) string {
	signs := []rune(oneBlank(text))
	return string(signs[:min(len(signs), 350)])
}

// startBlock returns the text that a start injects where these notes were taken.
func startBlock(mem string, notes []startNote) (text string, rec recorded, err error) {
	h, err := newHome(mem, inOne)
	if err != nil {
		return "", rec, err
	}
	defer func() { h.close() }()
	help, err := h.run(dayRepos[0], nil, nil, "note", "--help")
	if err != nil {
		return "", rec, err
	}
	if strings.Contains(string(help), "--layer") {
		h.close()
		if h, err = newHome(mem, inLayers); err != nil {
			return "", rec, err
		}
	}
	for _, n := range notes {
		if err := h.writeStart(n, string(help)); err != nil {
			return "", rec, err
		}
	}
	h.now = startAsked
	if _, err := h.run(dayRepos[0], nil, nil, "compact"); err != nil {
		return "", rec, err
	}
	conversation := h.begin()
	out, err := h.hook(dayRepos[0], conversation, "")
	if err != nil {
		return "", rec, err
	}
	if rec, err = h.record(dayRepos[0], conversation); err != nil {
		return "", rec, err
	}
	text, err = textOf(out)
	return text, rec, err
}

// writeStart stores a note of a store: a task by its verb, another note with a type below a key of
// the type, and the rest as notes. It leaves out what the binary, by its help, does not know.
func (h *home) writeStart(n startNote, help string) error {
	if n.Repo = dayRepos[0]; n.Layer == userRepo {
		n.Repo = userRepo
	}
	knows := strings.Contains(help, "--pin")
	if n.Type == "task" && n.Key == "" && knows {
		return h.writeTask(n)
	}
	if n.Type != "" && n.Key == "" {
		n.Key = "/project/" + n.Type + "/" + n.ID
		if n.Layer == userRepo {
			n.Key = "/user/" + n.Type + "/" + n.ID
		}
	}
	var more []string
	if n.Importance != nil && (n.Key != "" || strings.Contains(help, "--importance")) {
		more = append(more, fmt.Sprintf("--importance=%.2f", *n.Importance))
	}
	if n.Pinned && knows {
		more = append(more, "--pin")
	}
	_, err := h.write(n.dayNote, more...)
	return err
}

func (h *home) writeTask(n startNote) error {
	h.now = n.TS
	env := []string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=" + n.TS.Format("day-02")}
	id, err := h.run(n.Repo, env, nil, "task", "--", n.Text)
	if err == nil && n.Status == "done" {
		_, err = h.run(n.Repo, env, nil, "task", string(bytes.TrimSpace(id)), "--status", "done")
	}
	return err
}
