package cli

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/edit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/policy"
	"github.com/spf13/cobra"
)

type pinOptions struct {
	editFlags
	pinned bool
}

func newPinCmd(a *app) *cobra.Command {
	cmd := (&pinOptions{pinned: true}).command(a)
	cmd.Use, cmd.Short = "pin <key>...", "have memories told at every start"
	cmd.Long = `Pin memories: they come first at the start of every conversation, however many
newer ones there are, and no note is evicted that is pinned. So are, without that, preferences
and rules of the user. What is pinned in a store inside a repository comes first in its own part
only. mem ls --pinned lists all that is pinned, mem unpin takes it back.`
	cmd.Example = `  mem pin m-4
  mem pin /project/deploy /project/branches`
	return cmd
}

func (o *pinOptions) command(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Args:              wantArgs(1, -1, "one key or more"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.register(cmd)
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
		return edit.Pin(cmd.Context(), s, caller, keys, o.pinned, by)
	})
	if err != nil {
		return editError(err)
	}
	if !o.pinned {
		o.sayStillPinned(a, cmd, list)
	}
	return printTouched(a, cmd, l, done)
}

// sayStillPinned names what is pinned without a pin.
func (o *pinOptions) sayStillPinned(a *app, cmd *cobra.Command, list []held) {
	for _, h := range list {
		rec, err := h.store.Get(cmd.Context(), caller, h.key, true)
		if err == nil && policy.IsPinned(rec, h.site.InRepository()) {
			a.tell(cmd, "warning", h.key.Shown()+" stays pinned: its type or a tag says that it is "+
				"a rule")
		}
	}
}
