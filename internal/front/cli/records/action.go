package records

import (
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/spf13/cobra"
)

// noAction runs where a verb with actions is called without one, or with none of them.
func noAction(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	do := app.HelpOf(cmd, " lists them")
	var names []string
	for _, action := range cmd.Commands() {
		names = append(names, action.Name())
	}
	if near := text.Nearest(args[0], names); near != "" {
		do = app.RunAgain(app.DidYouMean, cmd, near)
	}
	return fault.Input(app.Named(cmd)+" "+args[0], "no such action", do)
}
