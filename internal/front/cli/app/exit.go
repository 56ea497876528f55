package app

// What mem prints when something is wrong, and its exit code.
//
//   - One line on stderr: "mem: what: why", lower case, no full stop, no stack trace. A batch has
//     one line for each bad line of it.
//   - Where a next step is known, a second line: "mem: hint: ...", a command that works as printed
//     or a plain sentence.
//   - With --json the same as {"error":{"code","message","hint"}} on stderr; of a batch that ended
//     in the middle also "stored" and "total", in lines.
//   - Nothing on stdout, but for the newest envelope when a compare-and-set was lost, and the
//     answer to a note that was refused as a secret or a text that no journal takes.

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/spf13/cobra"
)

// Hinted returns an error of another package with advice that suits the verb better.
func Hinted(err error, do advice.List) error { return &fault.Fault{Err: err, Do: do} }

// Resumable adds to the error of a command of several steps, on a full disk, how to go on.
func Resumable(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return Hinted(err, advice.Say("the disk is full; the same command does the rest"))
	}
	return err
}

// PartlyStored adds to the error of a batch that ended in the middle how the rest gets stored.
func PartlyStored(err error, hint string) error {
	if errors.As(err, new(*mem.PartialError)) {
		return Hinted(err, advice.Say(hint))
	}
	return err
}

// ErrNo is returned by a verb whose answer, already printed, is no.
var ErrNo = errors.New("no")

// Report prints an error and returns the exit code.
func (a *App) Report(stdout, stderr io.Writer, err error) int {
	if err == nil {
		return mem.KindDone.ExitCode()
	}
	if errors.Is(err, ErrNo) {
		return mem.KindNo.ExitCode()
	}
	if other := (*ended)(nil); errors.As(err, &other) {
		return other.code
	}
	var lost *mem.ConflictError
	if errors.As(err, &lost) && !lost.Newest.Key.IsZero() &&
		policy.Permits(a.Caller, lost.Newest.Key) {
		fmt.Fprintf(stdout, "%s\n", lost.Newest.Line)
	}
	a.logFailure(stderr, err)
	f := mem.FailureOf(err)
	f.Message, f.Hint = Message(err), a.ForPeople(mem.AdviceOf(err))
	a.writeFailure(stderr, f)
	a.writeStack(stderr, err)
	return f.Code.ExitCode()
}

// HelpOf returns the advice to look at the help of a command.
func HelpOf(cmd *cobra.Command, then string) advice.List {
	return RunAgain(advice.List{{}}, cmd, "--help").Then(then)
}

// RunAgain adds the command that runs to the last clause of advice, with another argument.
func RunAgain(do advice.List, cmd *cobra.Command, arg string) advice.List {
	program, verb, _ := strings.Cut(cmd.CommandPath(), " ")
	if program != "mem" || verb == "" {
		return do.Then(cmd.CommandPath() + " " + arg)
	}
	return do.Run(verb, arg)
}

// ForPeople returns advice as the command line prints it: without secrets, and with commands that
// work as printed. A program in the place of a person is not advised to overrule a refusal.
func (a *App) ForPeople(do advice.List) string {
	if !policy.IsPerson(a.Caller) {
		do = do.ForPrograms()
	}
	return mem.MaskSecrets(do.As(a.Typed()))
}

// Typed returns how the program is typed in a hint, with the root that was given by the flag.
func (a *App) Typed() string {
	if a.Root == "" {
		return "mem"
	}
	return "mem --root " + advice.Quote(a.Root)
}

// writeStack prints where a panic came from, if that is asked for.
func (a *App) writeStack(w io.Writer, err error) {
	var crash *panicError
	if a.LogLevel == "debug" && errors.As(err, &crash) {
		w.Write(crash.stack)
	}
}

func (a *App) writeFailure(w io.Writer, f mem.Failure) {
	if a.AsJSON() {
		doc, _ := mem.EncodeJSON(mem.ErrorReply{Error: f}) // strings always can be encoded
		fmt.Fprintf(w, "%s\n", doc)
		return
	}
	for line := range strings.SplitSeq(f.Message, "\n") {
		fmt.Fprintln(w, a.Paint(w, term.Red, a.Build.Program+":")+" "+OneLine(line))
	}
	if f.Hint != "" {
		fmt.Fprintln(w, a.Paint(w, term.Cyan, a.Build.Program+": hint:")+" "+OneLine(f.Hint))
	}
}

// Message returns the text of an error, without the hint that a verb gave it.
func Message(err error) string {
	if h, ok := err.(*fault.Fault); ok && h.What == "" && h.Why == "" {
		err = h.Err
	}
	var lost *outputError
	if errors.As(err, &lost) {
		return lost.Error()
	}
	return mem.Message(err)
}

// BadInput returns an error of kind mem.KindInput, with what to do; hint "": nobody knows.
func BadInput(what, why, hint string) error {
	return fault.Input(what, why, advice.Say(hint))
}

// panicError is a panic of a verb. It is of no kind that package mem knows, so it is a bug.
type panicError struct {
	cause any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.cause) }

func IsPanic(err error) bool { return errors.As(err, new(*panicError)) }

// Execute runs the verb. A panic becomes an error: Go would exit with 2, which here means that the
// input is wrong.
func Execute(root *cobra.Command) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{cause, debug.Stack()}
		}
	}()
	return root.Execute()
}

var DidYouMean = advice.Say("did you mean ")

// mostRetyped is how long a command may be that a hint repeats.
const mostRetyped = 120

// Retyped returns the command line with another word in the place of one, to be typed as printed;
// "" where the line is long, or not text.
func Retyped(args []string, wrong, right string) string {
	words := []string{"mem"}
	replaced := false
	for _, arg := range args {
		if arg == wrong && !replaced {
			replaced = true
			words = append(words, right)
			continue
		}
		words = append(words, advice.Quote(arg))
	}
	line := strings.Join(words, " ")
	if !replaced || len(line) > mostRetyped || strings.ContainsAny(line, "\n\r\t\x00") {
		return ""
	}
	return line
}
