package records

import (
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/spf13/cobra"
)

type coreOptions struct{ keep keepFlags }

func NewCoreCmd(a *app.App) *cobra.Command {
	o := &coreOptions{}
	cmd := &cobra.Command{
		Use:         "core <text>",
		Short:       "save a memory to an agent's core, for good",
		Annotations: app.GivenArgs(app.Dash),
		Long: journal.CoreTool + `

` + "<text>: " + journal.CoreContent + keptText + `
They are injected for that agent alone, at the start of its prompt
(mem read --format private). The answer is JSON, also on a refusal:
{"error":"..."}.`,
		Example: `  mem core 'I check twice before I delete' --agent ada
  MEM_AGENT=ada mem core - < belief.txt`,
		Args: o.keep.args(a),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	o.keep.register(cmd)
	return cmd
}

func (o *coreOptions) run(a *app.App, cmd *cobra.Command, text string) error {
	return o.keep.run(a, cmd, journal.Core, text)
}
