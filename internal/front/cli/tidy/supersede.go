package tidy

import (
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/spf13/cobra"
)

type supersedeOptions struct{ app.EditFlags }

func NewSupersedeCmd(a *app.App) *cobra.Command {
	o := &supersedeOptions{}
	cmd := &cobra.Command{
		Use:   "supersede <key> <new>",
		Short: "mark a memory as replaced by another",
		Long: `Mark a memory as replaced by another, which must exist: its content gets
superseded_by. Reads and hooks no longer inject it; get prints it, and search
and ls name its successor. It keeps its time and source. mem touch --current or
mem undo reverts it. With two layers, only a memory of the user's store can
replace another one of that store.`,
		Example: `  mem supersede /project/db-2024 /project/db
  mem supersede m-4 m-9`,
		Args:              app.WantArgs(2, 2, "the key of the old memory and that of the new one"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0], args[1])
		},
	}
	o.Register(cmd)
	return cmd
}

func (o *supersedeOptions) run(a *app.App, cmd *cobra.Command, old, by string) error {
	l, author, err := o.Open(a, cmd)
	if err != nil {
		return err
	}
	all, err := l.Reading()
	if err != nil {
		return err
	}
	h, err := a.Find(cmd, l, old)
	if err != nil {
		return err
	}
	next, err := a.Find(cmd, l, by)
	if err != nil {
		return err
	}
	if h.Site != next.Site && h.Site.Layer == site.User {
		return fault.Input("supersede",
			h.Key.Shown()+" is the user's, and "+next.Key.Shown()+" of this project "+
				"alone: in other places the memory would have no successor",
			advice.Run("move", next.Key.String(), "--to", "user").Then(" makes it the user's"))
	}
	done, err := edit.Supersede(cmd.Context(), h.Store, all, a.Caller, h.Key, next.Key, author)
	if err != nil {
		return a.EditError(err)
	}
	done.Layer = l.NameOf(h.Site)
	return a.PrintEdit(cmd, l, done.Result, done)
}
