package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/readout"

	"github.com/set-memory/mem/scripts/harness"
)

// fact is a note, and prompts that it answers.
type fact struct {
	text    string
	prompts []string
}

// corpus is what stores of every size are made of.
type corpus struct {
	projects [][]fact // the last one has no prompts: it fills up what is larger than all others
	user     []fact
	off      []string // prompts that have nothing to do with any of it
}

func readCorpus(dir string) (c corpus) {
	c.projects = readFacts(filepath.Join(dir, "notes.txt"))
	c.user = slices.Concat(readFacts(filepath.Join(dir, "user.txt"))...)
	c.off = readPrompts(filepath.Join(dir, "off.txt"))
	return c
}

// readFacts reads notes, one on a line: "# name" begins a project, "? text" is a prompt that the
// note before it answers.
func readFacts(file string) (projects [][]fact) {
	for _, line := range readPrompts(file) {
		text := strings.TrimLeft(line, "#? ")
		switch last := len(projects) - 1; line[0] {
		case '#':
			projects = append(projects, nil)
		case '?':
			f := &projects[last][len(projects[last])-1]
			f.prompts = append(f.prompts, text)
		default:
			projects[last] = append(projects[last], fact{text: text})
		}
	}
	return projects
}

// shelf returns so many notes: those of one project, then of the next.
func (c *corpus) shelf(first, notes int) []fact {
	last := len(c.projects) - 1
	all := slices.Concat(c.projects[first:last]...)
	all = slices.Concat(all, slices.Concat(c.projects[:first]...), c.projects[last])
	return all[:min(notes, len(all))]
}

// told is what a store tells at prompts.
type told struct {
	store   *mem.Store
	layered bool
}

// tell makes a store of the notes of a project; where there are some of the user, two that are read
// as one.
func tell(project, user []fact) (t told) {
	if t.store = storeOf("workspace", project); user == nil {
		return t
	}
	u := storeOf("user", user)
	t.layered = true
	t.store = mem.JoinStores(mem.Options{Now: asked}, mem.LayerMember{Store: t.store, Layer: policy.ProjectLayer},
		mem.LayerMember{Store: u, Layer: policy.UserLayer})
	return t
}

// Nothing was stored on the day that is asked about.
func stored() time.Time { return time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC) }
func asked() time.Time  { return stored().AddDate(0, 0, 40) }

// storeOf notes facts down, in memory.
func storeOf(scope string, facts []fact) *mem.Store {
	files := memstore.New(stored)
	files.Configure([]byte(`{"memory":{"max_total":100000}}`))
	s := mem.New(files, mem.Options{Now: asked})
	for _, f := range facts {
		harness.Must(note.Add(context.Background(), s, mem.Caller{}, f.text, note.Options{Scope: scope}))
	}
	return s
}

// at returns the block at a prompt, as a hook tells it.
func (t told) at(prompt string) string {
	in := harness.Must(inject.Choose(context.Background(), t.store, mem.Caller{}, inject.Options{
		Client: "recall", Trigger: inject.AtPrompt, Message: prompt, Layered: t.layered,
		Block: readout.Block{Most: 10_000},
	}))
	return in.Text
}
