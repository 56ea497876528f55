package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/rule/derive"
)

// situation is a part of a session with the facts that a person would want to keep of it.
type situation struct {
	ID     string `json:"id"`
	Events []struct {
		Type, Text, Tool, Command, File string
		Exit                            int
	} `json:"events"`
	Want []wantedFact `json:"want"`
}

// wantedFact is found if a proposal's text has all words of Must.
type wantedFact struct {
	Class, Text string
	Must        []string
}

// derived counts the proposals, or the wanted facts, of a class.
type derived struct{ proposals, wants map[string]share }

// correctionClass is read from what a person types, not from steps: its facts are not counted.
const correctionClass = "correction"

// evaluateDerived prints how many proposals of package derive are right, and how many of the wanted
// facts they hold, for even and odd ids of DIR/sessions.jsonl apart. Texts are printed of even ids
// only, so that the rules are not fitted to the odd ones.
func evaluateDerived(dir string, out io.Writer) {
	list := readLines[situation](dir, "sessions.jsonl")
	for i, half := range []string{"even", "odd"} {
		sum := derived{map[string]share{}, map[string]share{}}
		turns, noise := 0, 0
		for _, s := range list {
			if int(s.ID[len(s.ID)-1]-'0')%2 != i {
				continue
			}
			list := s.derive()
			show := io.Discard
			if half == "even" {
				show = out
			}
			sum.add(s, list, show)
			if turns += s.turns(); len(s.Want) == 0 {
				noise += len(list)
			}
		}
		fmt.Fprintf(out, "%s: %d turns, %d proposals where none is wanted\n", half, turns, noise)
		sum.print(out)
	}
}

func (s situation) turns() (n int) {
	for _, e := range s.Events {
		if e.Type == "prompt" {
			n++
		}
	}
	return n
}

// derive returns the proposals of a situation.
func (s situation) derive() (list []derive.Proposal) {
	var steps []derive.Step
	for _, e := range s.Events {
		switch e.Type {
		case "tool":
			step := derive.Step{Session: s.ID, Tool: e.Tool, Command: e.Command, Exit: e.Exit}
			if e.File != "" {
				step.Files = []string{e.File}
			}
			steps = append(steps, step)
		case "assistant":
			list = append(list, derive.Decisions(e.Text)...)
		}
	}
	return append(derive.Commands(steps), list...)
}

// add judges the proposals of a situation, and writes the wrong ones and the misses.
func (d derived) add(s situation, list []derive.Proposal, out io.Writer) {
	for _, p := range list {
		right := slices.ContainsFunc(s.Want, func(w wantedFact) bool { return w.in(p) })
		count(d.proposals, p.Class, right)
		if !right {
			fmt.Fprintf(out, "%s wrong  %s: %s\n", s.ID, p.Class, p.Text)
		}
	}
	for _, w := range s.Want {
		if w.Class == correctionClass {
			continue
		}
		ok := slices.ContainsFunc(list, w.in)
		count(d.wants, w.Class, ok)
		if !ok {
			fmt.Fprintf(out, "%s missed %s: %s\n", s.ID, w.Class, w.Text)
		}
	}
}

// in reports whether the proposal's text has the words of the fact.
func (w wantedFact) in(p derive.Proposal) bool {
	text := strings.ToLower(p.Text)
	return !slices.ContainsFunc(w.Must, func(word string) bool {
		return !strings.Contains(text, strings.ToLower(word))
	})
}

func count(by map[string]share, class string, yes bool) {
	for _, name := range []string{class, "all"} {
		s := by[name]
		s.add(yes)
		by[name] = s
	}
}

func (d derived) print(out io.Writer) {
	fmt.Fprintf(out, "%-22s %5s %5s %5s  %-19s %6s %5s  %s\n", "class", "made", "right", "wrong",
		"precision", "wanted", "found", "recall")
	classes := []string{"command-after-failure", "project-command", "found", "decision", "all"}
	for _, class := range classes {
		p, w := d.proposals[class], d.wants[class]
		fmt.Fprintf(out, "%-22s %5d %5d %5d  %-19s %6d %5d  %s\n", class, p.of, p.n, p.of-p.n, p.withInterval(),
			w.of, w.n, w.withInterval())
	}
}

// withInterval returns the share in percent with its 95 % interval.
func (s share) withInterval() string {
	if s.of == 0 {
		return "-"
	}
	low, high := s.wilson()
	return fmt.Sprintf("%.0f %% (%.0f to %.0f)", s.percent(), low, high)
}
