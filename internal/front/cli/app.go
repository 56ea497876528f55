package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/rule/site"
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
	isHook bool        // a client's hook runs this, which an exit code would disturb
	mute   bool        // stderr has the error of the verb alone
	layer  string      // the one of two that is meant; "": both
	layers *mem.Layers // nil until a verb asks for them
	bar    *bar

	missing string // the root of a store to read that does not exist, until that is said
}

// started returns the time at which the program began.
func started() time.Time { return time.Now() }

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
