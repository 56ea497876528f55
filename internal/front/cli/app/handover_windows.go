package app

import (
	"errors"
	"os"
)

// Replaces is whether a process can become another program.
const Replaces = false

func become(string, []string, []string) error { return errors.ErrUnsupported }

// passedOn are none: Ctrl-C reaches every program of a console.
var passedOn []os.Signal

func codeOf(s *os.ProcessState) int { return s.ExitCode() }
