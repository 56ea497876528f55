package exchange_test

import (
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/exchange"
)

// A line that another machine has taken with a time of now wins where it was written, and nowhere
// else, once its own time has come. That machine says so, and a repair sets the line aside: then
// all answer the same.
func TestOvertakenLineIsSetAside(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration // of the exchange by which the author learns it
	}{{"ahead", 0}, {"its time has come", 40 * day}} {
		t.Run(c.name, func(t *testing.T) {
			f, a, b := aheadLine(t, 3)
			f.withJob(b, func(j *exchange.Job) { j.Late = exchange.Take })
			b.Clock = b.Clock.Add(time.Minute)
			b.Put("/k", `"NEW"`)
			f.with(b, f.depots[0])
			f.sameClocks(b.Clock.Add(c.after))
			for range 2 {
				rep := f.with(a, f.depots[0])
				if rep.Overtaken != 1 || a.content("/k") != `"OLD"` {
					t.Errorf("before: %s, %+v", a.content("/k"), rep)
				}
			}
			rep, err := a.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
			a.Must(err)
			if len(rep.Found) != 1 || rep.Found[0].Check != "F04" {
				t.Errorf("%+v", rep)
			}
			if finds(a.Root+"/quarantine", "OLD") == "" {
				t.Error("quarantine/ has no line")
			}
			f.rounds(2)
			for _, m := range f.machines {
				rep := f.with(m, f.depots[0])
				if got := m.content("/k"); got != `"NEW"` || rep.Overtaken+rep.Ahead > 0 {
					t.Errorf("machine %s has %s, %+v", m.id[30:], got, rep)
				}
			}
		})
	}
}

// The purge of a clock that was ahead, which another machine has taken with a time of now, takes
// nothing on its own machine that was written since: not when its time has come, nor by a repair.
func TestOvertakenPurgeTakesNothingMore(t *testing.T) {
	f := newFleet(t, 3, 1)
	f.sameClocks(f.machines[0].Clock)
	a, b := f.machines[0], f.machines[1]
	a.Clock = a.Clock.Add(3 * day)
	a.Put("/k", `"SECRET"`)
	f.with(a, f.depots[0])
	a.purge("/k")
	f.with(a, f.depots[0])
	a.Clock, a.Dirty = b.Clock, true
	f.withJob(b, func(j *exchange.Job) { j.Late = exchange.Take })
	b.Clock = b.Clock.Add(time.Minute)
	b.Put("/k", `"NEW"`)
	f.with(b, f.depots[0])
	f.sameClocks(b.Clock.Add(10 * day))
	f.rounds(2)
	if rep := f.with(a, f.depots[0]); rep.Overtaken != 1 || rep.Cleaned+rep.Purged > 0 {
		t.Errorf("%+v", rep)
	}
	_, err := a.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	a.Must(err)
	f.rounds(2)
	for _, m := range f.machines {
		if got := m.content("/k"); got != `"NEW"` {
			t.Errorf("machine %s has %s", m.id[30:], got)
		}
	}
	f.gone("at last", "SECRET")
}
