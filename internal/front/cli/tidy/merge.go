package tidy

import (
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type mergeOptions struct {
	app.EditFlags
	into   string
	dryRun bool
	force  bool
}

func NewMergeCmd(a *app.App) *cobra.Command {
	o := &mergeOptions{}
	cmd := &cobra.Command{
		Use:   "merge <key>...",
		Short: "make one memory of several",
		Long: `Merge memories into one under the key --into, which may be new or one of them;
the others get tombstones in the same write. If several have a member, the
newest memory wins. Tags and references are those of all, importance is the
greatest, text has all texts on separate lines, created_at is their oldest
time, and the source names the keys. All contents must be JSON objects (exit
code 2). mem undo of each key reverts a merge.`,
		Example: `  mem merge /project/db /project/database --into /project/db
  mem merge m-4 m-7 --into /project/port --dry-run`,
		Args:              app.WantArgs(1, -1, "one key or more"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.Register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.into, "into", "", "the `KEY` of the merged memory")
	f.BoolVar(&o.dryRun, "dry-run", false, "only print the memory that would be written")
	app.RegisterForce(cmd, &o.force)
	return cmd
}

func (o *mergeOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	if o.into == "" {
		return app.BadInput("merge", "into what?", "want --into KEY")
	}
	l, by, err := o.Open(a, cmd)
	if err != nil {
		return err
	}
	h, keys, err := o.find(a, cmd, l, args)
	if err != nil {
		return err
	}
	by.Force = o.force
	done, err := edit.Merge(cmd.Context(), h.Store, a.Caller, keys, h.Key,
		edit.MergeOptions{DryRun: o.dryRun, Author: by})
	if err != nil {
		return a.EditError(err)
	}
	done.Layer = l.NameOf(h.Site)
	switch {
	case o.dryRun && a.AsJSON():
		return a.PrintJSON(cmd, done.Content)
	case o.dryRun:
		return app.Document(done.Content)(a, cmd)
	}
	a.SayLayer(cmd, l, "merged "+app.Memories(len(done.Merged))+" in", done.Layer)
	return a.Answer(cmd, done, app.Outcome(done.Outcome))
}

// find returns the store that has all of the keys, and the target. A target that is nowhere yet
// goes to where the first of them is.
func (o *mergeOptions) find(a *app.App, cmd *cobra.Command, l *layers.Layers, args []string) (
	into app.Held, keys []keypath.Key, err error) {
	if into, err = a.Find(cmd, l, o.into); err != nil {
		return into, nil, err
	}
	_, missing := into.Store.Get(cmd.Context(), a.Caller, into.Key, true)
	for _, arg := range args {
		h, err := a.Find(cmd, l, arg)
		if err != nil {
			return into, nil, err
		}
		if missing != nil && len(keys) == 0 {
			into.Site, into.Store = h.Site, h.Store
		}
		if h.Site != into.Site {
			return into, nil, fault.Input("merge",
				h.Key.Shown()+" is in the "+h.Site.Layer+" layer, and "+into.Key.Shown()+
					" in the other",
				advice.Run("move", h.Key.String(), "--to", into.Site.Layer).Then(" moves it there"))
		}
		keys = append(keys, h.Key)
	}
	return into, keys, nil
}
