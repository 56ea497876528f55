package cli

// What mem says when something is wrong, and the code it leaves with.
//
//   - One line on stderr: "mem: what: why", lower case, no full stop, no stack trace. A batch has one line for each bad line of it.
//   - Where a next step is known, a second line: "mem: hint: ...", a command that works as printed or a plain sentence.
//   - With --json the same as {"error":{"code","message","hint"}} on stderr.
//   - Nothing on stdout, but for the newest envelope when a compare-and-set was lost.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/exchange"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/setup"
	"github.com/spf13/cobra"
)

// The exit codes, kept forever.
const (
	exitDone     = 0
	exitNo       = 1
	exitInput    = 2
	exitRefused  = 3
	exitConflict = 4
	exitLocked   = 5
	exitIO       = 6
)

// exitCodes is the one table, for "mem help exit-codes" and the README.
const exitCodes = `| code | name | meaning |
|---|---|---|
| 0 | done | what was asked is done, and a write is on disk |
| 1 | no | the answer is no: no such memory, or fsck, audit, doctor or setup --check found something |
| 2 | input | the input is wrong: a flag, a key, JSON, a time |
| 3 | refused | refused by policy: provenance, a secret, a size |
| 4 | conflict | a compare-and-set was lost; the newest envelope is on stdout |
| 5 | locked | the lock could not be had in time |
| 6 | io | the file system failed: an I/O error, full, read-only, no permission |

Any other code that is not 0 means failure too.
`

// usage is wrong input that no package below names.
type usage struct{ what, why, hint string }

func (e *usage) Error() string { return e.what + ": " + e.why }

// Hint tells what to do.
func (e *usage) Hint() string { return e.hint }

// hinted is an error of a package below, with a hint that fits the verb better than its own.
type hinted struct {
	error
	hint string
}

func (e *hinted) Unwrap() error { return e.error }

// Hint tells what to do.
func (e *hinted) Hint() string { return e.hint }

// flagError is what a wrong flag gets. Content that begins with a minus, like -1, looks like a flag to the parser.
func flagError(cmd *cobra.Command, args []string, err error) error {
	e := &usage{what: "flags", why: flagFault(err.Error()), hint: cmd.CommandPath() + " --help shows how"}
	if cmd.HasParent() {
		e.what = cmd.Name()
	}
	for _, arg := range args {
		if len(arg) > 1 && arg[0] == '-' && arg[1] >= '0' && arg[1] <= '9' {
			e.hint = "put all flags first, then -- before what begins with a minus, like: mem set -s chat -- /key " + arg
		}
	}
	return e
}

// flagFault puts what Go's parsers say of a number or a duration into words.
func flagFault(why string) string {
	if head, _, ok := strings.Cut(why, ": strconv.Parse"); ok {
		return head + ": want a whole number"
	}
	if head, _, ok := strings.Cut(why, ": time: "); ok {
		return head + ": want a time like 5s or 1m30s"
	}
	return why
}

// errNo ends a verb whose answer, already printed, is no.
var errNo = errors.New("no")

// codes gives each kind of error its exit code and the name that --json shows. The first that fits counts.
var codes = []struct {
	is   error
	exit int
	name string
}{
	{mem.ErrNotFound, exitNo, "no"},
	{mem.ErrConflict, exitConflict, "conflict"},
	{log.ErrLocked, exitLocked, "locked"},
	{compact.ErrIndexBehind, exitIO, "io"},
	{policy.ErrProvenance, exitRefused, "refused"},
	{policy.ErrSecret, exitRefused, "refused"},
	{policy.ErrTooLarge, exitRefused, "refused"},
	{mem.ErrFuture, exitInput, "input"},
	{mem.ErrInput, exitInput, "input"},
	{mem.ErrForeign, exitInput, "input"},
	{exchange.ErrFormat, exitInput, "input"},
	{keypath.ErrKey, exitInput, "input"},
	{jsontext.ErrJSON, exitInput, "input"},
	{log.ErrTime, exitInput, "input"},
	{setup.ErrSettings, exitInput, "input"},
}

// classify gives the exit code of an error. What nobody foresaw comes from the disk.
func classify(err error) (int, string) {
	if errors.As(err, new(*usage)) {
		return exitInput, "input"
	}
	for _, c := range codes {
		if errors.Is(err, c.is) {
			return c.exit, c.name
		}
	}
	return exitIO, "io"
}

// report prints an error and gives the exit code.
func (a *app) report(stdout, stderr io.Writer, err error) int {
	if err == nil || errors.Is(err, errNo) {
		return exitOf(err)
	}
	code, name := classify(err)
	var lost *mem.ConflictError
	if errors.As(err, &lost) && !lost.Newest.Key.IsZero() {
		fmt.Fprintf(stdout, "%s\n", lost.Newest.Line)
	}
	hint := hintOf(err, code)
	if a.json || a.jq != "" {
		writeErrorJSON(stderr, name, message(err), hint)
		return code
	}
	for line := range strings.SplitSeq(message(err), "\n") {
		fmt.Fprintln(stderr, a.build.Program+": "+oneLine(line))
	}
	if hint != "" {
		fmt.Fprintln(stderr, a.build.Program+": hint: "+oneLine(hint))
	}
	return code
}

func exitOf(err error) int {
	if err != nil {
		return exitNo
	}
	return exitDone
}

func writeErrorJSON(w io.Writer, code, message, hint string) {
	type body struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(map[string]body{"error": {code, message, hint}})
}

// message is the error's text; one of the operating system's gets the file first, then the cause.
func message(err error) string {
	var path *fs.PathError
	if h, ok := err.(*hinted); ok {
		err = h.error
	}
	if unheard(err) {
		errors.As(err, &path)
		return "standard output: " + path.Err.Error()
	}
	if errors.As(err, &path) && err == error(path) {
		return path.Path + ": " + path.Op + ": " + path.Err.Error()
	}
	return err.Error()
}

// unheard reports whether it was the answer that could not be written, not the store.
func unheard(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) && path.Path == os.Stdout.Name()
}

// concerns reports whether an error is about the file of that name.
func concerns(err error, name string) bool {
	var path *fs.PathError
	return errors.As(err, &path) && filepath.Base(path.Path) == name
}

// hintOf asks the error itself, and else knows a way out of the usual failures of a disk.
func hintOf(err error, code int) string {
	var h interface{ Hint() string }
	switch {
	case errors.As(err, &h):
		return h.Hint()
	case unheard(err):
		return "only the answer is lost; a write that was to be stored is stored"
	case code == exitLocked:
		return "try again, or wait longer with --lock-timeout 30s"
	case errors.Is(err, compact.ErrIndexBehind):
		return "nothing is lost; mem fsck --repair brings the index up to date"
	case errors.Is(err, compact.ErrNoLog), errors.Is(err, disk.ErrIrregular) && concerns(err, log.File):
		return "mem follows no links; put the log itself in that place, everything hangs on it"
	case errors.Is(err, disk.ErrIrregular):
		return "mem fsck --repair moves it into quarantine/"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return "the store cannot be written here; in a sandbox, allow its directory (mem stat --jq .root prints it), or give --root"
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full; nothing was stored, and everything can still be read"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "this process may not open enough files; allow it more with ulimit -n"
	case errors.Is(err, log.ErrNoLock):
		return "network disks often cannot lock; put the store on a local disk with --root"
	case errors.Is(err, setup.ErrSettings):
		return "nothing was changed; mend that place, then try again"
	case errors.Is(err, log.ErrNewer):
		return "install the newer mem"
	}
	return ""
}
