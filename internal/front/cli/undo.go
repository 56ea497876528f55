package cli

import (
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type undoOptions struct {
	editFlags
	to string
}

func newUndoCmd(a *app) *cobra.Command {
	o := &undoOptions{}
	cmd := &cobra.Command{
		Use:   "undo <key>",
		Short: "bring back the version before the newest",
		Long: `Store the version of a key that is before its newest as the newest: what was deleted
comes back, what was changed is as before, and what was brought back is gone again. Nothing leaves
the history, so a second undo takes back the first; --to brings back any version. The memory is as
old as it was then. Exit code 1 if there is no version before. Of two layers it is the project's
version that comes back where its memory is shown, or was deleted last.`,
		Example: `  mem undo /project/db
  mem undo /project/db --to 2026-02-22T10:00:00.000000Z`,
		Args:              wantArgs(1, 1, "one key"),
		ValidArgsFunction: completeEver(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0])
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&o.to, "to", "", "the version of this `TS`, as mem history prints it")
	return cmd
}

func (o *undoOptions) run(a *app, cmd *cobra.Command, arg string) error {
	if err := refuseEmpty(cmd, "to"); err != nil {
		return err
	}
	l, by, err := o.open(a, cmd)
	if err != nil {
		return err
	}
	h, err := findEver(cmd, l, arg)
	if err != nil {
		return err
	}
	to, err := o.version(cmd, h)
	if err != nil {
		return err
	}
	done, err := edit.Undo(cmd.Context(), h.store, caller, h.key, to, by)
	if err != nil {
		return editError(err)
	}
	done.Layer = layerName(l, h.site)
	if done.Changed && talks(a) && !a.asJSON() {
		what := " is as of "
		if !done.Valid {
			what = " is deleted, as of "
		}
		say(a, cmd, h.key.Shown()+what+shownTime(cmd.ErrOrStderr(), done.Restored))
	}
	return printEdit(a, cmd, l, done.Result, done)
}

// version returns the ts of the version that is named; nil for none.
func (o *undoOptions) version(cmd *cobra.Command, h held) (*log.Stamp, error) {
	if o.to == "" {
		return nil, nil
	}
	ts, err := versionAt(cmd, h, "--to", o.to)
	return &ts, err
}
