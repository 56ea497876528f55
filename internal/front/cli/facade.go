package cli

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/spf13/cobra"
)

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
func (h *Host) Layers(cmd *cobra.Command, dir string) (*mem.Layers, error) {
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
func (h *Host) Keys(l *mem.Layers) (ledger.Keys, error) { return keysFor(h.app, l) }

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
