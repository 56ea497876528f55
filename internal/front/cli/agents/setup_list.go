package agents

import (
	"fmt"
	"io"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/spf13/cobra"
)

// printLines prints an answer, with the client of each step that is left.
func (o *setupOptions) printLines(a *app.App, w io.Writer, ask setup.Request, ans setupAnswer,
	several bool) {
	for _, f := range ans.Files {
		line := f.State + " " + shortPath(f.Path, ask.Place.Home)
		if f.Path == ask.MainFile() {
			line += withFlags(ans.Root, ans.Agent, ans.Bridge, ans.NoCapture)
		}
		if f.State == string(setup.Missing) || f.State == string(setup.Stale) {
			line += ": type " + setupCommand(ask)
		}
		if f.State == deleted {
			// No copy of an earlier text exists, and nothing of anyone else was in it.
			line += " (setup had made it)"
		}
		fmt.Fprintln(w, app.OneLine(line))
	}
	for _, text := range ans.Warnings {
		fmt.Fprintln(w, "warning: "+app.OneLine(text))
	}
	title := "left to do: "
	if several {
		title = "left to do in " + ans.Client + ": "
	}
	for _, text := range ans.Left {
		if !a.Quiet {
			fmt.Fprintln(w, title+text)
		}
	}
}

// list shows the state of every client.
func (o *setupOptions) list(a *app.App, cmd *cobra.Command, ask setup.Request) error {
	ask.Flags = nil // of any root
	list := setup.List(ask)
	t := app.Table{Head: []string{"CLIENT", "STATE", "SCOPE", "FILE"}}
	var unwired []string
	for _, w := range list {
		if w.State == setup.Found {
			unwired = append(unwired, w.Client)
		}
		what := shortPath(w.Path, ask.Place.Home) +
			withFlags(w.Root, w.Agent, w.Bridge, w.NoCapture)
		if w.Why != "" {
			what = w.Why
		}
		t.Add(w.Client, string(w.State), string(w.Scope), app.OneLine(what))
	}
	if len(unwired) > 0 && a.Explains() {
		a.Tell(cmd, "hint", "mem setup --all wires what was found: "+strings.Join(unwired, ", "))
	}
	return a.Answer(cmd, map[string]any{"clients": list}, t.Write)
}
