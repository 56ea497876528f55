//go:build unix

package cli

import "syscall"

// detached puts a process into a session of its own: a terminal that closes, or Ctrl-C, is not
// meant for it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
