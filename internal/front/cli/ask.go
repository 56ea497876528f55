package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Questions to a person, and the memories that are listed before them.

// kindError is an error of a kind that no package below has given it.
type kindError struct {
	kind mem.Kind
	why  string
	do   advice.List
}

func verdict(kind mem.Kind, why string, do advice.List) error {
	return &kindError{kind, why, do}
}

func (e *kindError) Error() string { return e.why }

// Kind returns the name of the error's kind.
func (e *kindError) Kind() string { return string(e.kind) }

// Advice returns what to do.
func (e *kindError) Advice() advice.List { return e.do }

// showRecords prints memories on stderr, before a question: stdout is for the decision.
func showRecords(a *app, cmd *cobra.Command, title string, site *site.Site, list []log.Record) {
	if a.quiet || a.asJSON() {
		return
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintln(w, title)
	slices.SortFunc(list, mem.CompareWeight)
	for _, rec := range list { // all: a trusted memory must have been shown
		if !policy.Permits(caller, rec.Key) {
			fmt.Fprintf(w, "  %s (private to an agent)\n", oneLine(rec.Key.Shown()))
			continue
		}
		f := content.Parse(rec.Content)
		text := readout.Short(rec.Content, f)
		if f.Summary != "" && f.Text != "" {
			text += " | " + readout.Flatten(f.Text, readout.MaxShort) // either may be injected
		}
		text = mem.MaskSecrets(text)
		fmt.Fprintf(w, "  %s\n", oneLine(strings.TrimSpace(rec.Key.Shown()+" "+f.Type+" "+text)))
	}
}

// confirm asks a person, unless --yes is the answer. The error says that the answer was no, or that
// nobody is there to give it.
func confirm(a *app, cmd *cobra.Command, verb mem.Verb, question string) error {
	err := policy.CheckPerson(caller, verb)
	if errors.Is(err, policy.ErrUnattended) || err == nil && !a.yes && !isTerminal(cmd) {
		return &policy.UnattendedError{What: named(cmd)}
	}
	if err != nil || a.yes {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	answer, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errNo
}

// confirmRecords is confirm after the first of the memories that the question is about.
func confirmRecords(a *app, cmd *cobra.Command, verb mem.Verb, question string,
	list []log.Record) error {
	if !a.yes && isTerminal(cmd) && policy.IsPerson(caller) {
		first := list[:min(len(list), maxExamples)]
		showRecords(a, cmd, fmt.Sprintf("%d of %s:", len(first), memories(len(list))), nil, first)
	}
	return confirm(a, cmd, verb, question)
}

// isTerminalStream reports whether a stream is a terminal.
func isTerminalStream(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// isTerminal reports whether somebody can be asked.
func isTerminal(cmd *cobra.Command) bool {
	return isTerminalStream(cmd.InOrStdin())
}

// maxExamples is how many memories are shown before a question about all that a condition selects.
const maxExamples = 5
