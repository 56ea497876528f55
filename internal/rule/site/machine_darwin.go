package site

import "syscall"

// installationID returns the id of the hardware.
func installationID() string {
	id, _ := syscall.Sysctl("kern.uuid")
	return id
}
