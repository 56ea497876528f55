package cli

import (
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/spf13/cobra"
)

type supersedeOptions struct{ editFlags }

func newSupersedeCmd(a *app) *cobra.Command {
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
		Args:              wantArgs(2, 2, "the key of the old memory and that of the new one"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0], args[1])
		},
	}
	o.register(cmd)
	return cmd
}

func (o *supersedeOptions) run(a *app, cmd *cobra.Command, old, by string) error {
	l, author, err := o.open(a, cmd)
	if err != nil {
		return err
	}
	all, err := l.Reading()
	if err != nil {
		return err
	}
	h, err := find(cmd, l, old)
	if err != nil {
		return err
	}
	next, err := find(cmd, l, by)
	if err != nil {
		return err
	}
	if h.site != next.site && h.site.Layer == site.User {
		return &usage{what: "supersede",
			why: h.key.Shown() + " is the user's, and " + next.key.Shown() + " of this project " +
				"alone: in other places the memory would have no successor",
			do: advice.Run("move", next.key.String(), "--to", "user").Then(" makes it the user's")}
	}
	done, err := edit.Supersede(cmd.Context(), h.store, all, caller, h.key, next.key, author)
	if err != nil {
		return editError(err)
	}
	done.Layer = layerName(l, h.site)
	return printEdit(a, cmd, l, done.Result, done)
}
