package log

import "os"

// isRunning reports whether there is a process with this number.
func isRunning(pid int) bool {
	p, err := os.FindProcess(pid)
	if err == nil {
		_ = p.Release()
	}
	return err == nil
}
