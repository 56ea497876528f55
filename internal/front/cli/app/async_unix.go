//go:build unix

package app

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// detached puts a process into a session of its own, which no terminal ends.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// lowerPriority lets others go first where the processors are busy, but not by much: writers wait
// for the moments in which a compaction has the lock.
func lowerPriority(p *os.Process) { _ = unix.Setpriority(unix.PRIO_PROCESS, p.Pid, 5) }
