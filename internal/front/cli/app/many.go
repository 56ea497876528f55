package app

import "runtime/debug"

// gcPercent lets garbage take less than half of the heap.
const gcPercent = 60

// HoldsMany is called by a verb that holds many records at once, for they are all checked before
// the first is stored: garbage is collected more often until the process ends, which costs a
// twentieth of its time. GOGC in the environment overrides it; a server goes on after the verb.
func (a *App) HoldsMany() {
	if a.Served == nil && a.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
