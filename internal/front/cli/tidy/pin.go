package tidy

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type pinOptions struct {
	app.EditFlags
	off     bool
	propose bool
}

func NewPinCmd(a *app.App) *cobra.Command {
	o := &pinOptions{}
	cmd := &cobra.Command{
		Use:   "pin <key>...",
		Short: "inject memories at every start",
		Long: `Pin memories: hooks inject them first at the start of every conversation, the
most important first and then the oldest, in at most half of the budget; the
block counts those that did not fit. A pinned note is never evicted. In your
own stores, preferences, rules and notes with such a tag count as pinned, and
all of these are injected as your rules. A pinned memory of a store inside a
repository comes first in the part of that store, as a fact. mem ls --pinned
lists all of them.

A pin makes a rule of a memory, which only a person does: that of an agent waits
for mem approve, and the verb prints the id under which it waits.

--off removes pins. Preferences and rules stay pinned by their type or tag.`,
		Example: `  mem pin m-4
  mem pin /project/deploy /project/branches
  mem pin --off m-4`,
		Args:              app.WantArgs(1, -1, "one key or more"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.Register(cmd)
	cmd.Flags().BoolVar(&o.off, "off", false, "remove the pins")
	a.RegisterPropose(cmd, &o.propose)
	return cmd
}

func (o *pinOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	l, by, err := o.Open(a, cmd)
	if err != nil {
		return err
	}
	if o.propose {
		return a.ProposeEach(cmd, l, args, "pin", by.Source, func(h app.Held) ([]byte, error) {
			rec, err := h.Store.Get(cmd.Context(), a.Caller, h.Key, false)
			if err != nil {
				return nil, err
			}
			return edit.Repinned(rec, !o.off)
		})
	}
	list, unknown, err := a.FindAll(cmd, l, args)
	if err != nil {
		return err
	}
	done, err := touchEach(l, list, func(s *mem.Store, keys []keypath.Key) (edit.Touched, error) {
		return edit.Pin(cmd.Context(), s, a.Caller, keys, !o.off, by)
	})
	if err != nil {
		return a.EditError(err)
	}
	sayClaims(a, cmd, list)
	did := map[bool]string{true: "unpinned ", false: "pinned "}[o.off]
	if err := printTouched(a, cmd, l, did, done, unknown); err != nil || !o.off || a.Quiet {
		return err
	}
	for _, h := range list { // pinned without a pin
		rec, err := h.Store.Get(cmd.Context(), a.Caller, h.Key, true)
		if err == nil && policy.IsPinned(rec, h.Site.InRepository()) {
			a.Tell(cmd, "warning",
				h.Key.Shown()+" stays pinned: its type, or a tag, makes it a rule")
		}
	}
	return nil
}
