// Package cli is the command line: the verbs that every program of this module has.
//
// A verb is a file or a few of a package below: its options, its cobra command, and a run
// function that calls a view or package mem and prints. This package has their table, the root
// command and the help. Package app is what they share; the packages of verbs do not import each
// other. No rule of the system lives here.
package cli

import (
	"errors"
	"io"
	"os"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
)

// Run is a whole program but for its exit: it runs the verb that args name, and returns the exit
// code.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer, b app.Build) int {
	a := &app.App{Build: b, Began: app.Started(), Getenv: os.Getenv,
		Caller: mem.Caller{Channel: "cli", Agent: os.Getenv(setup.AgentVariable)}}
	by := a.TakenOver()
	root := command(a, args)
	root.SetArgs(a.Args)
	root.SetIn(stdin)
	answer := a.NewAnswer(stdout)
	root.SetOut(answer)
	root.SetErr(stderr)
	err := app.CheckDescriptors()
	if err == nil && by != "" {
		err = a.SameBuild(firstWord(a.Flags, a.Args), by)
	}
	if err == nil {
		err = unsealed(a, root, stdin)
	}
	err = a.NameDeleted(root.Context(), err)
	if !app.IsPanic(err) { // else the store might not be closable
		a.Close()
	}
	if answer.Err != nil && (err == nil || errors.Is(err, app.ErrNo)) {
		err = answer.Err
	}
	if err == nil || errors.Is(err, app.ErrNo) {
		a.SayMissing(root)
	}
	code := a.Report(stdout, stderr, err)
	if a.IsHook {
		return mem.KindDone.ExitCode()
	}
	return code
}
