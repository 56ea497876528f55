package records

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/erase"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/spf13/cobra"
)

type sessionDeleteOptions struct {
	reason string
	purge  bool
}

func newSessionDeleteCmd(a *app.App) *cobra.Command {
	o := &sessionDeleteOptions{}
	cmd := &cobra.Command{
		Use:   "delete <id>",
		Short: "delete a session with its records",
		Long: `Delete a session and its records in one write. The history keeps them, and the
id is never reused. --purge removes every version from the history, as mem
forget --purge does, also for a session that was deleted before; at a terminal
it asks first.`,
		Example: `  mem session delete sess_20260222_ada
  mem session delete sess_20260222_ada --purge --reason 'asked to'`,
		Args: app.WantArgs(1, 1, "the id of a session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.reason, "reason", "", "the reason, kept in the tombstones: a `TEXT`")
	f.BoolVar(&o.purge, "purge", false, "remove every version from the history for good")
	return cmd
}

func (o *sessionDeleteOptions) run(a *app.App, cmd *cobra.Command, id string) error {
	if o.purge {
		if _, err := session.KeyOf(id); err != nil {
			return err
		}
		return erase.PurgeSession(a, cmd, id, o.reason)
	}
	return a.OnSession(cmd, id, func(s *mem.Store, layer string) error {
		n, err := session.Delete(cmd.Context(), s, a.Caller, id, o.reason)
		if err != nil {
			return err
		}
		return a.Answer(cmd, sessionReply{OK: true, ID: id, Entries: &n, Layer: layer},
			app.Report(id+" deleted, with "+entries(n)))
	})
}
