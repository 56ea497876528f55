package cli

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

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/spf13/cobra"
)

// usage is wrong input that no package below names.
type usage struct {
	what, why, hint string
	do              advice.List // in place of the hint, where that has a command
}

func (e *usage) Error() string { return e.what + ": " + e.why }

// Kind returns the name of the error's kind.
func (e *usage) Kind() string { return string(mem.KindInput) }

// Advice returns what to do.
func (e *usage) Advice() advice.List {
	if e.do != nil {
		return e.do
	}
	return advice.Say(e.hint)
}

// hintedError is an error of another package, with advice that suits the verb better than its own.
type hintedError struct {
	error
	do advice.List
}

func hinted(err error, do advice.List) error { return &hintedError{err, do} }

func (e *hintedError) Unwrap() error { return e.error }

// Advice returns what to do.
func (e *hintedError) Advice() advice.List { return e.do }

// partlyStored adds to the error of a batch that ended in the middle how the rest gets stored.
func partlyStored(err error, hint string) error {
	if errors.As(err, new(*mem.PartialError)) {
		return hinted(err, advice.Say(hint))
	}
	return err
}

// errNo is returned by a verb whose answer, already printed, is no.
var errNo = errors.New("no")

// report prints an error and returns the exit code.
func (a *app) report(stdout, stderr io.Writer, err error) int {
	if err == nil {
		return mem.KindDone.ExitCode()
	}
	if errors.Is(err, errNo) {
		return mem.KindNo.ExitCode()
	}
	if other := (*ended)(nil); errors.As(err, &other) {
		return other.code
	}
	var lost *mem.ConflictError
	if errors.As(err, &lost) && !lost.Newest.Key.IsZero() &&
		policy.Permits(caller, lost.Newest.Key) {
		fmt.Fprintf(stdout, "%s\n", lost.Newest.Line)
	}
	logFailure(a, stderr, err)
	f := mem.FailureOf(err)
	f.Message, f.Hint = message(err), forPeople(a, mem.AdviceOf(err))
	a.writeFailure(stderr, f)
	a.writeStack(stderr, err)
	return f.Code.ExitCode()
}

// helpOf returns the advice to look at the help of a command.
func helpOf(cmd *cobra.Command, then string) advice.List {
	return runAgain(advice.List{{}}, cmd, "--help").Then(then)
}

// runAgain adds the command that runs to the last clause of advice, with another argument.
func runAgain(do advice.List, cmd *cobra.Command, arg string) advice.List {
	program, verb, _ := strings.Cut(cmd.CommandPath(), " ")
	if program != "mem" || verb == "" {
		return do.Then(cmd.CommandPath() + " " + arg)
	}
	return do.Run(verb, arg)
}

// forPeople returns advice as the command line prints it: without secrets, and with commands that
// work as printed. A program in the place of a person is not advised to overrule a refusal.
func forPeople(a *app, do advice.List) string {
	if !policy.IsPerson(caller) {
		do = do.ForPrograms()
	}
	return mem.MaskSecrets(do.As(a.typed()))
}

// typed returns how the program is typed in a hint, with the root that was given by the flag.
func (a *app) typed() string {
	if a.root == "" {
		return "mem"
	}
	return "mem --root " + advice.Quote(a.root)
}

// writeStack prints where a panic came from, if that is asked for.
func (a *app) writeStack(w io.Writer, err error) {
	var crash *panicError
	if a.logLevel == "debug" && errors.As(err, &crash) {
		w.Write(crash.stack)
	}
}

func (a *app) writeFailure(w io.Writer, f mem.Failure) {
	if a.asJSON() {
		doc, _ := mem.EncodeJSON(mem.ErrorReply{Error: f}) // strings always can be encoded
		fmt.Fprintf(w, "%s\n", doc)
		return
	}
	for line := range strings.SplitSeq(f.Message, "\n") {
		fmt.Fprintln(w, paint(a, w, term.Red, a.build.Program+":")+" "+oneLine(line))
	}
	if f.Hint != "" {
		fmt.Fprintln(w, paint(a, w, term.Cyan, a.build.Program+": hint:")+" "+oneLine(f.Hint))
	}
}

// message returns the text of an error, without the hint that a verb gave it.
func message(err error) string {
	if h, ok := err.(*hintedError); ok {
		err = h.error
	}
	var lost *outputError
	if errors.As(err, &lost) {
		return lost.Error()
	}
	return mem.Message(err)
}

// BadInput returns an error of kind mem.KindInput, with what to do; hint "": nobody knows.
func BadInput(what, why, hint string) error {
	return &usage{what: what, why: why, hint: hint}
}

// panicError is a panic of a verb. It is of no kind that package mem knows, so it is a bug.
type panicError struct {
	cause any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.cause) }

func isPanic(err error) bool { return errors.As(err, new(*panicError)) }

// execute runs the verb. A panic becomes an error: Go would exit with 2, which here means that the
// input is wrong.
func execute(root *cobra.Command) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{cause, debug.Stack()}
		}
	}()
	return root.Execute()
}

var didYouMean = advice.Say("did you mean ")

// mostRetyped is how long a command may be that a hint repeats.
const mostRetyped = 120

// retyped returns the command line with another word in the place of one, to be typed as printed;
// "" where the line is long, or not text.
func retyped(args []string, wrong, right string) string {
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
