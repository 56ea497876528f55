package cli

import "syscall"

// detached puts a process into a group of its own: Ctrl-C does not stop it.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}
