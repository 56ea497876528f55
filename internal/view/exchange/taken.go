package exchange

import "github.com/set-memory/mem/log"

// settleTaken ends the waiting of lines that were taken, here or elsewhere, over this depot or
// another one: taken once more they would win against what was written since.
func (x *exchange) settleTaken() {
	for _, s := range x.fetched {
		for _, e := range s.lines {
			x.taken.Note(e)
		}
	}
	for id, w := range x.seen.late {
		if x.taken.Has(id, w.ts) {
			x.settleOne(id)
		}
	}
}

// settleOne leaves a line out here for good, and takes it out of the depot.
func (x *exchange) settleOne(id log.Identity) {
	delete(x.seen.late, id)
	x.future.end(id, true)
	x.retired[id] = true
}
