//go:build unix

package log

import "syscall"

// isRunning reports whether there is a process with this number, of any user.
func isRunning(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) != syscall.ESRCH }
