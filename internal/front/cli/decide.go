package cli

import (
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/spf13/cobra"
)

type decideOptions struct {
	scope       scopeFlags
	decision    ledger.Decision
	allowSecret []string
}

func newDecideCmd(a *app) *cobra.Command {
	o := &decideOptions{}
	cmd := &cobra.Command{
		Use:   "decide <text>",
		Short: "store a decision with what it rests on",
		Long: `Store a decision and print its id. Every decision names with --ref what it rests on: events,
chunks of them, artifacts or memories, which must be there. One that --supersedes another is told
in its place from then on; the other stays to be read. Exit code 1 if what it names is not there.`,
		Example: `  mem decide 'Project purpose: billing for dentists' \
    --ref chk_01KJ2KH3EG1GW60J423CNHT7PE000
  mem decide 'PostgreSQL 17' --supersedes dec_01KJ2KH5D04XNZEQFPHTQVBEWP \
    --ref evt_01KJ2KH3EG5JRECJ45K2P6PZTR --rationale 'RLS is faster there'`,
		Args: wantArgs(1, 1, "one text (quote it for the shell)"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	o.scope.register(cmd)
	f, d := cmd.Flags(), &o.decision
	f.StringVar(&d.For, "scope", "", "what it is for: `SCOPE` project, user or global")
	f.StringArrayVar(&d.Supersedes, "supersedes", nil, "the `ID` of a decision that it replaces")
	f.StringArrayVar(&d.Rationale, "rationale", nil, "why: a `TEXT`; again for more")
	f.StringArrayVar(&d.Constraints, "constraint", nil, "what it must keep to: a `TEXT`")
	f.StringArrayVar(&d.Alternatives, "alternative", nil, "what was not chosen: a `TEXT`")
	f.StringArrayVar(&d.Consequences, "consequence", nil, "what follows from it: a `TEXT`")
	f.StringArrayVar(&o.allowSecret, "allow-secret", nil, allowSecretUsage)
	return cmd
}

func (o *decideOptions) run(a *app, cmd *cobra.Command, arg string) (err error) {
	if err = o.scope.check(cmd); err != nil {
		return err
	}
	o.decision.Scope = o.scope.Scope
	if o.decision.Text, err = longText(cmd, "text", arg, policy.MaxContent); err != nil {
		return err
	}
	space := "/decision"
	if len(o.decision.Supersedes) > 0 {
		space += "/" + o.decision.Supersedes[0]
	}
	book, err := openBookHolding(a, cmd, space)
	if err != nil {
		return err
	}
	id, err := book.Decide(cmd.Context(), o.decision, o.allowSecret...)
	if err != nil {
		return err
	}
	return printID(a, cmd, "decision_id", id)
}
