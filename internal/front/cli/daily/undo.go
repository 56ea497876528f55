package daily

import (
	"errors"
	"fmt"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type undoOptions struct {
	app.EditFlags
	to   string
	last bool
}

func NewUndoCmd(a *app.App) *cobra.Command {
	o := &undoOptions{}
	cmd := &cobra.Command{
		Use:   "undo [<key>]",
		Short: "restore the version before the newest",
		Long: `Restore the version of a key before its newest one, by a new write: this
reverts a deletion, a change, or an undo. The memory gets its old time. Exit
code 1 if there is no version before. With two layers, the project's version is
restored if it is the visible one, or was deleted last.

--last reverts all writes of the last command, such as an import, a forget or a
move, in all stores that it wrote to, or none of them: exit code 1 if a key was
written since. A purge cannot be reverted. More than 2,000 keys of one store are
taken back in groups, so that others can write between them: where that was cut
off and others wrote since, --to takes back the rest by the command's time.`,
		Example: `  mem undo /project/db
  mem undo /project/db --to 2026-02-22T10:00:00.000000Z
  mem undo --last`,
		Args:              app.WantArgs(0, 1, "one key, or --last"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.last == (len(args) == 1) {
				return &app.Usage{What: "undo", Why: "want one key, or --last",
					Do: advice.Run("history").Then(" lists the last writes").Also(
						advice.Run("undo", "--last").Then(" reverts those of the last command"))}
			}
			if o.last {
				return o.runLast(a, cmd)
			}
			return o.run(a, cmd, args[0])
		},
	}
	o.Register(cmd)
	cmd.Flags().StringVar(&o.to, "to", "",
		"restore the version of this `TS`, as mem history prints it; with --last, "+
			"revert the command of that time")
	cmd.Flags().BoolVar(&o.last, "last", false, "revert all writes of the last command")
	return cmd
}

// runLast takes the last command back, in each store that it wrote to.
func (o *undoOptions) runLast(a *app.App, cmd *cobra.Command) error {
	l, by, err := o.Open(a, cmd)
	if err != nil {
		return err
	}
	in := edit.Stores{Open: func(root string) (*mem.Store, error) {
		if site.IsRemote(root) {
			return nil, edit.ErrHalf // a journal is no reason to connect to anything
		}
		return l.Open(l.Sites.Named(root, "it is named by a journal"))
	}}
	for _, one := range slices.Backward(l.Sites.List()) { // the user's first
		s, err := l.Open(one)
		if err != nil {
			return err
		}
		s.GoOn(cmd.Context(), a.Caller)
		in.List = append(in.List, s)
	}
	last, err := edit.CommandOf(a.Caller, in, o.to)
	if err != nil {
		return err
	}
	if last.IsLarge() {
		a.Mention(cmd, "many keys, taken back in groups; should that be cut off, mem undo --last "+
			"--to "+last.At+" takes back the rest, also once others wrote")
	}
	done, err := edit.UndoCommand(cmd.Context(), a.Caller, last, by)
	if err != nil && !errors.Is(err, edit.ErrMeanwhile) {
		return app.PartlyStored(a.EditError(err), "mem undo --last takes the rest back")
	} else if err != nil {
		return err
	}
	return a.Answer(cmd, done, app.Line(fmt.Sprintf("%s of %s taken back: %s", done.Op,
		done.At, app.Count(len(done.Undone), "key"))))
}

func (o *undoOptions) run(a *app.App, cmd *cobra.Command, arg string) error {
	l, by, err := o.Open(a, cmd)
	if err != nil {
		return err
	}
	h, err := findEver(a, cmd, l, arg)
	if err != nil {
		return err
	}
	to, err := o.version(a, cmd, h)
	if err != nil {
		return err
	}
	done, err := edit.Undo(cmd.Context(), h.Store, a.Caller, h.Key, to, by)
	if err != nil {
		return a.EditError(err)
	}
	done.Layer = app.LayerName(l, h.Site)
	if done.Changed {
		what := " is as of "
		if !done.Valid {
			what = " is deleted, as of "
		}
		what += app.ShownTime(cmd.ErrOrStderr(), done.Restored)
		if done.Member != "" {
			what += ", before the write by " + app.OneLine(done.Member)
		}
		a.Mention(cmd, h.Key.Shown()+what)
	}
	return a.PrintEdit(cmd, l, done.Result, done)
}

// version returns the ts of the version that is named; nil for none.
func (o *undoOptions) version(a *app.App, cmd *cobra.Command, h app.Held) (*log.Stamp, error) {
	if o.to == "" {
		return nil, nil
	}
	ts, err := versionAt(a, cmd, h, "--to", o.to)
	return &ts, err
}
