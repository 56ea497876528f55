package cli

import "github.com/spf13/cobra"

type rejectOptions struct{}

func newRejectCmd(a *app) *cobra.Command {
	o := &rejectOptions{}
	return &cobra.Command{
		Use:   "reject <key>",
		Short: "delete a quarantined memory",
		Long:  `Delete the quarantined memory of a key from /untrusted. The log keeps it.`,
		Example: `  mem ls /untrusted
  mem reject /kb/product/spec`,
		Args:              wantArgs(1, 1, "one key"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0])
		},
	}
}

func (o *rejectOptions) run(a *app, cmd *cobra.Command, arg string) error {
	l, err := a.open(cmd)
	if err != nil {
		return err
	}
	p, s, err := findProposal(cmd, l, arg)
	key := p.Place()
	if s == nil && err == nil {
		key, s, err = a.openKey(cmd, arg)
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
