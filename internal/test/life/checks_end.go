package life

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// answers are what a machine answers to what a person may ask.
type answers map[string]string

// checkConverged checks that all machines answer the same, and have the same history of what
// travels.
func (l *life) checkConverged() {
	first := l.alive()[0]
	l.settled = l.answers(first)
	for _, m := range l.alive()[1:] {
		l.compare(m, l.answers(m), l.settled)
		for _, scope := range scopes {
			l.compareHistory(m, first, scope)
			l.compareHistory(first, m, scope)
		}
	}
}

// compare compares the answers of a machine with those that it should give.
func (l *life) compare(m *machine, got, want answers) {
	for _, question := range slices.Sorted(maps.Keys(want)) {
		if got[question] != want[question] {
			l.rt.Errorf("%s: %s:\n%s\nwant\n%s", m.name, question, got[question], want[question])
		}
	}
	if len(got) != len(want) {
		l.rt.Errorf("%s: %d answers, want %d", m.name, len(got), len(want))
	}
}

// compareHistory checks that a machine has the lines of another one.
func (l *life) compareHistory(m, other *machine, scope string) {
	for id, e := range other.has[scope] {
		if _, ok := m.has[scope][id]; !ok && l.travels(e) {
			l.rt.Errorf("%s lacks what %s has in %s: %s", m.name, other.name, scope, e.Line())
		}
	}
}

// answers asks a machine.
func (l *life) answers(m *machine) answers {
	all := answers{}
	for _, scope := range scopes {
		l.ask(m, scope, all)
	}
	for _, at := range projects {
		for _, word := range []string{"text", "fact"} {
			l.sorted(all, at+" search "+word, l.run(m, at, "search", word, "--limit", "1000",
				"--json", "--jq", `.memories[] | [.key, .content] | tojson`).out)
		}
		l.sorted(all, at+" notes", l.run(m, at, "notes", "--json", "--jq",
			`.memories[] | [.id, .text] | tojson`).out)
		l.sorted(all, at+" export", l.run(m, at, "export", "--all", "--layer", "project").out)
		l.sorted(all, at+" edit of a file", l.atEdit(m, at))
	}
	return all
}

// atEdit returns what a client is given before it edits a file that notes name.
func (l *life) atEdit(m *machine, project string) string {
	l.asked++
	input := fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"asks-%d","cwd":%q,`+
		`"tool_name":"Edit","tool_input":{"file_path":%q}}`, l.asked,
		filepath.Join(l.home(), project), filepath.Join(l.home(), project, aFile))
	for range 3 { // on a busy machine a hook may be too late, and says nothing
		if out := l.runWith(m, project, input, "hook", "claude-code").out; out != "" {
			l.runs["brought at an edit"]++
			return out
		}
	}
	return ""
}

// sorted notes an answer without the order of its lines, and without artifacts, which stay on their
// machine.
func (l *life) sorted(all answers, question, text string) {
	list := slices.DeleteFunc(slices.Sorted(strings.Lines(text)), func(line string) bool {
		return strings.Contains(line, `"/artifact/`)
	})
	all[question] = strings.Join(list, "")
}

// ask asks a memory for each key, and for all.
func (l *life) ask(m *machine, scope string, all answers) {
	s := l.open(m, scope)
	defer s.Close()
	keys := map[keypath.Key]bool{}
	for _, e := range m.has[scope] {
		if l.travels(e) {
			keys[e.Key] = true
		}
	}
	for key := range keys {
		rec, err := s.Get(ctx, mem.Caller{}, key, false)
		all[scope+" get "+key.String()] = fmt.Sprintf("%s %v", rec.Content, err)
	}
	var list strings.Builder
	l.must(s.List(ctx, mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		if mem.Travels(rec) {
			fmt.Fprintf(&list, "%s %s\n", rec.Key, rec.Content)
		}
		return nil
	}))
	l.sorted(all, scope+" ls", list.String())
}

// checkKept checks that every acknowledged version is where it travels to, unless a purge took it,
// or a harm took every copy.
func (l *life) checkKept() {
	for where, v := range l.versions {
		if !v.isAcknowledged || v.isLost || l.isPurged(v) {
			continue
		}
		for _, m := range l.alive() {
			_, ok := m.has[where.scope][where.id]
			ok = ok || l.hasRedated(m, v)
			if l.travels(v.env) && !ok || v.by == m && !ok && !l.hasWords(m, v) {
				l.rt.Errorf("%s has lost what %s wrote with %s in %s: %s", m.name, v.by.name,
					v.step, v.scope, v.env.Line())
			}
		}
	}
}

// hasRedated reports whether a machine has a version with an earlier time: a repair gave it one by
// a clock that was more than a day behind.
func (l *life) hasRedated(m *machine, v *version) bool {
	for id, e := range m.has[v.scope] {
		isSame := e.Key == v.env.Key && string(e.Source) == string(v.env.Source) &&
			string(e.Content) == string(v.env.Content)
		if isSame && e.TS < v.env.TS && !l.versions[at{v.scope, id}].isPersons {
			return true
		}
	}
	return false
}

// hasWords reports whether a machine has the words of a version in any line.
func (l *life) hasWords(m *machine, v *version) bool {
	for _, e := range m.has[v.scope] {
		if slices.Equal(wordsOf(e), wordsOf(v.env)) {
			return true
		}
	}
	return false
}

// checkRebuilt checks that the answers of a machine are the same after a compaction, once all that
// follows from the histories is made anew by those that ask, or by a repair. What is done to which
// machine is drawn: the answers cost half of a life.
func (l *life) checkRebuilt() {
	for _, m := range l.alive() {
		how := l.draw("rebuilt", 3)
		for _, scope := range scopes {
			if how > 0 {
				l.removeDerived(m, scope)
			}
		}
		for _, p := range projects {
			switch how {
			case 0:
				l.ok(m, p, "compact")
			case 1:
				l.run(m, p, "fsck", "--repair", "--yes") // bytes may be missing
			}
		}
		l.compare(m, l.answers(m), l.settled)
	}
}

// checkTimeless checks that no answer of a machine changes by the passing of time, but for what
// expires.
func (l *life) checkTimeless() {
	l.now = l.now.Add(1500 * day) // all that expires has
	m := pick(l, "machine", l.alive())
	want := l.answers(m)
	l.now = l.now.Add(800 * day)
	l.settle()
	l.compare(m, l.answers(m), want)
}
