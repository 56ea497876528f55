package cli

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type pinOptions struct{ editFlags }

func newPinCmd(a *app) *cobra.Command {
	o := &pinOptions{}
	cmd := &cobra.Command{
		Use:   "pin <key>...",
		Short: "have memories told at every start",
		Long: `Pin memories: they come first at the start of every conversation, the most important
before the others and then the oldest, in at most half of what it is told; how many more there are
is said there. No note is evicted that is pinned. So are, without that, memories of type preference
or rule, and notes tagged so, in your own stores. All of them are told as your rules. What is
pinned in a store inside a repository comes first in its own part only, as a fact. mem ls --pinned
lists all that is pinned, mem unpin takes it back.`,
		Example: `  mem pin m-4
  mem pin /project/deploy /project/branches`,
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
	_, err := o.pin(a, cmd, args, true)
	return err
}

// pin pins what the arguments name, or unpins it, and returns what that is.
func (e *editFlags) pin(a *app, cmd *cobra.Command, args []string, pinned bool) ([]held, error) {
	l, by, err := e.open(a, cmd)
	if err != nil {
		return nil, err
	}
	list, err := findAll(cmd, l, args)
	if err != nil {
		return nil, err
	}
	done, err := touchEach(l, list, func(s *mem.Store, keys []keypath.Key) (edit.Touched, error) {
		return edit.Pin(cmd.Context(), s, caller, keys, pinned, by)
	})
	if err != nil {
		return nil, editError(err)
	}
	return list, printTouched(a, cmd, l, done)
}
