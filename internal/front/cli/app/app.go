package app

import (
	"fmt"
	"io"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// App is what the verbs share: the global flags, and the store they open.
type App struct {
	Build Build
	Args  []string       // the command line
	Flags *pflag.FlagSet // the global ones
	// Caller is the caller of the verb: the command line, and the agent that runs it if the
	// environment names one.
	Caller mem.Caller

	// Served is the caller's machine where that is elsewhere; nil: it is this one.
	Served *Served

	Root        string
	FromCopy    bool
	now         string
	verb        policy.Verb // that runs
	JSON        bool
	JQ          string
	Quiet       bool
	color       string
	Yes         bool // the answer to every question
	lockTimeout time.Duration
	LogLevel    string

	Began  time.Time
	Getenv func(string) string
	IsHook bool           // a client's hook runs this, which an exit code would disturb
	mute   bool           // stderr has the error of the verb alone
	Layer  string         // the one of two that is meant; "": both
	Layers *layers.Layers // nil until a verb asks for them
	Bar    *bar

	missing string // the root of a store to read that does not exist, until that is said
}

// Started returns the present time, for a program that begins with this call.
func Started() time.Time { return time.Now() }

// GlobalFlags registers the flags of every verb.
func (a *App) GlobalFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&a.Root, "root", "",
		"the memory root `DIR`, or the https:// or postgres:// URL of one")
	f.BoolVar(&a.FromCopy, "from-copy", false,
		"answer from this machine's copy of a PostgreSQL memory, with the time of that copy")
	f.StringVar(&a.Layer, "layer", "", "only this `LAYER`: user or project")
	f.StringVar(&a.now, "now", "", "use this RFC 3339 `TIME` as the current time (also $MEM_NOW)")
	f.BoolVar(&a.JSON, "json", false, "answer in JSON; errors too")
	f.StringVar(&a.JQ, "jq", "", "pass the JSON answer through this jq `FILTER`")
	f.BoolVarP(&a.Quiet, "quiet", "q", false, "print only errors and the answer")
	f.StringVar(&a.color, "color", "auto", "`WHEN` to use colours: auto, always or never")
	f.BoolVar(&a.Yes, "yes", false, "answer yes to every question, as a person's decision")
	f.DurationVar(&a.lockTimeout, "lock-timeout", mem.DefaultLockWait,
		"the longest wait for another writer")
	f.StringVar(&a.LogLevel, "log-level", "warn",
		"the `LEVEL` of stderr: error, warn, info or debug; info and debug print JSON lines")
}

// Check refuses global flags that are wrong. The error is of kind mem.KindInput.
func (a *App) Check() error {
	switch a.LogLevel {
	case "error", "warn", "info", "debug":
	default:
		return BadInput("--log-level "+a.LogLevel, "want error, warn, info or debug", "")
	}
	switch a.color {
	case "auto", "always", "never":
	default:
		return BadInput("--color "+a.color, "want auto, always or never", "")
	}
	switch a.Layer {
	case "", site.User, site.Project:
	default:
		return BadInput("--layer "+a.Layer, "want user or project", "")
	}
	if a.lockTimeout < 0 {
		return BadInput("--lock-timeout "+a.lockTimeout.String(),
			"want a time of 0 or more, like 5s", "")
	}
	if a.JQ == "" {
		return nil
	}
	// Before the verb, so that a write is not stored by a command that then fails.
	_, err := CompileJQ("--jq", a.JQ)
	return err
}

// Clocks returns the options of a store whose warnings are not shown.
func (a *App) Clocks() (mem.Options, error) {
	now, err := a.Clock()
	return mem.Options{Now: now, Clock: time.Now, Connect: a.Build.Connect,
		FromCopy: a.FromCopy}, err
}

// OwnClock returns the clock of this machine, or of the server that runs the verb.
func (a *App) OwnClock() func() time.Time {
	switch {
	case a.Served != nil:
		return a.Served.Clock
	case a.Build.Clock != nil:
		return a.Build.Clock
	}
	return time.Now
}

// Clock returns the store's now: the system's, or the one instant of --now or MEM_NOW. A hook
// answers by the clock where it may not answer at that instant: a client waits for its memories.
func (a *App) Clock() (func() time.Time, error) {
	name, text := "--now", a.now
	if text == "" {
		name, text = "MEM_NOW", a.Getenv("MEM_NOW")
	}
	clock := a.OwnClock()
	if text == "" {
		return clock, nil
	}
	ts, err := log.ParseTime(text)
	switch {
	case a.IsHook && (err != nil || ts.Time().After(clock())):
		return clock, nil
	case err != nil:
		return nil, BadInput(name, err.Error(), "")
	}
	if why := policy.WhyNotAt(a.Caller, a.verb, ts.Time(), clock()); why != "" {
		do := advice.Say("leave --now out")
		if name == "MEM_NOW" {
			do = advice.Shell("unset MEM_NOW")
		}
		return nil, fault.Input(name, why, do)
	}
	return func() time.Time { return ts.Time() }, nil
}

// CheckClock notes which operation the verb is, and refuses a time that its caller may not name.
func (a *App) CheckClock(verb policy.Verb) error {
	a.verb = verb
	_, err := a.Clock()
	return err
}

// Close closes the stores that a verb has opened.
func (a *App) Close() {
	a.Bar.finish()
	if a.Layers != nil {
		a.Layers.Close() // every acknowledged write is on disk
	}
}

// Tell prints a line on stderr that is no failure: a warning, which is a record of the log where
// that is JSON, or a hint.
func (a *App) Tell(cmd *cobra.Command, kind, msg string) {
	if kind == "warning" && a.logsJSON() {
		a.logger(cmd.ErrOrStderr()).Warn(msg)
		return
	}
	_ = a.printLine(cmd.ErrOrStderr(), kind, msg)
}

// Advise prints advice as a line on stderr.
func (a *App) Advise(cmd *cobra.Command, kind string, do advice.List) {
	a.Tell(cmd, kind, a.ForPeople(do))
}

func (a *App) printLine(stderr io.Writer, kind, msg string) error {
	a.Bar.finish()
	style := map[string]term.Style{"hint": term.Cyan, "warning": term.Yellow,
		"error": term.Red}[kind]
	begin := a.Paint(stderr, style, a.Build.Program+": "+kind+":")
	_, err := fmt.Fprintf(stderr, "%s %s\n", begin, OneLine(mem.MaskSecrets(msg)))
	return err
}

// OneLine keeps a message on its line, whatever a file name or a key put into it.
func OneLine(s string) string { return text.Line(s) }
