package records

import (
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/spf13/cobra"
)

type journalOptions struct{ keep keepFlags }

func NewJournalCmd(a *app.App) *cobra.Command {
	o := &journalOptions{}
	cmd := &cobra.Command{
		Use:         "journal <text>",
		Short:       "save a memory to an agent's journal, for about a week",
		Annotations: app.GivenArgs(app.Dash),
		Long: journal.JournalTool + `

` + "<text>: " + journal.JournalContent + keptText + `
Entries are injected for that agent alone, at the start of its prompt, for a
week (mem read --format private). The answer is JSON, also on a refusal:
{"error":"..."}.`,
		Example: `  mem journal 'Ada prefers short answers' --agent ada
  MEM_AGENT=ada mem journal - < note.txt`,
		Args: o.keep.args(a),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	o.keep.register(cmd)
	return cmd
}

func (o *journalOptions) run(a *app.App, cmd *cobra.Command, text string) error {
	return o.keep.run(a, cmd, journal.Journal, text)
}
