package agents

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
)

// maxPreviewed is how many memories setup prints of the next session.
const maxPreviewed = 2

// printNext prints the memories of the next session in this directory, and how mem relates to the
// memory of the clients themselves. A store that cannot be read is doctor's subject.
func (o *setupOptions) printNext(a *app.App, cmd *cobra.Command, asks []setup.Request) {
	hooked := func(r setup.Request) bool { return r.Client.HasHooks() }
	if o.check || o.remove || a.Quiet || !slices.ContainsFunc(asks, hooked) {
		return
	}
	out := cmd.OutOrStdout()
	at := a.ServedRoot()
	if in, err := nextSession(a, cmd); err == nil && (at.URL == "" || len(in.Memories) > 0) {
		printPreview(out, in)
	}
	if at.URL != "" {
		fmt.Fprintln(out, "a session begins with the memories of the project too, from "+at.URL)
	}
	does := "neither reads nor changes that"
	if slices.ContainsFunc(asks, setup.IsBridged) {
		does = "reads that of the other clients, and changes none"
	}
	fmt.Fprintln(out, "mem stands beside a client's own memory: it "+does)
	if slices.ContainsFunc(asks, setup.Captures) && at.URL == "" {
		fmt.Fprintln(out, "it stores what you ask it to remember in a prompt, and proposes facts "+
			"from prompts and commands (mem approve); --no-capture turns that off")
	}
}

// nextSession returns the injection at the start of a new session here, without a record of it.
func nextSession(a *app.App, cmd *cobra.Command) (in inject.Injection, err error) {
	opts, err := a.Clocks()
	if err != nil {
		return in, err
	}
	sites, err := a.FindSites("")
	if err != nil {
		return in, err
	}
	l := layers.New(sites, func(*site.Site) mem.Options { return opts })
	defer l.Close()
	store, err := l.Injected()
	if err != nil {
		return in, err
	}
	return inject.Choose(cmd.Context(), store, mem.Caller{Channel: "hook"}, inject.Options{
		Trigger: inject.AtStart, Unrecorded: true, Layered: sites.One == nil,
		Block: readout.Block{Most: maxPreview},
	})
}

// maxPreview is the greatest size of a block, in UTF-16 units, as hooks have it.
const maxPreview = 9000

func printPreview(out io.Writer, in inject.Injection) {
	if len(in.Memories) == 0 {
		fmt.Fprintln(out, "next session: no memories yet; mem note TEXT stores one")
		return
	}
	fmt.Fprintf(out, "next session: %s, about %d tokens, first:\n",
		app.Memories(len(in.Memories)), in.Tokens)
	shown := 0
	for line := range strings.Lines(in.Text) {
		if strings.HasPrefix(line, "(") && shown < maxPreviewed {
			fmt.Fprintln(out, "    "+app.OneLine(strings.TrimSpace(line)))
			shown++
		}
	}
}
