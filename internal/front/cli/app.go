package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// caller is the caller of every verb: the command line, and the agent that runs it if the
// environment names one.
var caller = mem.Caller{Channel: "cli", Agent: os.Getenv("MEM_AGENT")}

// app is what the verbs share: the global flags, and the store they open.
type app struct {
	build Build
	args  []string       // the command line
	flags *pflag.FlagSet // the global ones

	root        string
	fromCopy    bool
	now         string
	json        bool
	jq          string
	quiet       bool
	color       string
	yes         bool // the answer to every question
	lockTimeout time.Duration
	logLevel    string

	began  time.Time
	getenv func(string) string
	isHook bool           // a client's hook runs this, which an exit code would disturb
	mute   bool           // stderr has the error of the verb alone
	layer  string         // the one of two that is meant; "": both
	layers *layers.Layers // nil until a verb asks for them
	bar    *bar

	missing string // the root of a store to read that does not exist, until that is said
}

// command builds the tree. Where the first word names a verb only that one is built: the program is
// started once for every memory an agent touches, and most of its time would go into commands that
// are not run.
func (a *app) command(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:           a.build.Program,
		Short:         "keep an agent's memory as plain files",
		Version:       a.build.Version,
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          a.runRoot,

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return before(a, cmd) },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		// The parser stopped at the error: --json may come after it.
		a.json = a.json || slices.Contains(a.args, "--json")
		return flagError(cmd, a.args, err)
	})
	root.SetHelpFunc(printHelp)
	a.globalFlags(root)
	a.flags = root.PersistentFlags()
	a.args = expand(args, wordAt(a.flags, args))
	name := firstWord(a.flags, a.args)
	a.isHook = name == "hook"
	if cmd := verbNamed(a, name); cmd != nil {
		root.CompletionOptions.DisableDefaultCmd = true
		root.AddCommand(cmd)
		return root
	}
	a.addAll(root)
	return root
}

// addAll adds every command to the tree, with its page of help and its completion.
func (a *app) addAll(root *cobra.Command) {
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
			shell.Args = wantArgs(0, 0, "no arguments")
		}
	}
}

// started returns the time at which the program began.
func started() time.Time { return time.Now() }

// before runs before every verb.
func before(a *app, cmd *cobra.Command) error {
	if caller.Agent != "" && !hasTrait(cmd.Name(), rootless) {
		if err := journal.CheckAgent(caller.Agent); err != nil {
			return err
		}
	}
	if err := checkEmpty(cmd); err != nil && !a.isHook {
		return err
	}
	caller.Client, _ = hook.Caller(a.getenv)
	caller.Command = backend.NewCommand()
	caller.Unattended = !a.yes && !isTerminalStream(cmd.InOrStdin()) &&
		!isTerminalStream(cmd.ErrOrStderr())
	if err := checkFromCopy(a, cmd); err != nil {
		return err
	}
	return remote(a, cmd)
}

// verbNamed builds the verb of a name; nil where there is none.
func verbNamed(a *app, name string) *cobra.Command {
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

func (a *app) globalFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&a.root, "root", "", "the memory root `DIR`, or the postgres:// URL of one")
	f.BoolVar(&a.fromCopy, "from-copy", false,
		"answer from this machine's copy of a PostgreSQL memory, with the time of that copy")
	f.StringVar(&a.layer, "layer", "", "only this `LAYER`: user or project")
	f.StringVar(&a.now, "now", "", "use this RFC 3339 `TIME` as the current time (also $MEM_NOW)")
	f.BoolVar(&a.json, "json", false, "answer in JSON; errors too")
	f.StringVar(&a.jq, "jq", "", "pass the JSON answer through this jq `FILTER`")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print only errors and the answer")
	f.StringVar(&a.color, "color", "auto", "`WHEN` to use colours: auto, always or never")
	f.BoolVar(&a.yes, "yes", false, "answer yes to every question, as a person's decision")
	f.DurationVar(&a.lockTimeout, "lock-timeout", mem.DefaultLockWait,
		"the longest wait for another writer")
	f.StringVar(&a.logLevel, "log-level", "warn",
		"the `LEVEL` of stderr: error, warn, info or debug; info and debug print JSON lines")
}

// runRoot runs when no verb was named.
func (a *app) runRoot(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return noSuchCommand(cmd, a.args, args[0])
}

func (a *app) checkGlobals() error {
	switch a.logLevel {
	case "error", "warn", "info", "debug":
	default:
		return &usage{what: "--log-level " + a.logLevel, why: "want error, warn, info or debug"}
	}
	switch a.color {
	case "auto", "always", "never":
	default:
		return &usage{what: "--color " + a.color, why: "want auto, always or never"}
	}
	switch a.layer {
	case "", site.User, site.Project:
	default:
		return &usage{what: "--layer " + a.layer, why: "want user or project"}
	}
	if a.lockTimeout < 0 {
		return &usage{
			what: "--lock-timeout " + a.lockTimeout.String(),
			why:  "want a time of 0 or more, like 5s",
		}
	}
	if a.jq == "" {
		return nil
	}
	// Before the verb, so that a write is not stored by a command that then fails.
	_, err := compileJQ("--jq", a.jq)
	return err
}

// clocks returns the options of a store whose warnings are not shown.
func (a *app) clocks() (mem.Options, error) {
	now, err := a.clock()
	return mem.Options{Now: now, Clock: time.Now, Connect: a.build.Connect,
		FromCopy: a.fromCopy}, err
}

// clock returns the store's now: the system's, or the one instant of --now or MEM_NOW.
func (a *app) clock() (func() time.Time, error) {
	name, text := "--now", a.now
	if text == "" {
		name, text = "MEM_NOW", a.getenv("MEM_NOW")
	}
	if text == "" {
		return time.Now, nil
	}
	ts, err := log.ParseTime(text)
	if err != nil {
		return nil, &usage{what: name, why: err.Error()}
	}
	return func() time.Time { return ts.Time() }, nil
}

func (a *app) close() {
	a.bar.finish()
	if a.layers != nil {
		a.layers.Close() // every acknowledged write is on disk
	}
}

// tell prints a line on stderr that is no failure: a warning, which is a record of the log where
// that is JSON, or a hint.
func (a *app) tell(cmd *cobra.Command, kind, msg string) {
	if kind == "warning" && logsJSON(a) {
		logger(a, cmd.ErrOrStderr()).Warn(msg)
		return
	}
	_ = printLine(a, cmd.ErrOrStderr(), kind, msg)
}

// advise prints advice as a line on stderr.
func (a *app) advise(cmd *cobra.Command, kind string, do advice.List) {
	a.tell(cmd, kind, forPeople(a, do))
}

// printLine prints a message of some kind on a line of its own.
func printLine(a *app, stderr io.Writer, kind, msg string) error {
	a.bar.finish()
	style := map[string]term.Style{"hint": term.Cyan, "warning": term.Yellow,
		"error": term.Red}[kind]
	begin := paint(a, stderr, style, a.build.Program+": "+kind+":")
	_, err := fmt.Fprintf(stderr, "%s %s\n", begin, oneLine(mem.MaskSecrets(msg)))
	return err
}

// oneLine keeps a message on its line, whatever a file name or a key put into it.
func oneLine(s string) string { return text.Line(s) }
