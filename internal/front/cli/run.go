// Package cli is the command line: the verbs that every program of this module has.
//
// Each verb is one file: its options, its cobra command, and a run function that calls package mem
// and prints. No rule of the system lives here.
package cli

import (
	"errors"
	"io"
	"os"

	"github.com/set-memory/mem"
)

// Run is a whole program but for its exit: it runs the verb that args name, and returns the exit
// code.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer, b Build) int {
	a := &app{build: b, began: started(), getenv: os.Getenv}
	by := takenOver(a)
	root := command(a, args)
	root.SetArgs(a.args)
	root.SetIn(stdin)
	answer := newAnswer(a, stdout)
	root.SetOut(answer)
	root.SetErr(stderr)
	err := checkDescriptors()
	if err == nil && by != "" {
		err = sameBuild(a, firstWord(a.flags, a.args), by)
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
