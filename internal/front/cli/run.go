// Package cli is the command line: the verbs that every program of this module has.
//
// Each verb is one file: its options, its cobra command, and a run function that calls package mem
// and prints. No rule of the system lives here.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/spf13/cobra"
)

// Build is which program runs the verbs, and what it was built from.
type Build struct {
	Program string // the name people type; messages begin with it
	Version string
	Commit  string
	Date    string // of the commit, as RFC 3339; "" where the linker was not given one

	// Verbs are those that only memd has, by their names; nil: the program is mem, which hands them
	// over.
	Verbs map[string]func(*Host) *cobra.Command
	// Connect opens a store on a server; nil: the program hands over to memd.
	Connect func(url string, o mem.Options) (*mem.Store, error)
	// Migrate takes the steps that the tables of a store on a server lack, or lists them.
	Migrate func(ctx context.Context, url string, dryRun bool) ([]SchemaStep, error)
	// Keys loads the file with the key that seals records of sensitivity high; it must lie outside
	// the roots. nil: the program cannot seal.
	Keys func(path string, roots ...string) (ledger.Keys, error)
}

// SchemaStep is one step of the tables of a store on a server.
type SchemaStep struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	SQL    string `json:"sql"`
}

// Run is a whole program but for its exit: it runs the verb that args name, and returns the exit
// code.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer, b Build) int {
	a := &app{build: b, began: started(), getenv: os.Getenv}
	by := takenOver(a)
	root := a.command(args)
	root.SetArgs(a.args)
	root.SetIn(stdin)
	answer := newAnswer(a, stdout)
	root.SetOut(answer)
	root.SetErr(stderr)
	err := checkDescriptors()
	if err == nil && by != "" {
		err = sameBuild(a, root, by)
	}
	if err == nil {
		err = unsealed(a, root, stdin)
	}
	if !isPanic(err) { // else the store might not be closable
		a.close()
	}
	if answer.err != nil && (err == nil || errors.Is(err, errNo)) {
		err = answer.err
	}
	if err == nil || errors.Is(err, errNo) {
		sayMissing(a, root)
	}
	code := a.report(stdout, stderr, err)
	if a.isHook {
		return mem.KindDone.ExitCode()
	}
	return code
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
