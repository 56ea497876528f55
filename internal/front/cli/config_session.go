package cli

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/spf13/cobra"
)

// sessionSettings runs an action on the settings of one session.
func (o *configOptions) sessionSettings(a *app, cmd *cobra.Command, args []string) error {
	return onSession(a, cmd, o.session, func(s *mem.Store, _ string) error {
		if args[0] == "set" {
			changed, err := session.Configure(cmd.Context(), s, caller, o.session, args[1], args[2])
			if err != nil {
				return err
			}
			return answerSet(a, cmd, args[1], changed)
		}
		one, err := session.Load(cmd.Context(), s, caller, o.session)
		if err != nil {
			return err
		}
		var ans configured
		if args[0] == "list" {
			if ans.Settings, err = session.SettingsInForce(cmd.Context(), s, one); err != nil {
				return err
			}
			return o.printList(a, cmd, ans)
		}
		x, err := session.FindSetting(cmd.Context(), s, one, args[1])
		if err != nil {
			return err
		}
		ans.Settings = append(ans.Settings, x)
		return o.printEach(a, cmd, ans)
	})
}
