package records

import (
	"fmt"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/spf13/cobra"
)

type sessionOptions struct{}

func NewSessionCmd(a *app.App) *cobra.Command {
	o := &sessionOptions{}
	cmd := &cobra.Command{
		Use:   "session <action>",
		Short: "create, show, close and delete sessions",
		Long: `Create, show, close, export and delete sessions. A session keeps the messages,
decisions, findings and preferences of one conversation as records at
/session/<id>/mem_...: mem remember stores them, mem search --session finds
them. Old records of little importance lose relevance, and are dropped when the
session is nearly full.`,
		Example: `  mem session create --user ada
  mem session show sess_20260222_ada
  mem session export sess_20260222_ada --format jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	cmd.AddCommand(newSessionCreateCmd(a), newSessionListCmd(a), newSessionShowCmd(a),
		newSessionCloseCmd(a), newSessionDeleteCmd(a), newSessionStatsCmd(a),
		newSessionCompactCmd(a), newSessionRebuildCmd(a), newSessionExportCmd(a))
	return cmd
}

// run runs where no action was named.
func (o *sessionOptions) run(cmd *cobra.Command, args []string) error { return noAction(cmd, args) }

// sessionReply is the answer of the actions on a session.
type sessionReply struct {
	OK      bool   `json:"ok"`
	ID      string `json:"session_id"`
	Entries *int   `json:"entries,omitempty"`
	Damaged *int   `json:"damaged_lines,omitempty"`
	Layer   string `json:"layer,omitempty"`
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}
