//go:build unix

package pgtest

import (
	"syscall"
	"testing"
)

// Hang stops all processes of the server where they are, until goOn is called.
func (s *Server) Hang(t testing.TB) (goOn func()) {
	t.Helper()
	pids, err := s.pids()
	if err != nil || len(pids) == 0 {
		t.Fatalf("processes %v: %v", pids, err)
	}
	signal := func(sig syscall.Signal) {
		for _, pid := range pids {
			_ = syscall.Kill(pid, sig) // one may have ended
		}
	}
	signal(syscall.SIGSTOP)
	return func() { signal(syscall.SIGCONT) }
}
