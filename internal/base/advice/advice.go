// Package advice has the values in which an error says what to do about it, for each front to put
// into words: a command line prints the commands, HTTP sends the first one as a member, and a
// server of tools names the tool for it.
//
// The package does no I/O and keeps nothing.
package advice

import (
	"slices"
	"strings"
)

// List is advice in clauses, the best one first. Lists are values: the methods return new ones.
type List []Clause

// Clause is one piece of advice.
type Clause struct {
	Parts  []Part
	Shell  bool // it names flags or streams, which only a command line has
	Person bool // it overrules a refusal, which no program is advised to do
	Tools  bool // a model that calls tools gets it, in place of all clauses that are not
}

// Part is a text or, with a verb, a command.
type Part struct {
	Text string
	Command
}

// Command is a verb of mem and its arguments. A word in capitals stands for what the caller fills
// in.
type Command struct {
	Verb string   `json:"verb"` // like "session compact"
	Args []string `json:"args,omitempty"`
	// Alone reports whether the command takes no store, or names one: all others work on the store
	// that the failed call was for.
	Alone bool `json:"-"`
}

// Say returns advice for any front; none for no text.
func Say(text string) List { return say(text, Clause{}) }

// Shell returns advice that names flags or streams; none for no text.
func Shell(text string) List { return say(text, Clause{Shell: true}) }

// Overrule returns advice on flags that overrule a refusal, for a person at a command line.
func Overrule(text string) List { return say(text, Clause{Shell: true, Person: true}) }

// ForPrograms returns the advice without the clauses that only a person gets.
func (l List) ForPrograms() List {
	return slices.DeleteFunc(slices.Clone(l), func(c Clause) bool { return c.Person })
}

func say(text string, c Clause) List {
	if text == "" {
		return nil
	}
	c.Parts = []Part{{Text: text}}
	return List{c}
}

// Run returns the advice to run a command on the store at hand.
func Run(verb string, args ...string) List { return List{{}}.Run(verb, args...) }

// Run adds a command to the last clause.
func (l List) Run(verb string, args ...string) List {
	return l.with(Part{Command: Command{Verb: verb, Args: args}})
}

// RunAlone returns the advice to run a command that takes no store, or names it.
func RunAlone(verb string, args ...string) List { return List{{}}.RunAlone(verb, args...) }

// RunAlone adds such a command to the last clause.
func (l List) RunAlone(verb string, args ...string) List {
	return l.with(Part{Command: Command{Verb: verb, Args: args, Alone: true}})
}

// Then adds a text to the last clause.
func (l List) Then(text string) List { return l.with(Part{Text: text}) }

// Tools begins a clause for a model that calls tools.
func (l List) Tools(text string) List {
	return l.Also(List{{Parts: []Part{{Text: text}}, Tools: true}})
}

// Also adds the clauses of another list.
func (l List) Also(other List) List { return append(l[:len(l):len(l)], other...) }

func (l List) with(part Part) List {
	last := l[len(l)-1]
	last.Parts = append(last.Parts[:len(last.Parts):len(last.Parts)], part)
	return append(l[:len(l)-1:len(l)-1], last)
}

// String returns the advice as a command line prints it.
func (l List) String() string { return l.As("") }

// As returns the advice as a command line prints it, see [Command.As].
func (l List) As(program string) string {
	return l.join(program, func(c Clause) bool { return !c.Tools })
}

// Plain returns the advice that needs no command line.
func (l List) Plain() string {
	return l.join("", func(c Clause) bool { return !c.Shell && !c.Tools && c.command() == nil })
}

func (l List) join(program string, isWanted func(Clause) bool) string {
	var text strings.Builder
	for _, c := range l {
		if !isWanted(c) {
			continue
		}
		if text.Len() > 0 {
			text.WriteString("; ")
		}
		for _, p := range c.Parts {
			text.WriteString(p.Text)
			if p.Verb != "" {
				text.WriteString(p.As(program))
			}
		}
	}
	return text.String()
}

// Command returns the first command of the advice; nil for none.
func (l List) Command() *Command {
	for _, c := range l {
		if command := c.command(); command != nil && !c.Tools {
			return command
		}
	}
	return nil
}

func (c Clause) command() *Command {
	for _, p := range c.Parts {
		if p.Verb != "" {
			return &p.Command
		}
	}
	return nil
}

// String returns the command as a shell takes it.
func (c Command) String() string { return c.As("") }

// As returns the command as a shell takes it, for a program that is typed like "mem --root DIR"; ""
// is mem.
func (c Command) As(program string) string {
	if program == "" || c.Alone {
		program = "mem"
	}
	text := program + " " + c.Verb
	for _, arg := range c.Args {
		text += " " + Quote(arg)
	}
	return text
}

// Quote returns a word as a shell takes it: in quotes where it has a character that shells know.
func Quote(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\"'\\$&|;<>()*?[]{}~#!`") {
		return word
	}
	return Quoted(word)
}

// Quoted returns a word as a shell takes it, in quotes.
func Quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
