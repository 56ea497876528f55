package compact

import (
	"math"
	"runtime/debug"
)

// memoryLimit is what a compaction keeps to as long as it can: it is a guest on the machine, and
// rather collects its garbage more often. Below it garbage may be twice what is in use, which saves
// a sixth of the time.
const (
	memoryLimit = 320 << 20
	gcPercent   = 200
)

// limitMemory sets the garbage collector for a compaction, and returns what sets it back. Where
// GOMEMLIMIT or GOGC say something else they have the last word.
func limitMemory() (restore func()) {
	limit, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(gcPercent)
	if limit == math.MaxInt64 {
		debug.SetMemoryLimit(memoryLimit)
	}
	const unset = 100
	if percent != unset {
		debug.SetGCPercent(percent)
	}
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}
