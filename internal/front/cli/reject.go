package cli

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type rejectOptions struct{ all bool }

func newRejectCmd(a *app) *cobra.Command {
	o := &rejectOptions{}
	cmd := &cobra.Command{
		Use:   "reject [<key>]",
		Short: "delete a quarantined memory, refuse a proposal",
		Long: `Delete the quarantined memory of a key from /untrusted. The log keeps it.
The id of a proposal refuses it. A proposed fact that is refused, one by its id
or with --all every one that mem approve lists, is not proposed again.`,
		Example: `  mem ls /untrusted
  mem reject /kb/product/spec
  mem reject c-4kq2mzb7xw`,
		Args:              wantArgs(0, 1, "one key or proposal, or --all"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.all == (len(args) == 1) {
				return &usage{what: "reject", why: "want one key or proposal, or --all"}
			}
			if o.all {
				return decideAll(a, cmd, policy.Reject)
			}
			return o.run(a, cmd, args[0])
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "refuse all proposed facts")
	return cmd
}

func (o *rejectOptions) run(a *app, cmd *cobra.Command, arg string) error {
	l, err := a.open(cmd)
	if err != nil {
		return err
	}
	if isFactID(arg) {
		return rejectFact(a, cmd, l, arg)
	}
	p, s, err := findProposal(cmd, l, arg)
	key := p.Place()
	if s == nil && err == nil {
		key, s, err = openKey(a, cmd, arg)
	}
	if err != nil {
		return err
	}
	out, err := s.Reject(cmd.Context(), caller, key)
	if err != nil {
		return notWaiting(err)
	}
	return a.printOutcome(cmd, out)
}

// openKey is openOne for a verb whose one argument names a memory.
func openKey(a *app, cmd *cobra.Command, arg string) (key keypath.Key, s *mem.Store, err error) {
	l, err := a.open(cmd)
	if err != nil {
		return key, nil, err
	}
	_, user, err := note.Reading(l, arg)
	switch {
	case err != nil:
		return key, nil, err
	case user != nil:
		s, err = l.Open(user)
	default:
		s, err = a.openOne(cmd)
	}
	if err == nil {
		key, err = namedKey(cmd, s, arg)
	}
	return key, s, err
}
