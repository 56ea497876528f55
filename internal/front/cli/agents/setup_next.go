package agents

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/moved"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
)

// maxPreviewed is how many memories setup prints of the next session.
const maxPreviewed = 2

// printNext prints the memories of the next session in this directory, and how mem relates to the
// memory of the clients themselves. A store that cannot be read is doctor's subject.
func (o *setupOptions) printNext(a *app.App, cmd *cobra.Command, asks []setup.Request) {
	hooked := func(r setup.Request) bool { return r.Client.HasHooks() }
	if o.check || o.remove || a.Quiet {
		return
	}
	out := cmd.OutOrStdout()
	sayRoots(a, out, asks)
	first := slices.IndexFunc(asks, hooked)
	if first < 0 {
		return
	}
	sites, err := site.Find(setup.Root(asks[first]), "", a.OutsideRoot)
	at := app.ServedIn(&sites)
	if opts, bad := a.Clocks(); err == nil && bad == nil {
		l := layers.New(sites, func(*site.Site) mem.Options { return opts })
		defer l.Close()
		in, err := nextSession(cmd.Context(), l)
		if err == nil && (at.URL == "" || len(in.Memories) > 0) {
			printPreview(out, in)
		}
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
		fmt.Fprintln(out, "mem listens: what you type with \"remember\" is stored; what else it "+
			"notices, and all that a script sends, waits until you type mem approve; "+
			"--no-capture turns that off")
	}
}

// sayRoots says what it means that hooks name a root, and how they would read that of MEM_ROOT,
// which a session from another terminal does not have.
func sayRoots(a *app.App, out io.Writer, asks []setup.Request) {
	said := map[string]bool{}
	for _, ask := range asks {
		root, text := setup.Root(ask), unread(a, ask.Client, setup.Root(ask))
		if root != "" {
			text = "all projects share " + root + ", and what lies there counts as your own"
		}
		if text != "" && !said[root] {
			fmt.Fprintln(out, app.OneLine(text))
		}
		said[root] = said[root] || text != ""
	}
}

// unread says that the hooks of a client, which name this root or none, do not read the store of
// MEM_ROOT; "" if they do, or name another.
func unread(a *app.App, client *setup.Client, root string) string {
	named := a.Getenv("MEM_ROOT")
	if named == "" || root != "" || a.Root != "" || !client.HasHooks() {
		return ""
	}
	if !site.IsRemote(named) {
		named = site.WholePath(named)
	}
	return fmt.Sprintf("hooks do not read %s in a session without this MEM_ROOT: unset MEM_ROOT, "+
		"or type mem setup %s --root %s, and all projects share it", named, client.Name,
		advice.Quote(named))
}

// nextSession returns the injection at the start of a new session here, without a record of it.
func nextSession(ctx context.Context, l *layers.Layers) (in inject.Injection, err error) {
	store, err := l.Injected()
	if err != nil {
		return in, err
	}
	dir, _ := os.Getwd() // without one no file is compared
	return inject.Choose(ctx, store, mem.Caller{Channel: "hook"}, inject.Options{
		Trigger: inject.AtStart, Unrecorded: true, Layered: l.Sites.One == nil,
		Root: l.Sites.Folder(dir), Dir: dir, Branch: l.Sites.Branch(), Mark: l.Sites.ProjectMark,
		Remark: moved.TreeHere(&l.Sites, dir).Remark,
		Block:  readout.Block{Teach: true, Most: maxPreview},
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
