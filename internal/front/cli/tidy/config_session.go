package tidy

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/spf13/cobra"
)

// sessionSettings runs an action on the settings of one session.
func (o *configOptions) sessionSettings(a *app.App, cmd *cobra.Command, args []string) error {
	o.session = ledger.SessionOf(o.session)
	return a.OnSession(cmd, o.session, func(s *mem.Store, _ string) error {
		if args[0] == "set" {
			changed, err := session.Configure(cmd.Context(), s, a.Caller, o.session, args[1],
				args[2])
			if err != nil {
				return err
			}
			return answerSet(a, cmd, args[1], changed)
		}
		one, err := session.Load(cmd.Context(), s, a.Caller, o.session)
		if err != nil {
			return err
		}
		list, err := session.SettingsInForce(cmd.Context(), s, one, args[1:]...)
		if err != nil {
			return err
		}
		return o.print(a, cmd, configured{list}, args[0])
	})
}
