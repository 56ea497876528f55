package records

import (
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type handoffOptions struct{ handoff ledger.Handoff }

func NewHandoffCmd(a *app.App) *cobra.Command {
	o := &handoffOptions{}
	cmd := &cobra.Command{
		Use:         "handoff <text>",
		Short:       "hand a session over to another agent",
		Annotations: app.GivenArgs(app.AtFile),
		Long: `Store a handoff to the next agent of a session and print its key. It replaces
the previous handoff to that agent in that session. It is in that agent's
bundles of the session, and the newest one begins its conversations in the
project until it is forgotten (mem hook CLIENT --agent). "-" reads the text from
standard input, "@file" from a file.`,
		Example: `  mem handoff --session s1 --to bob --agent ada \
    'The schema is migrated, the seed is not'
  mem handoff --session s1 --to bob - < handoff.md`,
		Args: app.WantArgs(1, 1, "one text (quote it for the shell)"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	registerRecord(cmd, &o.handoff.Scope)
	cmd.Flags().StringVar(&o.handoff.To, "to", "", "the `ID` of the next agent")
	return cmd
}

func (o *handoffOptions) run(a *app.App, cmd *cobra.Command, arg string) (err error) {
	if o.handoff.Text, err = longText(a, cmd, "text", arg, policy.MaxContent); err != nil {
		return err
	}
	book, err := openBook(a, cmd, keypath.Handoffs)
	if err != nil {
		return err
	}
	reply, err := book.PutHandoff(cmd.Context(), o.handoff)
	return printStored(a, cmd, reply, reply.Key.Shown(), err)
}
