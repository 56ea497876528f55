package tidy

import (
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/spf13/cobra"
)

type mvOptions struct {
	app.EditFlags
	force bool
}

func NewMvCmd(a *app.App) *cobra.Command {
	o := &mvOptions{}
	cmd := &cobra.Command{
		Use:   "mv <key> <new>",
		Short: "give a memory another key",
		Long: `Give a memory another key in the same store. In one write, the new key gets its
content, time and source, and the old key a tombstone that names the new one.
Memories that it superseded name the new key. If the new key has a memory,
nothing is written (exit code 4) unless --force is given. Notes keep their ids.
mem mv in the other direction reverts it; mem move moves a memory to the other
layer.`,
		Example: `  mem mv /project/database /project/db
  mem mv /tmp/idea /project/idea --force`,
		Args:              app.WantArgs(2, 2, "a key and its new name"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0], args[1])
		},
	}
	o.Register(cmd)
	cmd.Flags().BoolVar(&o.force, "force", false,
		"replace a memory of the new key; also keys that only other verbs write")
	return cmd
}

func (o *mvOptions) run(a *app.App, cmd *cobra.Command, from, to string) error {
	l, by, err := o.Open(a, cmd)
	if err != nil {
		return err
	}
	h, err := a.Find(cmd, l, from)
	if err != nil {
		return err
	}
	key, err := app.KeyArg(to)
	if err != nil {
		return err
	}
	by.Force = o.force
	done, err := edit.Rename(cmd.Context(), h.Store, a.Caller, h.Key, key,
		edit.RenameOptions{Replace: o.force, Author: by})
	var taken *mem.ConflictError
	if errors.As(err, &taken) && taken.Why != "" && !taken.Newest.Key.IsZero() {
		return app.Hinted(err, advice.Say("look at it on stdout").Also(
			advice.Run("mv", "--force", h.Key.String(), key.String()).Then(" replaces it")))
	}
	if err != nil {
		return a.EditError(err)
	}
	done.Layer = l.NameOf(h.Site)

	a.SayLayer(cmd, l, "renamed "+h.Key.Shown()+" in", done.Layer)
	if n := len(done.Repointed); n > 0 {
		a.Mention(cmd, app.Memories(n)+" superseded by it now names the new key")
	}
	return a.Answer(cmd, done, app.UnlessQuiet(app.Verbatim(h.Key.Shown()+"\t"+key.Shown()+"\n")))
}
