package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/set-memory/mem/internal/front/setup"
	"github.com/spf13/cobra"
)

// printLines prints an answer, with the client beside each step that is left where there are
// several.
func (o *setupOptions) printLines(a *app, w io.Writer, ask setup.Request, ans setupAnswer,
	several bool) {
	for _, f := range ans.Files {
		line := f.State + " " + shortPath(f.Path, ask.Place.Home)
		if f.Path == ask.MainFile() {
			line += forAgent(ans.Agent) + withSwitches(ans.Bridge, ans.NoCapture)
		}
		if f.State == string(setup.Missing) || f.State == string(setup.Stale) {
			line += ": type " + setupCommand(ask)
		}
		fmt.Fprintln(w, oneLine(line))
	}
	for _, text := range ans.Warnings {
		fmt.Fprintln(w, "warning: "+oneLine(text))
	}
	title := "left to do: "
	if several {
		title = "left to do in " + ans.Client + ": "
	}
	for _, text := range ans.Left {
		if !a.quiet {
			fmt.Fprintln(w, title+text)
		}
	}
}

// list shows the state of every client.
func (o *setupOptions) list(a *app, cmd *cobra.Command, ask setup.Request) error {
	ask.Flags = nil // of any root
	list := setup.List(ask)
	t := table{head: []string{"CLIENT", "STATE", "SCOPE", "FILE"}}
	var unwired []string
	for _, w := range list {
		if w.State == setup.Found {
			unwired = append(unwired, w.Client)
		}
		what := shortPath(w.Path, ask.Place.Home) + forAgent(w.Agent) +
			withSwitches(w.Bridge, w.NoCapture)
		if w.Why != "" {
			what = w.Why
		}
		t.add(w.Client, string(w.State), string(w.Scope), oneLine(what))
	}
	if len(unwired) > 0 && explains(a) {
		a.tell(cmd, "hint", "mem setup --all wires what was found: "+strings.Join(unwired, ", "))
	}
	return a.answer(cmd, map[string]any{"clients": list}, t.write)
}
