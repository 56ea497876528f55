package exchange_test

import (
	"testing"
	"time"

	"github.com/set-memory/mem/internal/view/exchange"
)

// A purge that waits, for the clock here was behind, is never dropped: it waits until a person
// takes it. Meanwhile the depot is at rest, though the text is here still.
func TestAPurgeIsNeverDropped(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, c, path := f.machines[0], f.machines[1], f.depots[0]
	f.sameClocks(a.Clock)
	a.Put("/k", `"SECRET"`)
	f.rounds(1)
	f.sameClocks(a.Clock.Add(3 * day))
	a.purge("/k")
	a.Put("/other", `"waits"`)
	f.with(a, path)
	c.Clock = c.Clock.Add(-3 * day)
	f.with(c, path)
	rep := f.withJob(c, func(j *exchange.Job) { j.Late = exchange.Drop })
	if rep.Dropped != 1 || len(rep.Waiting) != 1 || rep.Waiting[0].Purges != 1 {
		t.Errorf("dropped: %+v", rep)
	}
	f.sameClocks(a.Clock.Add(time.Minute))
	f.rounds(2)
	for range 3 {
		sent, cleaned := f.with(c, path), f.with(a, path)
		if sent.Sent+cleaned.Cleaned > 0 || sent.Waiting[0].Purges != 1 {
			t.Errorf("it goes on: %+v, %+v", sent, cleaned)
		}
	}
	f.withJob(c, func(j *exchange.Job) { j.Late = exchange.Take })
	f.rounds(1)
	f.gone("taken", "SECRET")
}

// A purge that is ahead of the clock is not sent: it takes its text out of the depot once, and not
// again each time that another machine gives it back, until it is repaired.
func TestAnUnsentPurgeCleansOnce(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, b, path := f.machines[0], f.machines[1], f.depots[0]
	f.sameClocks(a.Clock)
	a.Put("/k", `"SECRET"`)
	f.rounds(1)
	a.Clock = a.Clock.Add(3 * day)
	a.purge("/k")
	a.Clock, a.Dirty = b.Clock, true
	if rep := f.with(a, path); rep.Cleaned != 1 || rep.Ahead != 1 {
		t.Errorf("at first: %+v", rep)
	}
	f.with(b, path)
	for range 3 {
		if one, two := f.with(a, path), f.with(b, path); one.Cleaned+two.Sent > 0 {
			t.Errorf("it goes on: %+v, %+v", one, two)
		}
	}
	a.repair()
	f.rounds(2)
	f.gone("repaired", "SECRET")
}
