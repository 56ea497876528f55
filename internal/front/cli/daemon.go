package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/ledger"
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
	{"serve", "server", "serve memories to many agents over HTTP", noCopy},
	{"space", "server", "make and list the memories of a PostgreSQL database", noCopy},
	{"token", "server", "make, list and revoke tokens for callers over the network", noCopy},
	{"key", "server", "make the key that seals records of sensitivity high", noCopy},
}

// DaemonVerb returns what help says in a line of a verb that memd alone has.
func DaemonVerb(name string) string {
	for _, v := range daemonVerbs {
		if v.name == name {
			return v.short
		}
	}
	return ""
}

// DaemonVerbs returns the names of the verbs that memd alone has.
func DaemonVerbs() (names []string) {
	for _, v := range daemonVerbs {
		names = append(names, v.name)
	}
	return names
}

// build returns the command: the program's own, or one that hands over to memd.
func (v daemonVerb) build(a *app) *cobra.Command {
	if own := a.build.Verbs[v.name]; own != nil {
		return own(&Host{a})
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
			return handOver(a, v.name, nil)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) (
			[]cobra.Completion, cobra.ShellCompDirective) {
			if replaces { // else both would answer the shell
				_ = handOver(a, v.name, nil)
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { v.help(a, cmd) })
	return cmd
}

// help runs the help of memd; without memd it prints the short text and the reason.
func (v daemonVerb) help(a *app, cmd *cobra.Command) {
	var missing *usage
	if errors.As(handOver(a, cmd.Name(), nil), &missing) {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s.\n\n%s\n\nNow %s: %s.\n", v.name, v.short, cmd.Long,
			missing.why, missing.hint)
	}
}

// Host is what the verbs of a program share with those of this package: the global flags, and how
// answers are printed.
type Host struct{ app *app }

// Person returns the caller of an operation that only a person may call. The error wraps
// policy.ErrPerson where an agent or its client calls, policy.ErrUnattended where nobody attends.
func (h *Host) Person(verb mem.Verb) (mem.Caller, error) {
	return caller, cmp.Or(policy.CheckPerson(caller, verb),
		policy.CheckNoAgent(caller, verb.String()))
}

// Doctor returns what says whether all is well, as the verb doctor does: of the stores that are in
// use here, and of the machine.
func (h *Host) Doctor(cmd *cobra.Command) func(context.Context) []doctor.Check {
	return func(context.Context) []doctor.Check {
		own := *h.app
		return hereChecks(&own, cmd)
	}
}

// KeyFile returns the path of the file with the key; "" where none is named.
func (h *Host) KeyFile() string { return h.app.getenv(keyFile) }

// Inbox returns the inbox of this person.
func (h *Host) Inbox() *inbox.Inbox { return inboxOf(h.app) }

// Root returns the root that --root names; "" for none.
func (h *Host) Root() string { return h.app.root }

// ServerRoot returns the URL that --root names, or else MEM_ROOT; "" where neither is one.
func (h *Host) ServerRoot() string { return h.app.serverRoot() }

// Check refuses global flags that are wrong. The error is of kind mem.KindInput.
func (h *Host) Check() error { return h.app.checkGlobals() }

// Caller returns the caller over a channel: the agent that the environment names, if any.
func (h *Host) Caller(channel string) mem.Caller {
	by := caller
	by.Channel, by.Command = channel, nil // each call is a command by itself
	return by
}

// Layers finds the stores of a directory, as the global flags and the environment say; "" is the
// working directory. The caller closes them.
func (h *Host) Layers(cmd *cobra.Command, dir string) (*layers.Layers, error) {
	sites, err := findSites(h.app, dir)
	if err != nil {
		return nil, err
	}
	saySkipped(h.app, cmd, sites)
	own := *h.app
	own.quiet = true // a server shows no progress of each read
	return layersAt(&own, cmd, sites)
}

// Keys returns what seals and opens in these stores; nil without error where no key is named.
func (h *Host) Keys(l *layers.Layers) (ledger.Keys, error) { return keysFor(h.app, l) }

// Options returns the options of a store, as the global flags say, without what shows progress.
func (h *Host) Options() (mem.Options, error) {
	o, err := h.app.clocks()
	if o.LockWait = h.app.lockTimeout; o.LockWait == 0 {
		o.LockWait = -1
	}
	return o, err
}

// Clock returns the system's clock, whatever --now says: for measurements.
func (h *Host) Clock() func() time.Time { return time.Now }

// Build returns the version and the commit of the program.
func (h *Host) Build() (version, commit string) {
	b := withBuildInfo(h.app.build)
	return b.Version, b.Commit
}

// Level returns the level of --log-level, or a default where the flag was not given.
func (h *Host) Level(cmd *cobra.Command, otherwise slog.Level) slog.Level {
	if !cmd.Flags().Changed("log-level") {
		return otherwise
	}
	return logLevels[h.app.logLevel]
}

// AsJSON reports whether the answer is to be JSON.
func (h *Host) AsJSON() bool { return h.app.asJSON() }

// Quiet reports whether --quiet was given: only answers and errors are printed.
func (h *Host) Quiet() bool { return h.app.quiet }

// Print prints an answer as JSON, or what --jq makes of it.
func (h *Host) Print(cmd *cobra.Command, v any) error { return h.app.printValue(cmd, v) }

// Warn prints a warning.
func (h *Host) Warn(cmd *cobra.Command, msg string) { h.app.tell(cmd, "warning", msg) }

// Args returns a check of the number of arguments, where most -1 is any number; what names them in
// plain words.
func Args(least, most int, what string) cobra.PositionalArgs { return wantArgs(least, most, what) }

// BadInput returns an error of kind mem.KindInput, with what to do; hint "": nobody knows.
func BadInput(what, why, hint string) error {
	return &usage{what: what, why: why, hint: hint}
}

// Compact compacts the store below a root in a child process, if that is due or always, and waits
// for it; the child is stopped when ctx ends. The error has what the child said.
func (h *Host) Compact(ctx context.Context, root string, always bool) (done bool, err error) {
	cmd := compactCommand(root)
	if cmd == nil {
		return false, errors.New("compact: the path of this program is unknown")
	}
	said, answered := &head{}, &head{}
	cmd.Args = append(cmd.Args, "--json", fmt.Sprintf("--if-needed=%t", !always))
	cmd.Stderr, cmd.Stdout = said, answered
	if err := cmd.Start(); err != nil {
		return false, err
	}
	if !always { // else somebody waits for it
		lowerPriority(cmd.Process)
	}
	// A killed compaction leaves a store that the next compaction, or the next writer, repairs.
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	if err := cmd.Wait(); err != nil {
		return false, fmt.Errorf("%w: %s", err, bytes.TrimSpace(said.text))
	}
	var report mem.CompactReport
	err = json.Unmarshal(answered.text, &report)
	return report.Done, err
}

// head keeps the beginning of an output, for a message.
type head struct{ text []byte }

// Write keeps what fits.
func (t *head) Write(b []byte) (int, error) {
	t.text = append(t.text, b[:min(len(b), maxSaid-len(t.text))]...)
	return len(b), nil
}

// maxSaid is how many bytes of what a child says are kept.
const maxSaid = 1 << 10
