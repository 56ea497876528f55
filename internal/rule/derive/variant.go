package derive

import (
	"slices"
	"strings"
)

const fewSteps = 8 // between a failure and the command that works

// failedBefore returns the latest failed command that c is a variant of, unless an edit or another
// variant that works came between, c had worked before, or the failed command works later.
func failedBefore(events []event, i int, c command) (command, bool) {
	for j := i - 1; j >= max(0, i-fewSteps) && events[j].mark != "e"; j-- {
		if !events[j].broken || len(events[j].commands) != 1 {
			continue
		}
		f := events[j].commands[0]
		same := func(o command) bool { return o.show() == f.show() }
		known := func(o command) bool { return o.show() == c.show() }
		if variant(f, c) && !anyWorks(events, same) && !anyWorks(events[:j], known) &&
			!anyWorks(events[j:i], func(o command) bool { return variant(f, o) }) {
			return f, true
		}
	}
	return command{}, false
}

func anyWorks(events []event, is func(command) bool) bool {
	return slices.ContainsFunc(events, func(e event) bool {
		return !e.broken && slices.ContainsFunc(e.commands, is)
	})
}

// variant reports whether c does what f failed to do, in a way that is worth knowing.
func variant(f, c command) bool {
	p, q := capture("port", f.name), capture("port", c.name)
	switch {
	case f.prog == c.prog && p != "" && q != "" && p != q:
		return true
	case c.partial() || !related(f, c):
		return false
	case c.kind == "test" && !strings.Contains(c.name, capture("suite", f.name)):
		return false
	case f.name == c.name:
		return f.setup == "" && c.setup != ""
	}
	return added(f, c, f.words[0] != c.words[0] || f.prefix != c.prefix)
}

// related reports whether both commands have the same task.
func related(f, c command) bool {
	switch {
	case f.prog == c.prog:
		return f.kind == c.kind && (f.kind != "" || keeps(f, c))
	case slices.Contains(pattern("between").Split(c.name, -1), f.prog):
		return f.kind == c.kind || f.kind == "" || c.kind == ""
	}
	return f.kind != "" && f.kind == c.kind &&
		(f.family == c.family || f.family == "any" || c.family == "any")
}

// keeps reports whether c has all arguments of f that are no flags.
func keeps(f, c command) bool {
	return !slices.ContainsFunc(f.words[1:], func(w string) bool {
		return !strings.HasPrefix(w, "-") && !slices.Contains(c.words, w)
	})
}

// added reports whether c has a flag, an assignment or a task that f has not, or differs anyway.
// Another file or test is no fact.
func added(f, c command, more bool) bool {
	target, renames := lookup("target", c.prog) != "", lookup("renames", c.kind)
	for _, w := range c.words[1:] {
		name, _, assigned := strings.Cut(w, "=")
		switch {
		case slices.Contains(f.words, w):
		case matches("repair", w) || c.kind == "test" && matches("testfile", w):
			return false
		case matches("flag", w):
			more = more || lookup("aside", name)+lookup("aside-"+c.kind, name) == "" &&
				(target || keeps(f, c))
		case assigned:
			more = true
		case !strings.ContainsAny(w, "/. \""):
			more = more || target && renames == "tasks" || renames == "arguments" ||
				w == c.words[1] && lookup("kind", w) == c.kind && lookup("kind", c.prog) == ""
		}
	}
	return more
}

// partial reports whether the command only asks, runs a part of the tests, or skips them.
func (c command) partial() bool {
	return matches("part", c.name) || matches("part-"+c.kind, c.name)
}
