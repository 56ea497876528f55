package derive

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/text"
)

// Step is one call of a tool: a command with its outcome, or a file that was read, searched or
// edited. The output is not part of it. Files are relative to the project, and tools have names
// like "Bash", "Edit", "Read", "Grep", "Glob" and "apply_patch".
type Step struct {
	Session, Tool, Command string
	Files                  []string
	Failed                 bool
	Exit                   int
}

// Proposal is a fact with its evidence: the commands, or the line under a heading. The class is
// command-after-failure, project-command, found or decision; the text is a line of at most 400
// characters; only a project-command has a key, "/project/commands/PROGRAM".
type Proposal struct {
	Class, Text, Key string
	Evidence         []string
	Sessions         []string // that have seen it; none for a decision
}

// event is a step with its commands and a mark: s for a search, f for one that failed, r for a file
// read, e for an edit, x for the rest.
type event struct {
	Step
	mark     string
	broken   bool
	commands []command
}

// entry is a command or a file that sessions have seen. It is a fact if it has a class.
type entry struct {
	Proposal
	name, kind, session, rank string // session is the last one; a low rank is a good class
	runs                      int
}

// Commands returns proposals from the steps of one project, oldest first, of one session or more.
func Commands(steps []Step) []Proposal {
	sessions, order, seen := map[string][]event{}, []string{}, []*entry{}
	for _, s := range steps {
		if sessions[s.Session] == nil {
			order = append(order, s.Session)
		}
		sessions[s.Session] = append(sessions[s.Session], newEvent(s))
	}
	note := func(p Proposal, name, kind, session string) {
		p.Sessions = []string{session}
		seen = append(seen, &entry{p, name, kind, session, cmp.Or(lookup("rank", p.Class), "9"), 1})
	}
	for _, session := range order {
		for i, e := range sessions[session] {
			for _, c := range e.commands {
				if !e.broken {
					note(judge(sessions[session], i, c), c.name, c.kind, session)
				}
			}
		}
		p := lookFor(sessions[session])
		note(p, p.Text, "", session)
	}
	return best(seen)
}

func newEvent(s Step) event {
	e := event{Step: s, broken: s.Failed || s.Exit != 0, mark: cmp.Or(
		lookup("mark", strings.ToLower(s.Tool)), lookup("mark", capture("search", s.Command)), "x")}
	stopped := s.Exit == 124 || s.Exit > 128 && s.Exit != 255 // by a time limit or a signal
	if e.mark == "x" && !stopped {
		e.commands = parse(s.Command)
	} else if e.mark == "s" && e.broken {
		e.mark = "f"
	}
	return e
}

func judge(events []event, i int, c command) (p Proposal) {
	p.Evidence = []string{c.show()}
	if f, ok := failedBefore(events, i, c); ok {
		p.Class, p.Evidence = "command-after-failure", []string{f.show(), c.show()}
		p.Text = "`" + c.show() + "` works where `" + f.show() + "` fails"
	} else if c.kind != "" && c.kind != "install" && !c.partial() {
		p.Class, p.Text = "project-command", "`"+c.show()+"` is this project's command to "+c.kind
		name := pattern("unsafe").ReplaceAllString(strings.ToLower(c.prog), "-")
		p.Key = "/project/commands/" + cmp.Or(strings.Trim(name, "-"), "command")
	}
	return p
}

// lookFor returns the file that ended the longest chase of a session, by the pattern of chases. A
// file known before is no find.
func lookFor(events []event) (p Proposal) {
	marks, longest := "", 0
	for _, e := range events {
		marks += e.mark
	}
	for _, m := range pattern("chase").FindAllStringSubmatchIndex(marks, -1) {
		from, to := max(m[2], m[4]), max(m[3], m[5])
		query := events[from+strings.LastIndex(marks[from:to], "s")].Command
		files := events[to-1].Files
		if to-from <= longest || len(files) != 1 || !isBelow(files[0], query) ||
			slices.ContainsFunc(events[:from], func(e event) bool {
				return slices.Contains(e.Files, files[0])
			}) {
			continue
		}
		longest = to - from
		query = clip(strings.ReplaceAll(query, "`", "'"), 80)
		p = Proposal{Class: "found", Evidence: []string{query, text.Line(files[0])},
			Text: "`" + text.Line(files[0]) + "` is the file that `" + query + "` leads to"}
	}
	return p
}

// isBelow reports whether a file is in the folder that a safe search names, if any.
func isBelow(file, query string) bool {
	below := pattern("below").FindStringSubmatch(query)
	inside := below == nil || strings.HasPrefix(file, strings.TrimLeft(below[1], "./"))
	return inside && strings.Contains(query, " ") &&
		!path.IsAbs(file) && !matches("nofile", file) && !matches("danger", file+" "+query)
}

// best returns the first five facts of what sessions have seen: those of two sessions, then by
// class, then by their runs.
func best(seen []*entry) (best []Proposal) {
	at, keys, list := map[string]*entry{}, map[string]bool{}, []*entry{}
	for _, e := range seen {
		if at[e.name] == nil {
			at[e.name], list = e, append(list, e)
		} else {
			at[e.name].add(e)
		}
	}
	slices.SortStableFunc(list, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(min(len(b.Sessions), 2), min(len(a.Sessions), 2)),
			strings.Compare(a.rank, b.rank), cmp.Compare(b.runs, a.runs))
	})
	for _, e := range list {
		if keys[e.Key] {
			e.Key += "-" + e.kind
		}
		if e.Class != "" && (e.Key == "" || e.runs > 1 && !keys[e.Key]) {
			keys[e.Key] = e.Key != ""
			best = append(best, e.Proposal)
		}
	}
	return best[:min(len(best), 5)]
}

// add counts a later run, and takes its proposal if its class is better.
func (e *entry) add(later *entry) {
	if e.runs++; e.session != later.session {
		e.session, e.Sessions = later.session, append(e.Sessions, later.session)
	}
	if later.Sessions = e.Sessions; later.rank < e.rank {
		e.Proposal, e.rank = later.Proposal, later.rank
	}
}
