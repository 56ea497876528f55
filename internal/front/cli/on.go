package cli

import "github.com/spf13/cobra"

type onOptions struct{}

func newOnCmd(a *app) *cobra.Command {
	o := &onOptions{}
	return &cobra.Command{
		Use:     "on",
		Short:   "let hooks inject again in this project",
		Long:    `Turn "mem hook" on again in this project.`,
		Example: `  mem on`,
		Args:    wantArgs(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
}

func (o *onOptions) run(a *app, cmd *cobra.Command) error { return setHooks(a, cmd, false) }
