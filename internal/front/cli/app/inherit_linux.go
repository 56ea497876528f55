package app

import (
	"math"

	"golang.org/x/sys/unix"
)

// keepDescriptors keeps what the caller had open when it started mem, as a shell does with 9>lock,
// from the processes that mem starts: they may live on when the caller believes that it has let go.
func keepDescriptors() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) != nil {
		keepListed("/proc/self/fd") // a kernel before 5.11
	}
}
