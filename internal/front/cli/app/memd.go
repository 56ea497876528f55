package app

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
)

// What the verbs of memd need beside it: a server answers many callers, and measures with the clock
// of the system.

// Person returns the caller of an operation that only a person may call. The error wraps
// policy.ErrPerson where an agent or its client calls, policy.ErrUnattended where nobody attends.
func (a *App) Person(verb mem.Verb) (mem.Caller, error) {
	return a.Caller, cmp.Or(policy.CheckPerson(a.Caller, verb),
		policy.CheckNoAgent(a.Caller, verb.String()))
}

// KeyFile returns the path of the file with the key; "" where none is named.
func (a *App) KeyFile() string { return a.Getenv(KeyFile) }

// CallerOver returns the caller over a channel: the agent that the environment names, if any.
func (a *App) CallerOver(channel string) mem.Caller {
	by := a.Caller
	by.Channel, by.Command = channel, nil // each call is a command by itself
	return by
}

// OpenAt finds the stores of a directory, as the global flags and the environment say; "" is the
// working directory. The caller closes them.
func (a *App) OpenAt(cmd *cobra.Command, dir string) (*layers.Layers, error) {
	sites, err := a.FindSites(dir)
	if err != nil {
		return nil, err
	}
	a.SaySkipped(cmd, sites)
	own := *a
	own.Quiet = true // a server shows no progress of each read
	return own.layersAt(cmd, sites)
}

// Options returns the options of a store, as the global flags say, without what shows progress.
func (a *App) Options() (mem.Options, error) {
	o, err := a.Clocks()
	if o.LockWait = a.lockTimeout; o.LockWait == 0 {
		o.LockWait = -1
	}
	return o, err
}

// SystemClock returns the system's clock, whatever --now says: for measurements.
func SystemClock() func() time.Time { return time.Now }

// Built returns the version and the commit of the program.
func (a *App) Built() (version, commit string) {
	b := WithBuildInfo(a.Build)
	return b.Version, b.Commit
}

// Level returns the level of --log-level, or a default where the flag was not given.
func (a *App) Level(cmd *cobra.Command, otherwise slog.Level) slog.Level {
	if !cmd.Flags().Changed("log-level") {
		return otherwise
	}
	return levelOf(a.LogLevel)
}
