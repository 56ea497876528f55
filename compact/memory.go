package compact

import (
	"math"
	"os"
	"runtime/debug"
)

// memoryLimit is the memory that a compaction tries not to exceed: it should not disturb other
// programs, so it collects garbage more often instead. Below it garbage may take four fifths.
const (
	memoryLimit = 320 << 20
	gcPercent   = 80
)

// limitMemory sets the garbage collector for a compaction, and returns a function that restores it.
// GOMEMLIMIT and GOGC in the environment override both.
func limitMemory() (restore func()) {
	limit, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(gcPercent)
	if limit == math.MaxInt64 {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") != "" {
		debug.SetGCPercent(percent)
	}
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}
