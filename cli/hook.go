package cli

import (
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/agents"
	"github.com/set-memory/mem/hook"
	"github.com/spf13/cobra"
)

type hookOptions struct{}

func newHookCmd(a *app) *cobra.Command {
	o := &hookOptions{}
	return &cobra.Command{
		Use:   "hook <client>",
		Short: "answer a hook of a coding agent",
		Long: `Read a hook's JSON on standard input and print what the model is to be told: at
the start of a conversation what matters most, at a prompt what is relevant to it and was not
told before. Clients run this, "mem setup" tells them to. It prints that answer or nothing,
takes 300 ms at most, and its exit code is always 0. Why there is no answer is told with
--log-level debug.

Clients: ` + hookClients() + `.`,
		Example: `  echo '{"hook_event_name":"SessionStart","cwd":"."}' | mem hook claude-code
  mem injections`,
		Args: wantArgs(1, 1, "one client: "+hookClients()),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
}

func hookClients() string { return agents.Names(agents.WithHooks()) }

func (o *hookOptions) run(a *app, cmd *cobra.Command, name string) error {
	client := agents.ByName(name)
	if client == nil || !client.HasHooks() {
		return &usage{
			what: "hook " + name, why: "no such client",
			hint: "want one of " + hookClients(),
		}
	}
	opts, err := a.clocks()
	if err != nil {
		return err
	}
	h := &hook.Hook{Client: client, Deadline: hookDeadline(a.getenv)}
	h.Open = func(dir string) (*hook.View, error) {
		// What is not used is no matter for the model: doctor shows it.
		at, err := mem.Locate(a.root, dir, a.getenv)
		if err != nil {
			return nil, err
		}
		s, err := mem.Open(at.Root, opts)
		return &hook.View{Store: s}, err
	}
	if a.logLevel == "debug" {
		h.Debug = func(msg string) { a.tell(cmd, "debug", msg) }
	}
	h.Run(cmd.InOrStdin(), cmd.OutOrStdout())
	return nil
}

// hookDeadline returns what $MEM_HOOK_DEADLINE says, if it says a time. It is for the tests, which
// must answer the same on a busy machine. $MEM_NOW does not matter: it may be left over, and it is
// a person who waits.
func hookDeadline(getenv func(string) string) time.Duration {
	d, err := time.ParseDuration(getenv("MEM_HOOK_DEADLINE"))
	if err != nil || d <= 0 {
		return hook.Deadline
	}
	return d
}
