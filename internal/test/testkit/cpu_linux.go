package testkit

import (
	"syscall"
	"time"
)

// CPUTime returns the processor time that this process has used: it does not pass while other work
// has the machine. Other systems return the time of the clock.
func CPUTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // no such pointer, or no such flag
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
