package cli

import (
	"github.com/set-memory/mem/internal/base/text"
	"github.com/spf13/cobra"
)

// noAction runs where a verb with actions is called without one, or with none of them.
func noAction(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	err := &usage{what: named(cmd) + " " + args[0], why: "no such action",
		do: helpOf(cmd, " lists them")}
	var names []string
	for _, action := range cmd.Commands() {
		names = append(names, action.Name())
	}
	if near := text.Nearest(args[0], names); near != "" {
		err.do = runAgain(didYouMean, cmd, near)
	}
	return err
}
