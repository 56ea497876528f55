package exchange

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/log"
)

// AheadError is returned where a person takes lines that wait, and this copy has some that are
// ahead of the clock itself: it may be behind, and would give the others a time before those that
// they replace.
type AheadError struct{ Lines int }

func (e *AheadError) Error() string {
	return fmt.Sprintf("no line taken: the clock is before the times of %d here, and may be behind",
		e.Lines)
}

// Kind returns the kind of the error, as package mem has them.
func (e *AheadError) Kind() string { return "no" }

// Advice returns what to do.
func (e *AheadError) Advice() advice.List {
	return advice.Say("set the clock of this machine").Also(
		advice.RunAlone("fsck", "--repair", "--trust-clock").Then(" comes first where it is right"))
}

// mayTake returns an error where the clock is no measure for the lines that a person takes.
func (x *exchange) mayTake() error {
	if n := x.countAhead(); x.Late == Take && n > 0 {
		return &AheadError{n}
	}
	return nil
}

// countAhead counts the lines of this copy that are ahead of the clock.
func (x *exchange) countAhead() (n int) {
	for _, e := range x.ahead {
		if !x.isPurged(e) {
			n++
		}
	}
	return n
}

// overtaken counts the lines of this copy in whose place another machine has taken others: until a
// repair sets them aside, they win here, and nowhere else.
func (x *exchange) overtaken() error {
	isHere := func(id log.Identity) bool { return x.local[id] }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(x.taken)), isHere) {
		return nil
	}
	met := map[log.Identity]bool{}
	err := x.Store.Everything(x.ctx, func(rec log.Record) error {
		if id := rec.Identity(); x.taken.Has(id, rec.TS) {
			met[id] = true
		}
		return nil
	})
	x.rep.Overtaken = len(met)
	return err
}

// redate dates the lines that a person takes, and that are ahead still, to now, in the order
// of their own: behind all that is in this copy or comes with them, for they replace it, and marks
// of purges behind what they have seen.
func (x *exchange) redate() {
	ts := max(x.op.Now(), x.seen.Behind, x.newest)
	var late []*arrived
	for i := range x.arrived {
		if a := &x.arrived[i]; a.TS <= x.limit {
			ts = max(ts, a.TS)
		} else if a.late != (log.Identity{}) {
			late = append(late, a)
		}
	}
	slices.SortStableFunc(late, func(a, b *arrived) int { return cmp.Compare(a.TS, b.TS) })
	for _, a := range late {
		old := a.Envelope
		a.Envelope = content.Redated(old, ts+1, x.limit)
		a.Source = content.Taking(a.Source, old)
		ts = a.TS
		x.mark(a.Envelope)
	}
}

// endTaken ends the waiting of lines that were taken, here or elsewhere, over this depot or
// another one: taken once more they would win against what was written since.
func (x *exchange) endTaken() {
	for _, s := range x.fetched {
		for _, e := range s.lines {
			x.taken.Note(e)
		}
	}
	for id, w := range x.seen.late {
		if x.taken.Has(id, w.ts) {
			x.retire(id)
		}
	}
}

// retire leaves a line out here for good, and takes it out of the depot.
func (x *exchange) retire(id log.Identity) {
	delete(x.seen.late, id)
	x.future.end(id, true)
	x.retired[id] = true
}
