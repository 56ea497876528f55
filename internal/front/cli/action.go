package cli

import "github.com/spf13/cobra"

// noAction runs where a verb with actions is called without one, or with none of them.
func noAction(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	err := &usage{what: named(cmd) + " " + args[0], why: "no such action",
		hint: cmd.CommandPath() + " --help lists them"}
	var names []string
	for _, action := range cmd.Commands() {
		names = append(names, action.Name())
	}
	if near := nearest(args[0], names); near != "" {
		err.hint = "did you mean " + cmd.CommandPath() + " " + near
	}
	return err
}
