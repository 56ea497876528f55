package erase

import (
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type rmOptions struct {
	source app.SourceFlags
	force  bool
}

func NewRmCmd(a *app.App) *cobra.Command {
	o := &rmOptions{}
	cmd := &cobra.Command{
		Use:   "rm <key>...",
		Short: "delete memories",
		Long: `Write a tombstone for each key: the memory leaves the index and every read, and
stays in the log. The first slash of a key is optional, and an id names a note.
Keys and ids without a live memory are listed, with exit code 1; the others are
deleted all the same.`,
		Example: `  mem rm /user/calendar/2026-02-23_10-00_dentist
  mem rm /task/1 /task/2 --source 'done'
  mem rm project/db m-4`,
		Args:              app.WantArgs(1, -1, "one key or more"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.source.Register(cmd)
	app.RegisterForce(cmd, &o.force)
	return cmd
}

func (o *rmOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	l, source, err := a.OpenSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	list, unknown, err := a.FindAll(cmd, l, args)
	if err != nil {
		return err
	}
	var deleted []mem.Outcome
	var missing []keypath.Key
	err = app.EachStore(l, list, func(s *mem.Store, layer string, keys []keypath.Key) error {
		op, err := s.Begin(a.Caller, policy.Rm)
		if err != nil {
			return err
		}
		if o.force {
			op.Force()
		}
		outcomes, gone, err := op.Delete(cmd.Context(), "user", keys, source)
		for _, out := range outcomes {
			out.Layer = layer
			deleted = append(deleted, out)
		}
		missing = append(missing, gone...)
		return err
	})
	if err != nil {
		return deleteError(err)
	}
	if err := a.Answer(cmd, mem.NewDeleteReply(deleted, missing), app.Nothing); err != nil {
		return err
	}
	for _, out := range deleted {
		a.SayLayer(cmd, l, "deleted "+out.Key.Shown()+" in", out.Layer)
	}
	sayReplaced(a, cmd, l, mem.NewDeleteReply(deleted, nil).Deleted...)
	return unknown.And(missing)
}

// deleteError returns the error of a refused tombstone: its source can hold a secret.
func deleteError(err error) error {
	if errors.Is(err, policy.ErrSecret) {
		return app.Hinted(err, advice.Say("give a source without it, or none"))
	}
	return err
}
