package cli

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// command builds the tree. Where the first word names a verb only that one is built: the program is
// started once for every memory that an agent touches.
func command(a *app.App, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:           a.Build.Program,
		Short:         "keep an agent's memory as plain files",
		Version:       a.Build.Version,
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRoot(a, cmd, args)
		},

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return before(a, cmd) },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		// The parser stopped at the error: --json may come after it.
		a.JSON = a.JSON || slices.Contains(a.Args, "--json")
		return flagError(cmd, a.Args, err)
	})
	root.SetHelpFunc(printHelp)
	a.GlobalFlags(root)
	a.Flags = root.PersistentFlags()
	a.Args = expand(args, wordAt(a.Flags, args))
	name := firstWord(a.Flags, a.Args)
	a.IsHook = name == "hook"
	if cmd := verbNamed(a, name); cmd != nil {
		root.CompletionOptions.DisableDefaultCmd = true
		root.AddCommand(cmd)
		return root
	}
	addAll(a, root)
	return root
}

// addAll adds every command to the tree, with its page of help and its completion.
func addAll(a *app.App, root *cobra.Command) {
	for _, v := range verbs {
		if v.build != nil {
			cmd := v.build(a)
			cmd.GroupID, cmd.Hidden = v.group, v.group == ""
			root.AddCommand(cmd)
			completeAll(a, cmd)
		}
	}
	for _, v := range daemonVerbs {
		cmd := v.build(a)
		cmd.GroupID = v.group
		root.AddCommand(cmd)
		completeAll(a, cmd)
	}
	root.AddGroup(&cobra.Group{ID: firstPage})
	for _, group := range groups {
		root.AddGroup(&cobra.Group{ID: group.name})
	}
	completeFlags(a, root, root.PersistentFlags())
	root.AddCommand(helpTopics(root)...)
	help := newHelpCmd(a)
	help.GroupID = firstPage
	root.SetHelpCommand(help)
	root.InitDefaultCompletionCmd()
	if shells, _, err := root.Find([]string{"completion"}); err == nil && shells != root {
		shells.GroupID = "server"
		shells.Args, shells.RunE = cobra.ArbitraryArgs, noSuchShell
		for _, shell := range shells.Commands() {
			shell.Args = app.WantArgs(0, 0, "no arguments")
		}
	}
}

// before runs before every verb.
func before(a *app.App, cmd *cobra.Command) error {
	if a.Caller.Agent != "" && !hasTrait(cmd.Name(), rootless) {
		if err := journal.CheckAgent(a.Caller.Agent); err != nil {
			return err
		}
	}
	if err := app.CheckEmpty(cmd); err != nil && !a.IsHook {
		return err
	}
	if a.Served != nil {
		if err := checkServed(topWord(cmd)); err != nil {
			return err
		}
		a.Caller.Command = backend.NewCommand()
		return a.Served.Admit(a, cmd, verbOf(cmd))
	}
	a.Caller.Client, _ = hook.Caller(a.Getenv)
	a.Caller.Command = backend.NewCommand()
	a.Caller.Unattended = !a.Yes && !app.IsTerminalStream(cmd.InOrStdin()) &&
		!app.IsTerminalStream(cmd.ErrOrStderr())
	if err := a.CheckClock(verbOf(cmd)); err != nil {
		return err
	}
	if err := checkFromCopy(a, cmd); err != nil {
		return err
	}
	return handOverRemote(a, cmd)
}

func verbOf(cmd *cobra.Command) policy.Verb {
	if repair := cmd.Flags().Lookup("repair"); repair != nil && repair.Changed {
		return policy.Repair
	}
	return policy.VerbNamed(topWord(cmd))
}

// verbNamed builds the verb of a name; nil where there is none.
func verbNamed(a *app.App, name string) *cobra.Command {
	for _, v := range verbs {
		if v.name == name && v.build != nil {
			return v.build(a)
		}
	}
	for _, v := range daemonVerbs {
		if v.name == name {
			return v.build(a)
		}
	}
	return nil
}

// firstWord returns the first argument that is neither a global flag nor the value of one; "" for
// none.
func firstWord(global *pflag.FlagSet, args []string) string {
	if at := wordAt(global, args); at < len(args) {
		return args[at]
	}
	return ""
}

// wordAt returns the index of that argument; the number of arguments for none.
func wordAt(global *pflag.FlagSet, args []string) int {
	for i := 0; i < len(args); i++ {
		name, isLong := strings.CutPrefix(args[i], "--")
		short, isShort := strings.CutPrefix(args[i], "-")
		var flag *pflag.Flag
		switch {
		case isLong && name != "":
			flag = global.Lookup(name)
		case isShort && len(short) == 1:
			flag = global.ShorthandLookup(short)
		case !isShort:
			return i
		}
		if flag != nil && flag.NoOptDefVal == "" {
			i++
		}
	}
	return len(args)
}

const rootLong = `mem keeps an agent's memory as plain files. When "mem set" returns, its memory
is on disk, in an append-only log and a tree of JSON files that ls, grep and jq
can browse. "mem where" shows the stores in use here; --root or $MEM_ROOT names
another one.`

// runRoot runs when no verb was named.
func runRoot(a *app.App, cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return noSuchCommand(cmd, a.Args, args[0])
}

// handOverRemote lets memd run a verb on a store on a server.
func handOverRemote(a *app.App, cmd *cobra.Command) error {
	if !cmd.HasParent() || hasTrait(cmd.Name(), rootless) || !namesRemote(a, cmd) {
		return nil
	}
	if !a.HasDaemon() {
		err := a.HandOver(cmd.Name(), nil)
		if a.IsHook && !app.IsEnded(err) {
			return nil // the user's own memories need none
		}
		return err
	}
	return forward(a, cmd)
}

// forward runs a verb at the server of its memory, unless it is about this machine.
func forward(a *app.App, cmd *cobra.Command) error {
	top := topWord(cmd)
	at := a.ServedRoot()
	switch {
	case at.URL == "", a.Build.Verbs[top] != nil, hasTrait(top, asks):
		return nil
	case at.Project != "" && (hasTrait(top, here) || hasTrait(top, served) && a.IsOfUser(cmd)):
		return nil
	}
	if err := checkServed(top); err != nil {
		return err
	}
	return a.Build.Forward(a, cmd, at)
}

// namesRemote reports whether a verb is about a server: its root, an argument or a flag is a URL,
// or the project's store here is on one.
func namesRemote(a *app.App, cmd *cobra.Command) bool {
	if a.ServerRoot() != "" {
		return true
	}
	if f := cmd.Flags().Lookup(app.RemoteFlag); f != nil && f.Changed {
		return true
	}
	if cmd.Name() == "copy" && slices.ContainsFunc(cmd.Flags().Args(), site.IsRemote) {
		return true
	}
	return a.NamedRoot() == "" && a.Layer != site.User && site.IsNearRemote("") && a.HasRemote()
}

// topWord returns the name of the verb that a command is, or is an action of.
func topWord(cmd *cobra.Command) string {
	top, _, _ := strings.Cut(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "), " ")
	return top
}

// checkFromCopy refuses --from-copy where there is no copy that could answer. What a copy does not
// have, such as history, and writes the store itself refuses.
func checkFromCopy(a *app.App, cmd *cobra.Command) error {
	if !a.FromCopy {
		return nil
	}
	top := topWord(cmd)
	if hasTrait(top, noCopy|rootless) {
		return app.BadInput("--from-copy", top+" does not read memories", "leave it out")
	}
	if namesRemote(a, cmd) {
		return nil
	}
	return app.BadInput("--from-copy", "only a memory in PostgreSQL has a copy on this machine",
		"leave it out, or name one with --root postgres://HOST/DATABASE?space=NAME")
}
