// Command mem is an agent's memory as plain files: see the README for what it does, and package mem for how.
//
// Each verb is one file: its options, its cobra command, and a run function that calls package mem and prints. No rule of the
// system lives here.
package main

import (
	"errors"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program but for its exit.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{getenv: os.Getenv}
	root := a.command(args)
	root.SetArgs(args)
	root.SetIn(stdin)
	answer := &answer{to: stdout}
	root.SetOut(answer)
	root.SetErr(stderr)
	err := checkDescriptors()
	if err == nil {
		err = root.Execute()
	}
	a.close()
	if answer.err != nil && (err == nil || errors.Is(err, errNo)) {
		err = answer.err
	}
	code := a.report(stdout, stderr, err)
	if a.isHook {
		return exitDone
	}
	return code
}
