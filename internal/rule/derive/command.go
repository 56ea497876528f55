package derive

import (
	"cmp"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/text"
)

// The limits of a line in bytes, since a longer one is a script, and of a command in characters, so
// that two of them and the words between stay below 400.
const maxInput, maxCommand = 4096, 180

// command is one simple command of a line. The name is the same for each run: setup ("cd web && ",
// "source .venv/bin/activate && ") and redirections are not part of it. Assignments and runners are
// the prefix ("CC=clang ", "poetry run "), and the words are the program and its arguments.
type command struct {
	name, setup, prefix string
	prog, kind, family  string // "pytest", "test", "python"; the last two may be unknown
	words               []string
}

func (c command) show() string { return c.setup + c.name }

// parse returns the commands whose outcome is that of the line, of each pipe the first. It returns
// nothing for a line that is not safe to repeat.
func parse(line string) (list []command) {
	line = strings.Trim(strings.ReplaceAll(line, "\\\n", " "), "; \n")
	if len(line) > maxInput || unsafe(line) {
		return nil
	}
	var words []string
	setup, piped := "", false
	for _, t := range append(pattern("token").FindAllString(line, -1), "&&") {
		if !matches("operator", t) {
			words = append(words, t)
			continue
		}
		switch c := newCommand(words, setup); {
		case t == ";" || t == "\n":
			list = nil // the outcome is that of the rest
			fallthrough
		case piped || c.prog == "" || lookup("ignored", c.prog) != "":
			if matches("setup", c.name) {
				setup = c.show() + " && "
			}
		case utf8.RuneCountInString(c.show()) <= maxCommand:
			list = append(list, c)
		}
		words, piped = nil, t[0] == '|'
	}
	return list
}

// IsSafe reports whether a command deletes, sends and reveals nothing that is known.
func IsSafe(line string) bool { return len(line) <= maxInput && !unsafe(line) }

// newCommand reads the words of a command, redirections and measuring words included.
func newCommand(words []string, setup string) command {
	name := pattern("redirect").ReplaceAllString(strings.Join(words, "\x00"), "")
	name = text.Line(strings.ReplaceAll(name, "\x00", " "))
	c := command{name: strings.TrimPrefix(name, capture("wrapper", name)), setup: setup}
	c.prefix = capture("prefix", c.name)
	rest := c.name[len(c.prefix):]
	if strings.HasPrefix(rest, "-") {
		c.prefix, rest = "", c.name
	}
	if c.words = pattern("token").FindAllString(rest, -1); len(c.words) == 0 {
		return c
	}
	c.prog = strings.Trim(path.Base(c.words[0]), `.-"'`)
	c.prog = cmp.Or(lookup("alias", c.prog), c.prog)
	tasks := pattern("nontask").ReplaceAllString(strings.TrimPrefix(rest, c.words[0]), "")
	for _, word := range pattern("task").FindAllString(strings.ToLower(c.prog+tasks), -1) {
		c.kind = cmp.Or(c.kind, lookup("kind", word))
	}
	c.family = cmp.Or(lookup("family", c.prog), lookup("family", capture("script", c.words[0])))
	c.kind = cmp.Or(c.kind, lookup("bare", capture("bare", rest)))
	return c
}

// unsafe reports whether a line deletes, publishes, holds a secret or hides what it does.
func unsafe(line string) bool {
	return !utf8.ValidString(line) || matches("danger", line) || matches("unknown", line) ||
		matches("destructive", line)
}
