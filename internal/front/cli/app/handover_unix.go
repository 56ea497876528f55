//go:build unix

package app

import (
	"os"
	"syscall"
)

// Replaces is whether a process can become another program: with its id, its descriptors and its
// place among its parent's children.
const Replaces = true

func become(path string, argv, env []string) error { return syscall.Exec(path, argv, env) }

// passedOn are the signals that are for one process alone.
var passedOn = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}

// codeOf returns the code of a program, or as a shell does 128 and the signal that ended it.
func codeOf(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.ExitCode()
}
