package cli

import (
	"io"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
)

type promptOptions struct{}

func newPromptCmd(a *app) *cobra.Command {
	o := &promptOptions{}
	return &cobra.Command{
		Use:   "prompt",
		Short: "print what a system prompt says about mem",
		Long: `Print the part of a system prompt that teaches an agent to use mem through its
shell: when to note something down, and when not, how to search, and how to forget. It needs no
store.`,
		Example: `  mem prompt >> AGENTS.md
  mem prompt --jq .tokens`,
		Args: wantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
}

func (o *promptOptions) run(a *app, cmd *cobra.Command) error {
	if err := a.checkGlobals(); err != nil {
		return err
	}
	if !a.asJSON() {
		_, err := io.WriteString(cmd.OutOrStdout(), readout.Prompt)
		return err
	}
	return a.printValue(cmd, mem.NewPromptReply())
}
