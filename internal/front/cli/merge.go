package cli

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type mergeOptions struct {
	editFlags
	into   string
	dryRun bool
	force  bool
}

func newMergeCmd(a *app) *cobra.Command {
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
		Args:              wantArgs(1, -1, "one key or more"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.into, "into", "", "the `KEY` of the merged memory")
	f.BoolVar(&o.dryRun, "dry-run", false, "only print the memory that would be written")
	registerForce(cmd, &o.force)
	return cmd
}

func (o *mergeOptions) run(a *app, cmd *cobra.Command, args []string) error {
	if o.into == "" {
		return &usage{what: "merge", why: "into what?", hint: "want --into KEY"}
	}
	l, by, err := o.open(a, cmd)
	if err != nil {
		return err
	}
	h, keys, err := o.find(cmd, l, args)
	if err != nil {
		return err
	}
	by.Force = o.force
	done, err := edit.Merge(cmd.Context(), h.store, caller, keys, h.key,
		edit.MergeOptions{DryRun: o.dryRun, Author: by})
	if err != nil {
		return editError(err)
	}
	done.Layer = layerName(l, h.site)
	switch {
	case o.dryRun && a.asJSON():
		return a.printJSON(cmd, done.Content)
	case o.dryRun:
		return document(done.Content)(a, cmd)
	}
	sayLayer(a, cmd, l, "merged "+memories(len(done.Merged))+" in", done.Layer)
	return a.answer(cmd, done, outcome(done.Outcome))
}

// find returns the store that has all of the keys, and the target. A target that is nowhere yet
// goes to where the first of them is.
func (o *mergeOptions) find(cmd *cobra.Command, l *mem.Layers, args []string) (
	into held, keys []keypath.Key, err error) {
	if into, err = find(cmd, l, o.into); err != nil {
		return into, nil, err
	}
	_, missing := into.store.Get(cmd.Context(), caller, into.key, true)
	for _, arg := range args {
		h, err := find(cmd, l, arg)
		if err != nil {
			return into, nil, err
		}
		if missing != nil && len(keys) == 0 {
			into.site, into.store = h.site, h.store
		}
		if h.site != into.site {
			return into, nil, &usage{what: "merge",
				why: h.key.Shown() + " is in the " + h.site.Layer + " layer, and " +
					into.key.Shown() + " in the other",
				do: advice.Run("move", h.key.String(), "--to", into.site.Layer).
					Then(" moves it there")}
		}
		keys = append(keys, h.key)
	}
	return into, keys, nil
}
