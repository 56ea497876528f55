package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/agents"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/spf13/cobra"
)

// daemonVerb is a verb that memd alone has. What mem must not link is behind it: servers and keys.
type daemonVerb struct {
	name, group, short string
	traits
}

// daemonVerbs in the order in which help lists them, of every program, without running memd.
var daemonVerbs = []daemonVerb{
	{"page", firstPage, "show the memories in the browser", 0},
	{"mcp", "agents", "give an agent without a shell its memory, over MCP", 0},
	{"sync", "stores", "exchange your memory with your other machines", noCopy},
	{"backup", "stores", "give a depot an encrypted copy of all your memory", noCopy},
	{"restore", "stores", "bring what mem backup gave a depot to this machine", noCopy},
	{"serve", "server", "serve memories to many agents over HTTP", noCopy},
	{"space", "server", "make and list the memories of a PostgreSQL database", noCopy},
	{"token", "server", "make, list and revoke tokens for callers over the network", noCopy},
	{"key", "server", "make the key that seals records of sensitivity high", noCopy},
	{"depot", "server", "serve a depot of mem sync over standard input and output", noCopy},
}

// DaemonVerbs returns the names of the verbs that memd alone has.
func DaemonVerbs() (names []string) {
	for _, v := range daemonVerbs {
		names = append(names, v.name)
	}
	return names
}

// build returns the command: the program's own, or one that hands over to memd.
func (v daemonVerb) build(a *app.App) *cobra.Command {
	if own := a.Build.Verbs[v.name]; own != nil {
		cmd := own(a)
		cmd.Short = v.short
		return cmd
	}
	cmd := &cobra.Command{
		Use:   v.name,
		Short: v.short,
		Long: fmt.Sprintf(`%s is a verb of memd. mem runs the file memd in its own directory, of the
same version, and never one from the PATH.`, v.name),
		Example:            "  mem " + v.name + " --help",
		DisableFlagParsing: true, // the flags are memd's
		Args:               cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.HandOver(v.name, nil)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) (
			[]cobra.Completion, cobra.ShellCompDirective) {
			if app.Replaces { // else both would answer the shell
				_ = a.HandOver(v.name, nil)
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { v.help(a, cmd) })
	return cmd
}

// help runs the help of memd; without memd it prints the short text and the reason.
func (v daemonVerb) help(a *app.App, cmd *cobra.Command) {
	var missing *fault.Fault
	if errors.As(a.HandOver(cmd.Name(), nil), &missing) {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s.\n\n%s\n\nNow %s: %s.\n", v.name, v.short, cmd.Long,
			missing.Why, missing.Do)
	}
}

// Doctor returns what says whether all is well, as the verb doctor does: of the stores that are in
// use here, and of the machine.
func Doctor(a *app.App, cmd *cobra.Command) func(context.Context) []doctor.Check {
	return func(context.Context) []doctor.Check {
		own := *a
		return agents.HereChecks(&own, cmd)
	}
}
