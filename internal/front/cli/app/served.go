package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Served is the caller's machine, as far as it came with a request, of a verb that a server runs.
// What the verb lacks is noted in Want, and from then on nothing is written.
type Served struct {
	Request *wire.Request
	Store   *mem.Store // at Request.Root
	Keys    ledger.Keys
	Clock   func() time.Time // of the server; a caller's --now is not later
	Long    func() error     // waits until a verb may print more than much; nil: it may

	Want    *wire.Want
	cmd     *cobra.Command // the verb, once it was admitted
	printed wire.Pieces
	bytes   int
	stop    context.CancelCauseFunc
}

// errWanted ends a verb that wants something of its caller.
var errWanted = errors.New("the caller is asked for it first")

// Context returns the context in which the verb runs.
func (s *Served) Context(ctx context.Context) context.Context {
	ctx, s.stop = context.WithCancelCause(ctx)
	return ctx
}

// Close ends the context.
func (s *Served) Close() { s.stop(nil) }

// want notes what a verb lacks, and returns the error that ends it.
func (s *Served) want(w wire.Want) error {
	if s.Want == nil {
		s.Want = &w
	}
	s.stop(errWanted)
	return errWanted
}

// confirm has the caller ask a question. The answer counts for the question, and for the lines
// shown before it, which about identifies: the verb runs again with the answer, and may find
// something else.
func (s *Served) confirm(yes bool, question, about string) error {
	switch {
	case !yes:
		return s.want(wire.Want{Question: question, About: about})
	case s.Request.Yes && s.Request.About != about:
		return mem.ErrUnseen
	}
	return nil
}

// IsAnswered reports whether a verb runs again with the answer to its question, at a server.
func (a *App) IsAnswered() bool { return a.Served != nil && a.Served.Request.Yes }

// Edited returns what a person made of the text of a memory in an editor.
func (s *Served) Edited(text []byte, rec log.Record) (*wire.Draft, error) {
	if s.Request.Draft == nil {
		return nil, s.want(wire.Want{Draft: &wire.Draft{Text: text, Of: rec.TS}})
	}
	return s.Request.Draft, nil
}

// Variables returns the names of the variables that go with a request: those that say how to print,
// at which time, and which agent and client run the verb.
var Variables = sync.OnceValue(func() []string {
	names := []string{"MEM_NOW", "NO_COLOR", "TERM", "LOGNAME", "USER", "USERNAME",
		setup.AgentVariable}
	for _, sign := range setup.Signs {
		names = append(names, sign.Variable, sign.Session)
	}
	return names
})

// Getenv returns a variable of the caller's environment, if it is one of Variables: others name
// files.
func (s *Served) Getenv(name string) string {
	switch {
	case name == "MEM_ROOT":
		return s.Request.Root
	case slices.Contains(Variables(), name):
		return s.Request.Env[name]
	}
	return ""
}

// Stdin returns standard input of the caller.
func (s *Served) Stdin() io.Reader { return &servedInput{served: s} }

type servedInput struct {
	served *Served
	text   io.Reader
}

// Read reads; a text that did not come with the request is wanted.
func (in *servedInput) Read(p []byte) (int, error) {
	if in.text == nil {
		f, err := in.served.open(wire.Stdin)
		if err != nil {
			return 0, err
		}
		in.text = f
	}
	return in.text.Read(p)
}

// IsTerminal reports whether a person can be asked.
func (in *servedInput) IsTerminal() bool { return in.served.Request.Attended }

// errUngiven is the error of a verb that does not declare the form of what it reads.
var errUngiven = errors.New("no flag or argument of the verb is declared to give this text")

func (s *Served) open(name string) (io.ReadCloser, error) {
	if !IsGiven(s.cmd, name) {
		return nil, errUngiven // its caller would refuse it
	}
	if why, failed := s.Request.Unread[name]; failed {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New(why)}
	}
	text, ok := s.Request.Files[name]
	if !ok {
		return nil, s.want(wire.Want{File: name})
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

// Screen is standard output or standard error of a caller elsewhere.
type Screen struct {
	served *Served
	isErr  bool
	width  int // of the terminal; 0 for none
}

// Screens returns both.
func (s *Served) Screens() (stdout, stderr *Screen) {
	return &Screen{s, false, s.Request.Out}, &Screen{s, true, s.Request.Err}
}

// much is how many bytes a verb prints before it waits for [Served.Long].
const much = 1 << 20

// errLongAnswer is returned to a verb that prints more than an answer over HTTP may have.
var errLongAnswer = errors.New("the answer is longer than 64 MiB")

// Write keeps what a verb prints, in the order of both outputs.
func (s *Screen) Write(p []byte) (int, error) {
	to := s.served
	if to.bytes += len(p); to.bytes > wire.MaxAnswer && !s.isErr {
		return 0, errLongAnswer
	}
	if wait := to.Long; wait != nil && to.bytes > much {
		if err := wait(); err != nil {
			return 0, err
		}
		to.Long = nil
	}
	to.printed.Add(s.isErr, p)
	return len(p), nil
}

// IsTerminal reports whether it is one.
func (s *Screen) IsTerminal() bool { return s.width > 0 }

// ofMachine annotates a flag that is about files of the machine.
const ofMachine = "of-machine"

// OfMachine says of flags that no server takes them from a caller elsewhere.
func OfMachine(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		if err := cmd.Flags().SetAnnotation(name, ofMachine, []string{}); err != nil {
			panic(err) // there is no such flag
		}
	}
}

func isOfMachine(f *pflag.Flag) bool {
	_, is := f.Annotations[ofMachine]
	return is
}

// Admit prepares a verb that a server runs: its root is that of the request, whatever the command
// line says. The error is of kind mem.KindInput for a flag that is about the machine.
func (s *Served) Admit(a *App, cmd *cobra.Command, verb policy.Verb) (err error) {
	s.cmd = cmd
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if isOfMachine(f) && err == nil {
			err = BadInput("--"+f.Name, "it is about files of the server",
				"run it on the machine of the server")
		}
	})
	if err != nil {
		return err
	}
	if a.JQ != "" { // the caller's machine parses and runs the filter, which may need any memory
		a.JSON, a.JQ = true, ""
	}
	if err := a.Check(); err != nil {
		return err
	}
	if a.Root != "" {
		a.Root = s.Request.Root
	}
	switch {
	case a.WantsLog():
		return BadInput("--log-level "+a.LogLevel, "the log is the server's", "")
	case a.Layer == site.Project && s.Request.Project != "":
		a.Layer = ""
	case a.Layer != "":
		return BadInput("--layer", "the memory behind a server has no layers", "")
	case a.FromCopy:
		return BadInput("--from-copy", "there is no copy of it on this machine", "")
	}
	if err := s.setClock(a, cmd, verb); err != nil {
		return err
	}
	a.Yes = a.Yes || s.Request.Yes
	a.Caller.Unattended = !a.Yes && !s.Request.Attended
	a.Layers = layers.At(s.Request.Root, s.Request.Project, s.Store)
	a.Bar = NewBar(io.Discard, true)
	return nil
}

// setClock lets the verb run as of the instant that its caller names, if any, and shows the caller
// its warnings. A project's memory takes no personal keys.
func (s *Served) setClock(a *App, cmd *cobra.Command, verb policy.Verb) error {
	var o mem.Options
	a.LogTo(cmd, &o)
	var belongs func(keypath.Key) error
	if s.Request.Project != "" {
		belongs = policy.CheckTeam
	}
	if a.now+a.Getenv("MEM_NOW") == "" {
		s.Store = s.Store.For(s.Store.Now, o.Warn, belongs)
		return nil
	}
	if err := a.CheckClock(verb); err != nil {
		return err
	}
	now, _ := a.Clock()
	a.Caller.Now = log.StampOf(now())
	s.Store = s.Store.For(now, o.Warn, belongs)
	return nil
}

// Reply returns the answer of a verb that ended with an error. A refusal that a person could
// overcome wants the token of one, where somebody attends to the call.
func (s *Served) Reply(exit int, err error) wire.Reply {
	client, _ := hook.Caller(s.Getenv)
	if s.Want == nil && errors.Is(err, policy.ErrPerson) && s.Request.Attended && client == "" {
		s.Want = &wire.Want{Person: true}
	}
	return wire.Reply{Exit: exit, Printed: s.printed, Want: s.Want}
}
