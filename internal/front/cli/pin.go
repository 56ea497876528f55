package cli

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type pinOptions struct {
	editFlags
	off bool
}

func newPinCmd(a *app) *cobra.Command {
	o := &pinOptions{}
	cmd := &cobra.Command{
		Use:   "pin <key>...",
		Short: "inject memories at every start",
		Long: `Pin memories: they come first at the start of every conversation, the most important
before the others and then the oldest, in at most half of what it is told; how many more there are
is said there. No note is evicted that is pinned. So are, without that, memories of type preference
or rule, and notes tagged so, in your own stores. All of them are told as your rules. What is
pinned in a store inside a repository comes first in its own part only, as a fact. mem ls --pinned
lists all that is pinned.

--off takes pins back. Preferences and rules of the user stay pinned by their type, or by the tag of
a note.`,
		Example: `  mem pin m-4
  mem pin /project/deploy /project/branches
  mem pin --off m-4`,
		Args:              wantArgs(1, -1, "one key or more"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&o.off, "off", false, "take the pins back")
	return cmd
}

func (o *pinOptions) run(a *app, cmd *cobra.Command, args []string) error {
	l, by, err := o.open(a, cmd)
	if err != nil {
		return err
	}
	list, err := findAll(cmd, l, args)
	if err != nil {
		return err
	}
	done, err := touchEach(l, list, func(s *mem.Store, keys []keypath.Key) (edit.Touched, error) {
		return edit.Pin(cmd.Context(), s, caller, keys, !o.off, by)
	})
	if err != nil {
		return editError(err)
	}
	if err := printTouched(a, cmd, l, done); err != nil || !o.off || a.quiet {
		return err
	}
	for _, h := range list { // pinned without a pin
		rec, err := h.store.Get(cmd.Context(), caller, h.key, true)
		if err == nil && policy.IsPinned(rec, h.site.InRepository()) {
			a.tell(cmd, "warning",
				h.key.Shown()+" stays pinned: its type, or a tag, makes it a rule")
		}
	}
	return nil
}
