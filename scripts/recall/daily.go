package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

// measureDaily prints what is told of a working month, by layout and of the facts that changed, and
// with -v what was missed and what should not have been told.
func measureDaily(opt options, out io.Writer) {
	d := readDay(opt.daily)
	if !slices.Contains([]string{"", "first", "second"}, opt.half) {
		harness.Failf("-half is first or second, and not %q", opt.half)
	}
	d.prompts, d.off, d.facts = half(d.prompts, opt.half), half(d.off, opt.half), half(d.facts, opt.half)
	others := half(readPrompts(opt.off), opt.half)
	fmt.Fprintf(out, "%-13s", "daily")
	for _, name := range append(slices.Clone(classes[:]), "all", "first", "start", "off", "off 2", "wanted", "wrong", "wrong s", "tok", "tok s") {
		fmt.Fprintf(out, " %7s", name)
	}
	fmt.Fprintln(out)
	var said, found strings.Builder
	for _, l := range []layout{inLayers, apart, inOne} {
		m := month{day: d, others: others, said: &said, found: &found}
		harness.Within(string(l), func() { m.measure(opt.mem, l) })
		m.print(out)
	}
	fmt.Fprint(out, found.String())
	measureFacts(opt.mem, d, out, &said)
	if opt.verbose {
		fmt.Fprint(out, said.String())
	}
}

// month is what is told of a month in one layout.
type month struct {
	day
	others []string // other things, too, of the file of -off
	home   *home
	said   io.Writer
	found  io.Writer // the lines of measureWords

	class        map[string]*share // told at the prompt
	first, start share             // told as the first line; told at the start or the prompt
	other, file  share             // anything was told at prompts of other things, and of -off
	wanted       share             // of the lines told at prompts
	wrong        [2]int            // lines of the other repository, at prompts and at starts
	tokens       [2]share          // at prompts and at starts, n of so many blocks
}

func (m *month) measure(mem string, l layout) {
	m.home = newHome(mem, l)
	defer m.home.close()
	m.fill(m.home, l)
	m.class = map[string]*share{}
	for _, class := range classes {
		m.class[class] = &share{}
	}
	for _, repo := range dayRepos {
		m.begin(repo)
	}
	for _, p := range m.prompts {
		m.ask(p)
	}
	m.measureWords(m.found, m.words)
	m.askOthers()
}

// fill writes all notes of the month.
func (d day) fill(h *home, l layout) {
	for _, n := range d.notes {
		if n.Repo == userRepo && l == apart {
			continue
		}
		h.write(n)
	}
}

// begin looks at the start of a conversation in a repository.
func (m *month) begin(repo string) {
	b := m.home.tell(repo, m.home.begin(), "")
	m.wrong[1] += wrong(b, repo)
	m.tokens[1].n += b.tokens
	m.tokens[1].of++
}

// ask asks a prompt in two conversations, of which the second has been told what is told at the
// start.
func (m *month) ask(p dayPrompt) {
	at := m.home.tell(p.Repo, m.home.begin(), p.Prompt)
	conversation := m.home.begin()
	started := m.home.tell(p.Repo, conversation, "")
	after := m.home.tell(p.Repo, conversation, p.Prompt)
	hits := 0
	for _, n := range at.notes {
		m.wanted.add(p.wants(n))
		if p.wants(n) {
			hits++
		}
	}
	m.class[p.Class].add(hits > 0)
	m.first.add(len(at.notes) > 0 && p.wants(at.notes[0]))
	m.start.add(slices.ContainsFunc(slices.Concat(started.notes, after.notes), p.wants))
	m.wrong[0] += wrong(at, p.Repo)
	m.tokens[0].n += at.tokens
	m.tokens[0].of++
	if hits == 0 {
		m.say("miss "+p.Class, p.ID, p.Repo, p.Prompt, fmt.Sprintf("wants %s, told %s", p.Evidence, at))
	}
}

// askOthers asks what has nothing to do with the month: the prompts of the set in each repository,
// those of the file in every second.
func (m *month) askOthers() {
	for _, p := range m.off {
		for _, repo := range dayRepos {
			m.askOther(&m.other, p.ID, repo, p.Prompt)
		}
	}
	for i, prompt := range m.others {
		m.askOther(&m.file, fmt.Sprint("line ", i+1), dayRepos[i%len(dayRepos)], prompt)
	}
}

func (m *month) askOther(s *share, id, repo, prompt string) {
	b := m.home.tell(repo, m.home.begin(), prompt)
	s.add(len(b.notes) > 0)
	if len(b.notes) > 0 {
		m.say("off", id, repo, prompt, fmt.Sprintf("told %s", b))
	}
}

func (m *month) say(what, id, repo, prompt, rest string) {
	fmt.Fprintf(m.said, "%s, %s: %s in %s: %q %s\n", m.home.layout, what, id, repo, prompt, rest)
}

func (m *month) print(out io.Writer) {
	var all share
	fmt.Fprintf(out, "%-13s", m.home.layout)
	for _, class := range classes {
		fmt.Fprintf(out, " %7.1f", m.class[class].percent())
		all = all.plus(*m.class[class])
	}
	for _, s := range []share{all, m.first, m.start, m.other, m.file, m.wanted} {
		fmt.Fprintf(out, " %7.1f", s.percent())
	}
	fmt.Fprintf(out, " %7d %7d", m.wrong[0], m.wrong[1])
	for _, s := range m.tokens {
		fmt.Fprintf(out, " %7.0f", s.percent()/100)
	}
	fmt.Fprintln(out)
}

// wants reports whether a note answers a prompt.
func (p dayPrompt) wants(n dayNote) bool { return slices.Contains(p.Evidence, n.ID) }

// wrong counts the lines that are of another repository than where they were told.
func wrong(b block, repo string) (lines int) {
	for _, n := range b.notes {
		if n.Repo != repo && n.Repo != userRepo {
			lines++
		}
	}
	return lines
}

// String returns the ids of the notes, the best first.
func (b block) String() string {
	ids := []string{}
	for _, n := range b.notes {
		ids = append(ids, n.ID)
	}
	return fmt.Sprint(ids)
}
