package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/hook"
	"github.com/set-memory/mem/layer"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Questions to a person, and what is shown before them.

// refusal is an error of policy that no package below has.
type refusal struct{ why, hint string }

func (e *refusal) Error() string { return e.why }

// Kind returns the name of the error's kind.
func (e *refusal) Kind() string { return string(mem.KindRefused) }

// Hint returns what to do.
func (e *refusal) Hint() string { return e.hint }

// maxShown is how many memories are shown before the question.
const maxShown = 50

// showUnseen prints what would be told.
func showUnseen(a *app, cmd *cobra.Command, site *layer.Site, list []log.Record) {
	what := "is not let in yet. It holds"
	if site.Grant != nil {
		what = "has by other hands"
	}
	showRecords(a, cmd, fmt.Sprintf("%s %s %s:", oneLine(site.Root), what, memories(len(list))),
		site, list)
}

// showRecords prints memories on stderr, before a question: the answer on stdout is what was
// decided.
func showRecords(a *app, cmd *cobra.Command, title string, site *layer.Site, list []log.Record) {
	if a.quiet || a.asJSON() {
		return
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintln(w, title)
	for i, rec := range list {
		if i == maxShown {
			fmt.Fprintf(w, "  ... and %d more: mem --root %s ls\n", len(list)-i,
				oneLine(shellWord(site.Root)))
			break
		}
		f := content.Parse(rec.Content)
		text := mem.Shown(readout.Short(rec.Content, f))
		fmt.Fprintf(w, "  %s\n", oneLine(strings.TrimSpace(rec.Key.Shown()+" "+f.Type+" "+text)))
	}
}

// confirm asks a person. The error says that the answer was no, or that nobody is there to give it.
func confirm(a *app, cmd *cobra.Command, yes bool, question string) error {
	if client, _ := hook.Caller(a.getenv); client != "" {
		return &refusal{cmd.Name() + ": only a person may answer, and " + client + " runs this",
			"run it in a terminal of your own"}
	}
	if yes {
		return nil
	}
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return &usage{what: cmd.Name(), why: "there is no terminal to ask on",
			hint: "the same with --yes, if the answer is yes"}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errNo
}
