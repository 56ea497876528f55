package records

import (
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/spf13/cobra"
)

type decideOptions struct{ decision ledger.Decision }

func NewDecideCmd(a *app.App) *cobra.Command {
	o := &decideOptions{}
	cmd := &cobra.Command{
		Use:         "decide <text>",
		Short:       "store a decision with its evidence",
		Annotations: app.GivenArgs(app.AtFile),
		Long: `Store a decision and print its id. --ref names its evidence, which must exist:
events, their chunks, artifacts or memories. Only a person may omit it. A
decision that --supersedes another is injected in its place; the other can
still be read. Exit code 1 if a record that it names does not exist.`,
		Example: `  mem decide 'Project purpose: billing for dentists' \
    --ref chk_01KJ2KH3EG1GW60J423CNHT7PE000
  mem decide 'PostgreSQL 17' --supersedes dec_01KJ2KH5D04XNZEQFPHTQVBEWP \
    --ref evt_01KJ2KH3EG5JRECJ45K2P6PZTR --rationale 'RLS is faster there'`,
		Args: app.WantArgs(1, 1, "one text (quote it for the shell)"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	registerRecord(cmd, &o.decision.Scope)
	f, d := cmd.Flags(), &o.decision
	f.StringVar(&d.For, "scope", "", "its `SCOPE`: project, user or global")
	f.StringArrayVar(&d.Supersedes, "supersedes", nil,
		"the `ID` of a decision that it replaces; repeatable")
	f.StringArrayVar(&d.Rationale, "rationale", nil, "a reason: a `TEXT`; repeatable")
	f.StringArrayVar(&d.Constraints, "constraint", nil, "a condition on it: a `TEXT`; repeatable")
	f.StringArrayVar(&d.Alternatives, "alternative", nil,
		"an option that was rejected: a `TEXT`; repeatable")
	f.StringArrayVar(&d.Consequences, "consequence", nil, "an effect of it: a `TEXT`; repeatable")
	return cmd
}

func (o *decideOptions) run(a *app.App, cmd *cobra.Command, arg string) (err error) {
	if o.decision.Text, err = longText(a, cmd, "text", arg, policy.MaxContent); err != nil {
		return err
	}
	book, err := openBookHolding(a, cmd, o.decision.Key())
	if err != nil {
		return err
	}
	reply, err := book.Decide(cmd.Context(), o.decision)
	return printStored(a, cmd, reply, reply.ID, err)
}
