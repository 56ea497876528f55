package agents

import (
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/spf13/cobra"
)

type onOptions struct{}

func NewOnCmd(a *app.App) *cobra.Command {
	o := &onOptions{}
	return &cobra.Command{
		Use:     "on",
		Short:   "let hooks inject again in this project",
		Long:    `Turn "mem hook" on again in this project.`,
		Example: `  mem on`,
		Args:    app.WantArgs(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
}

func (o *onOptions) run(a *app.App, cmd *cobra.Command) error { return setHooks(a, cmd, false) }
