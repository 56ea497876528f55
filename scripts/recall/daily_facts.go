package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// way is how a fact that has changed is written anew.
type way string

const (
	bySet      way = "mem set"
	byReplaces way = "--replaces"
	byNote     way = "mem note"
)

// changed is what is told of the facts that changed, written in one way.
type changed struct {
	first share // the newest text is the first line
	told  share // the newest text is told
	old   share // an older one is told, too or alone
	above share // an older one is told, and the newest not before it
}

// measureFacts prints what is told of the facts that changed, each way beside the notes of the
// month, in layers.
func measureFacts(mem string, d day, out, said io.Writer) {
	fmt.Fprintf(out, "\n%-13s %7s %7s %7s %7s\n", "facts", "first", "told", "old", "above")
	for _, w := range []way{bySet, byReplaces, byNote} {
		c := measureWay(mem, w, d, said)
		fmt.Fprintf(out, "%-13s", w)
		for _, s := range []share{c.first, c.told, c.old, c.above} {
			fmt.Fprintf(out, " %7.1f", s.percent())
		}
		fmt.Fprintln(out)
	}
}

// measureWay writes all notes and facts by their time and asks for the facts.
func measureWay(mem string, w way, d day, said io.Writer) (c changed) {
	h := newHome(mem, inLayers)
	defer h.close()
	h.writeFacts(w, d)
	for _, f := range d.facts {
		b := h.tell(f.Repo, h.begin(), f.Prompt)
		if !c.add(f, b) {
			fmt.Fprintf(said, "%s, not first: %s: %q told %s\n", w, f.ID, f.Prompt, b)
		}
	}
	return c
}

// add counts what was told at the prompt of a fact, and reports whether its newest text was first.
func (c *changed) add(f dayFact, b block) bool {
	newest, older := len(b.notes), len(b.notes)
	for i, n := range slices.Backward(b.notes) {
		switch {
		case n.ID == f.version(len(f.Texts)-1):
			newest = i
		case strings.HasPrefix(n.ID, f.version(0)[:len(f.ID)+1]):
			older = i
		}
	}
	c.first.add(newest == 0 && len(b.notes) > 0)
	c.told.add(newest < len(b.notes))
	c.old.add(older < len(b.notes))
	c.above.add(older < newest)
	return newest == 0 && len(b.notes) > 0
}

// version is the id of a text of a fact.
func (f dayFact) version(i int) string { return fmt.Sprintf("%s@%d", f.ID, i+1) }

// writeFacts writes the notes of the month, and the facts each in one way, as time went on.
func (h *home) writeFacts(w way, d day) {
	all := slices.Clone(d.notes)
	for _, f := range d.facts {
		for i, v := range f.Texts {
			n := dayNote{ID: f.version(i), Repo: f.Repo, TS: v.TS, Text: v.Text}
			if w == bySet {
				n.Key = f.Key
			}
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(a, b dayNote) int { return a.TS.Compare(b.TS) })
	before := map[string]string{} // what has to be replaced, by fact
	for _, n := range all {
		fact, _, changes := strings.Cut(n.ID, "@")
		var more []string
		if w == byReplaces && changes && before[fact] != "" {
			more = []string{string(byReplaces), before[fact]}
		}
		id := h.write(n, more...)
		if changes {
			before[fact] = id
		}
	}
}
