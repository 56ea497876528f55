package daily

import (
	"errors"
	"fmt"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
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
reverts a deletion, a change, or an undo, so that two in a row change nothing;
--to goes further back. The memory gets its old time. Exit code 1 if there is no
version before. With two layers, the project's version is restored if it is the
visible one, or was deleted last.

--last reverts all writes of the last command, such as an import, a forget or a
move, in all stores that it wrote to, or none of them: exit code 1 if a key was
written since. It knows no sync and no restore, and a purge cannot be reverted.
More than 2,000 keys of one store are taken back in groups, so that others can
write between them: where that was cut off and others wrote since, --to takes
back the rest by the command's time.`,
		Example: `  mem undo /project/db
  mem undo /project/db --to 2026-02-22T10:00:00.000000Z
  mem undo --last`,
		Args:              app.WantArgs(0, 1, "one key, or --last"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.last == (len(args) == 1) {
				return fault.Input("undo", "want one key, or --last", advice.Run("history").
					Then(" lists the last writes").Also(advice.Run("undo", "--last").
					Then(" reverts those of the last command")))
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
	in, err := writtenStores(l)
	if err != nil {
		return err
	}
	for _, s := range in.List {
		s.GoOn(cmd.Context(), a.Caller)
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
	o.letWait(a, cmd, l, done)
	return a.Answer(cmd, done, app.Line(fmt.Sprintf("%s of %s taken back: %s", done.Op,
		done.At, app.Count(len(done.Undone), "key"))))
}

// letWait lets the proposed facts wait again whose approval was taken back. An inbox that cannot be
// written keeps no undo from its end.
func (o *undoOptions) letWait(a *app.App, cmd *cobra.Command, l *layers.Layers,
	done edit.UndoneCommand) {
	again, lost := intake.WaitAgain(l, a.Inbox(), done.Taken)
	if again > 0 {
		a.Mention(cmd, "waiting again: "+app.Count(again, "proposed fact")+" (mem approve)")
	}
	if lost > 0 && a.Talks() {
		a.Advise(cmd, "hint", advice.Say("what was approved in other words does not wait again").
			Also(advice.Run("undo", "--last").Then(" stores it again")))
	}
}

// writtenStores returns where the last command is looked for.
func writtenStores(l *layers.Layers) (in edit.Stores, err error) {
	in.Open = func(root string) (*mem.Store, error) {
		if site.IsRemote(root) {
			return nil, edit.ErrHalf // a journal is no reason to connect to anything
		}
		return l.Open(l.Sites.Named(root, "it is named by a journal"))
	}
	for _, one := range slices.Backward(l.Sites.List()) { // the user's first
		s, err := l.Open(one)
		if err != nil {
			return in, err
		}
		in.List = append(in.List, s)
	}
	return in, nil
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
	with := o.writtenWith(a, cmd, l, h)
	done, err := edit.Undo(cmd.Context(), h.Store, a.Caller, h.Key, to, by)
	if errors.Is(err, edit.ErrFirst) && policy.Permits(a.Caller, h.Key) {
		return app.Hinted(err, firstAdvice(h, with))
	}
	if err != nil {
		return a.EditError(err)
	}
	done.Layer = l.NameOf(h.Site)
	if !done.Changed {
		return a.PrintEdit(cmd, l, done.Result, done)
	}
	a.Mention(cmd, undoneLine(cmd, h.Key, done))
	sayBeside(a, cmd, h, with)
	return a.Answer(cmd, done, app.Outcome(done.Outcome))
}

// writtenWith returns what the last command stored, if the newest version of a key is of it and no
// other version is named; it is a courtesy, so an error counts as nothing.
func (o *undoOptions) writtenWith(a *app.App, cmd *cobra.Command, l *layers.Layers,
	h app.Held) (w edit.Written) {
	if in, err := writtenStores(l); err == nil && o.to == "" {
		w, _ = edit.WrittenWith(cmd.Context(), a.Caller, in, h.Store, h.Key)
	}
	return w
}

// firstAdvice returns how to take back the only version of a key.
func firstAdvice(h app.Held, with edit.Written) advice.List {
	if with.Count > 0 {
		keys := app.Count(with.Count, "key")
		return advice.Run("undo", "--last").Then(
			" takes back the last command, " + with.Op + " (" + keys + ")")
	}
	key := h.Key.String()
	return advice.Run("forget", key).Then(" deletes it").
		Also(advice.Run("history", key).Then(" lists its versions"))
}

func undoneLine(cmd *cobra.Command, key keypath.Key, done edit.Undone) string {
	did, from := "restored "+key.Shown(), " as of "
	if !done.Valid {
		did, from = "deleted "+key.Shown()+" again", ", as of "
	}
	if done.Layer != "" {
		did += " in the " + done.Layer + " layer"
	}
	did += from + app.ShownTime(cmd.ErrOrStderr(), done.Restored)
	if done.Member != "" {
		did += ", before the write by " + app.OneLine(done.Member)
	}
	return did
}

// sayBeside names the other writes of the command, and how to take them back too.
func sayBeside(a *app.App, cmd *cobra.Command, h app.Held, with edit.Written) {
	if len(with.Beside) == 0 || !a.Talks() {
		return
	}
	one := with.Beside[0]
	versions, err := h.Store.History(cmd.Context(), a.Caller, one)
	if err != nil {
		return
	}
	what, verb, does := one.Shown(), "undo", " takes that back"
	if n := len(with.Beside); n > 1 {
		what = app.Count(n, "other key") + ", such as " + what
	}
	if versions.Count == 1 {
		verb, does = "forget", " deletes it"
	}
	a.Advise(cmd, "hint", advice.Say("the same command, "+with.Op+", stored "+what+
		", which stays: ").Run(verb, one.String()).Then(does))
}

// version returns the ts of the version that is named; nil for none.
func (o *undoOptions) version(a *app.App, cmd *cobra.Command, h app.Held) (*log.Stamp, error) {
	if o.to == "" {
		return nil, nil
	}
	ts, err := versionAt(a, cmd, h, "--to", o.to)
	return &ts, err
}
