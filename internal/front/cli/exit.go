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
//     answer to a note that was refused as a secret (N-14) or a text that no journal takes (J-20).

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/screen"
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
type usage struct{ what, why, hint string }

func (e *usage) Error() string { return e.what + ": " + e.why }

// Kind returns the name of the error's kind.
func (e *usage) Kind() string { return string(mem.KindInput) }

// Hint returns what to do.
func (e *usage) Hint() string { return e.hint }

// hinted is an error of another package, with a hint that suits the verb better than its own.
type hinted struct {
	error
	hint string
}

func (e *hinted) Unwrap() error { return e.error }

// Hint returns what to do.
func (e *hinted) Hint() string { return e.hint }

// partlyStored adds to the error of a batch that ended in the middle how the rest gets stored.
func partlyStored(err error, hint string) error {
	if errors.As(err, new(*mem.PartialError)) {
		return &hinted{err, hint}
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
		what: "flags", why: flagFault(err.Error()),
		hint: cmd.CommandPath() + " --help shows how",
	}
	if cmd.HasParent() {
		e.what = named(cmd)
	}
	if meant := meantFlag(cmd, args); meant != "" && strings.Contains(e.why, "unknown flag") {
		e.hint = meant
	}
	if cmd.Name() == "search" && strings.Contains(e.why, "unknown shorthand flag") {
		e.hint = "-word leaves memories with that word out; put all flags first, then -- before " +
			"the words, like: mem search --limit 5 -- deploy -friday"
	}
	if cmd.Name() == "mv" && strings.Contains(e.why, "unknown flag: --to") {
		e.hint = "mem mv OLD NEW renames; mem move KEY --to user or --to project changes the layer"
	}
	for _, arg := range args {
		if len(arg) > 1 && arg[0] == '-' && arg[1] >= '0' && arg[1] <= '9' {
			e.hint = "put all flags first, then -- before what begins with a minus, " +
				"like: mem set -s chat -- /key " + arg
			if cmd.Name() == "config" {
				e.hint = "a number below 0 goes behind --, like: mem config set -- NAME " + arg
			}
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
	f.Message, f.Hint = message(err), withRoot(f.Hint, a.root)
	a.writeFailure(stderr, f)
	a.writeStack(stderr, err)
	return f.Code.ExitCode()
}

// ofStore are the verbs that ask or change a store. The table of verbs has them too, but it hangs
// on what prints a hint.
const ofStore = "agent|approve|artifact|audit|bundle|compact|config|core|cost|decide|diff|doctor|" +
	"edit|event|export|forget|fsck|get|handoff|history|import|init|injections|journal|log|ls|" +
	"memories|memory-tool|merge|migrate|move|mv|note|notes|pin|query|read|reject|remember|rm|" +
	"search|session|set|setup|stat|supersede|task|touch|undo|unpin|where"

// withRoot adds the root that was given by the flag to the commands in a hint, so that they work as
// printed.
func withRoot(hint, root string) string {
	if root == "" || strings.Contains(hint, "--root") {
		return hint
	}
	if strings.ContainsAny(root, " '\"$\\;&|()<>*?") {
		root = shellQuote(root)
	}
	commands := regexp.MustCompile(`\bmem (` + ofStore + `)\b`)
	return commands.ReplaceAllString(hint, "mem --root "+strings.ReplaceAll(root, "$", "$$")+" $1")
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
		fmt.Fprintln(w, paint(a, w, screen.Red, a.build.Program+":")+" "+oneLine(line))
	}
	if f.Hint != "" {
		fmt.Fprintln(w, paint(a, w, screen.Cyan, a.build.Program+": hint:")+" "+oneLine(f.Hint))
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
