package cli

import (
	"errors"
	"os"
)

// replaces is whether a process can become another program.
const replaces = false

func become(string, []string, []string) error { return errors.ErrUnsupported }

// passedOn are none: Ctrl-C reaches every program of a console.
var passedOn []os.Signal

// codeOf returns the code of a program.
func codeOf(s *os.ProcessState) int { return s.ExitCode() }
