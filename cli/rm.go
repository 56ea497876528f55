package cli

import (
	"errors"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/policy"
	"github.com/spf13/cobra"
)

type rmOptions struct{ source sourceFlags }

func newRmCmd(a *app) *cobra.Command {
	o := &rmOptions{}
	cmd := &cobra.Command{
		Use:   "rm <key>...",
		Short: "delete memories",
		Long: `Write a tombstone for each key: it leaves the index and every read, and stays in
the log. Keys without a live memory are named, with exit code 1; the others are deleted all the
same. A key may come as a block prints it, without its first slash, and a note by its id.`,
		Example: `  mem rm /user/calendar/2026-02-23_10-00_dentist
  mem rm /task/1 /task/2 --source 'done'
  mem rm project/db m-4`,
		Args:              wantArgs(1, -1, "one key or more"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.source.register(cmd)
	return cmd
}

func (o *rmOptions) run(a *app, cmd *cobra.Command, args []string) error {
	s, source, err := a.openSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	var keys []keypath.Key
	for _, arg := range args {
		key, err := namedKey(cmd, s, arg)
		if err != nil {
			return err
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	deleted, missing, err := s.Delete(cmd.Context(), caller, keys, source)
	if err != nil {
		return deleteError(err)
	}
	if err := o.print(a, cmd, deleted, missing); err != nil {
		return err
	}
	var errs []error
	for _, key := range missing {
		errs = append(errs, &mem.NotFoundError{Key: key})
	}
	return errors.Join(errs...)
}

func (o *rmOptions) print(
	a *app, cmd *cobra.Command, deleted []mem.Outcome, missing []keypath.Key,
) error {
	if !a.asJSON() {
		return nil
	}
	return a.printValue(cmd, mem.NewDeleteReply(deleted, missing))
}

// deleteError returns the error of a refused tombstone with a hint of its own: only its source can
// hold the secret.
func deleteError(err error) error {
	if errors.Is(err, policy.ErrSecret) {
		return &hinted{err, "give a source without it, or none"}
	}
	return err
}
