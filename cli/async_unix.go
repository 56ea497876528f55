//go:build unix

package cli

import "syscall"

// detached puts a process into a session of its own: neither Ctrl-C nor the end of the terminal
// stops it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
