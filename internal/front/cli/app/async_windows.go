package app

import (
	"os"
	"syscall"
)

// detached puts a process into a group of its own: Ctrl-C does not stop it.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

func lowerPriority(*os.Process) {}

// keepDescriptors has nothing to do: a process gets the handles that it is given.
func keepDescriptors() {}
