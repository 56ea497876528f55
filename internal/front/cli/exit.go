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
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/spf13/cobra"
)

// exitCodes lists the exit codes, for "mem help exit-codes".
func exitCodes() string {
	var text strings.Builder
	for _, k := range mem.Kinds() {
		if k.Meaning != "" {
			fmt.Fprintf(&text, "  %-3d %-9s %s\n", k.Exit, k.Kind, k.Meaning)
		}
	}
	return text.String() + "\nAny other code that is not 0 means failure too.\n"
}

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

// hinted is an error of another package, with advice that suits the verb better than its own.
type hinted struct {
	error
	do advice.List
}

func (e *hinted) Unwrap() error { return e.error }

// Advice returns what to do.
func (e *hinted) Advice() advice.List { return e.do }

// partlyStored adds to the error of a batch that ended in the middle how the rest gets stored.
func partlyStored(err error, hint string) error {
	if errors.As(err, new(*mem.PartialError)) {
		return &hinted{err, advice.Say(hint)}
	}
	return err
}

// flagError is what a wrong flag gets. Content that begins with a minus, like -1, looks like a flag
// to the parser.
func flagError(cmd *cobra.Command, args []string, err error) error {
	if err := misspelt(cmd, args); err != nil {
		return err
	}
	e := &usage{
		what: "flags", why: flagFault(err.Error()), do: helpOf(cmd, " shows how"),
	}
	if cmd.HasParent() {
		e.what = named(cmd)
	}
	if meant := meantFlag(cmd, args); meant != nil && strings.Contains(e.why, "unknown flag") {
		e.do = meant
	}
	for _, arg := range args {
		if len(arg) > 1 && arg[0] == '-' && arg[1] >= '0' && arg[1] <= '9' {
			e.do = advice.Say("put all flags first, then -- before what begins with a minus, "+
				"like: ").
				Run("set", "-s", "chat", "--", "/key", arg)
		}
	}
	return e
}

// misspelt returns the error of a word that names no command, or no action of one: its flags are
// not known for that reason; nil where there is no such word.
func misspelt(cmd *cobra.Command, args []string) error {
	word := firstWord(cmd.Root().PersistentFlags(), args)
	if !cmd.HasParent() {
		isVerb := slices.ContainsFunc(verbs, func(v verb) bool { return v.name == word })
		if word == "" || isVerb || slices.Contains(DaemonVerbs(), word) {
			return nil
		}
		return noSuchCommand(cmd, args, word)
	}
	at := slices.Index(args, cmd.Name()) + 1
	if !cmd.HasSubCommands() || at == len(args) || strings.HasPrefix(args[at], "-") {
		return nil
	}
	return cmd.RunE(cmd, args[at:])
}

// flagFault returns in plain words an error of Go's parsers of numbers and durations.
func flagFault(why string) string {
	if head, _, ok := strings.Cut(why, ": strconv.ParseFloat"); ok {
		return head + ": want a number"
	}
	if head, _, ok := strings.Cut(why, ": strconv.ParseBool"); ok {
		return head + ": want true or false"
	}
	if head, _, ok := strings.Cut(why, ": strconv.Parse"); ok {
		return head + ": want a whole number"
	}
	if head, _, ok := strings.Cut(why, ": time: "); ok {
		return head + ": want a time like 5s or 1m30s"
	}
	return why
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
	if h, ok := err.(*hinted); ok {
		err = h.error
	}
	var lost *outputError
	if errors.As(err, &lost) {
		return lost.Error()
	}
	return mem.Message(err)
}
