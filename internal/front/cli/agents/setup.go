package agents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/spf13/cobra"
)

type setupOptions struct {
	check, remove, dryRun bool
	project, user, all    bool
	hooksOnly, server     bool
	agent                 string
	noAgent, bridge       bool
	capture, noCapture    bool
}

func NewSetupCmd(a *app.App) *cobra.Command {
	o := &setupOptions{}
	cmd := &cobra.Command{
		Use:   "setup [<client>...]",
		Short: "wire mem into a coding agent",
		Long: `Install mem's hooks in the settings of a coding agent, and a block of guidance
in its instructions. Everything else in these files stays, also a handler of
yours that runs mem in its own way. Backups: NAME.mem-backup at the first
change, NAME.mem-backup-1 at one that changes your edits; for files of a
project or in a git repository they are in $XDG_STATE_HOME/mem/setup.

--root goes into the hooks, which may run without the MEM_ROOT of this terminal:
all projects share that store, and what lies there counts as your own. Only a
person writes, changes or removes it; later runs keep it. They keep --agent, too,
which injects the agent's journal and core at the start of each conversation,
until --no-agent; and --bridge, until --remove, which only a person adds: at each
start it injects facts from the memory that Claude Code or Codex keeps of the
project itself. A prompt that you begin with "remember that" or "I prefer" is
stored at once, and what else prompts and commands say waits for mem approve,
unless --no-capture is given.

A client without suitable hooks gets the MCP server "mem mcp" instead; --mcp
adds it for a client with hooks. Without a client, list the state of each.

--check exits with 0 if every part is wired, and with 1 if one is missing, stale
or custom, or if a warning says that the hooks run never or twice; without a
client it is about every client on this machine. Hooks that the user of Codex
has not approved yet are wired as far as setup can do it: they are called
unapproved, and the exit code is 0; "mem doctor" has 1 for them.

Clients: ` + clientNames() + `.`,
		Example: `  mem setup
  mem setup --all
  mem setup --check
  mem setup claude-code codex --dry-run
  mem setup codex --agent ada
  mem setup codex --bridge       # also Claude Code's own memory of the project
  mem setup claude-desktop
  mem setup agents-md            # for any agent that reads AGENTS.md
  mem setup claude-code --remove`,
		Args: app.WantArgs(0, -1, "clients"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args) },
	}
	o.register(cmd)
	return cmd
}

func (o *setupOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.check, "check", false,
		"change nothing; show each part as wired, unapproved, missing, stale or custom")
	f.BoolVar(&o.remove, "remove", false, "remove the additions of setup, and nothing else")
	f.BoolVar(&o.dryRun, "dry-run", false, "change nothing; print the changes as a diff")
	f.BoolVar(&o.all, "all", false,
		"every client on this machine, in the files for all projects, or where mem is wired")
	f.BoolVar(&o.user, "user", false, "use the files for all projects (the default)")
	f.BoolVar(&o.project, "project", false,
		"use the files of this project: the nearest directory upward with .git, else this one")
	f.BoolVar(&o.hooksOnly, "hooks-only", false, "install neither guidance nor server")
	f.BoolVar(&o.server, "mcp", false,
		"also install the server \"mem mcp\", which claude-desktop, cursor, "+
			"vscode, windsurf and zed get in any case")
	app.RegisterAgent(cmd, &o.agent, "the `AGENT` whose journal and core hooks inject")
	f.BoolVar(&o.bridge, "bridge", false, "let hooks inject facts of other clients' own memories")
	f.BoolVar(&o.noAgent, "no-agent", false, "remove the agent from the hooks")
	f.BoolVar(&o.noCapture, "no-capture", false, "hooks that keep nothing of your work")
	f.BoolVar(&o.capture, "capture", false, "hooks that capture again")
}

func clientNames() string { return setup.Names(setup.Clients()) }

func (o *setupOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	if err := a.Check(); err != nil {
		return err
	}
	o.all = o.all || o.check && len(args) == 0
	if err := o.checkFlags(a, cmd, args); err != nil {
		return err
	}
	ask, err := newAsk(a, cmd)
	if err != nil {
		return err
	}
	if sites, err := a.FindSites(""); err == nil {
		a.SaySkipped(cmd, sites)
	}
	if len(args) == 0 && !o.all {
		return o.list(a, cmd, ask)
	}
	if !o.check && !o.dryRun {
		unlock, err := ask.Place.Lock()
		if err != nil {
			return fmt.Errorf("setup: %w", err)
		}
		defer unlock()
	}
	asks, err := o.requests(ask, args)
	if err != nil {
		return err
	}
	if err := o.checkPerson(a, asks); err != nil {
		return err
	}
	var changes []setup.Change // of all clients: an error in one of them changes none
	for _, ask := range asks {
		list, err := o.plan(ask)
		if err != nil {
			return o.explain(err)
		}
		changes = append(changes, list...)
	}
	if o.dryRun {
		return o.diff(a, cmd, changes)
	}
	return o.setUp(a, cmd, asks)
}

// checkPerson refuses a program what only a person decides: to remove the hooks, to widen what they
// do, and to give them another root, whose rules count as the user's in all projects.
func (o *setupOptions) checkPerson(a *app.App, asks []setup.Request) error {
	switch {
	case o.check:
		return nil
	case o.capture || o.noCapture:
		return policy.CheckPerson(a.Caller, policy.Capture)
	case o.remove || o.bridge || o.noAgent:
		return policy.CheckPerson(a.Caller, policy.Unset)
	case slices.ContainsFunc(asks, setup.ChangesAgent):
		return policy.CheckPerson(a.Caller, policy.Unset)
	case slices.ContainsFunc(asks, setup.Aims):
		return policy.CheckPerson(a.Caller, policy.Aim)
	}
	return nil
}

// checkFlags refuses flags that contradict each other.
func (o *setupOptions) checkFlags(a *app.App, cmd *cobra.Command, args []string) error {
	if o.agent != "" {
		if _, err := journal.Acting(a.Caller, o.agent); err != nil {
			return err
		}
	}
	for _, pair := range [...][2]string{{"agent", "no-agent"}, {"capture", "no-capture"},
		{"bridge", "remove"}, {"project", "user"}, {"mcp", "hooks-only"}} {
		if cmd.Flags().Changed(pair[0]) && cmd.Flags().Changed(pair[1]) {
			why := "--" + pair[0] + " and --" + pair[1] + " exclude each other"
			return app.BadInput("setup", why, "")
		}
	}
	switch {
	case o.check && (o.remove || o.dryRun):
		return app.BadInput("setup", "--check cannot be used with --remove or --dry-run", "")
	case o.all && len(args) > 0:
		return app.BadInput("setup", "--all takes no names", "")
	case len(args) == 0 && !o.all && *o != setupOptions{}:
		return app.BadInput("setup", "which client?", "want one of "+clientNames())
	}
	return nil
}

// setClient sets client and scope; "" is the client's default.
func (o *setupOptions) setClient(ask *setup.Request, name string, scope setup.Scope) error {
	if ask.Client = setup.ClientByName(name); ask.Client == nil {
		return noClient("setup", name, setup.Clients())
	}
	if o.server && ask.Client.Server.Form == setup.NoServers {
		return app.BadInput("--mcp", "mem knows no file in which "+name+" has its servers",
			"docs/mcp.md has the configuration for any client")
	}
	runs := ask.Client.HasHooks() || ask.Client.Server.Form != setup.NoServers
	if len(ask.Flags) > 0 && !runs && !o.all {
		return app.BadInput("--root",
			name+" runs neither hooks nor a server, so nothing would read that root", "")
	}
	if o.agent != "" && !ask.Client.HasHooks() && !ask.Client.Server.Always {
		return fault.Input("--agent", name+" runs no hooks, so nothing would inject its entries",
			advice.Run("read", "--format", "private", "--agent", o.agent).
				Then(" prints the entries"))
	}
	ask.Scope = cmp.Or(scope, setup.Scopes(ask.Client)[0])
	ask.Scope = setup.OwnScope(*ask)
	if o.hooksOnly {
		ask.Guidance, ask.More = nil, nil
	}
	ask.Server = o.server || ask.Client.Server.Always && !o.hooksOnly
	if o.agent != "" {
		ask.Flags = append(ask.Flags, "--agent", o.agent)
	}
	if o.noCapture {
		ask.Flags = append(ask.Flags, setup.NoCapture)
	}
	if o.bridge {
		if err := addBridge(ask, scope); err != nil {
			return err
		}
	}
	if *ask = setup.KeepFlags(*ask); o.noAgent {
		*ask = setup.WithoutAgent(*ask)
	}
	if o.capture {
		*ask = setup.WithCapture(*ask)
	}
	return nil
}

func (o *setupOptions) diff(a *app.App, cmd *cobra.Command, changes []setup.Change) error {
	var text strings.Builder
	for _, c := range changes {
		text.WriteString(c.Diff())
	}
	return a.Answer(cmd, map[string]string{"diff": text.String()}, app.Verbatim(text.String()))
}
