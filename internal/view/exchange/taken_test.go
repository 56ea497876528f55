package exchange_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/view/exchange"
)

// A line from the future that was taken waits at no other depot, for no other machine, and is not
// sent once more when its date has come.
func TestTakenLineIsSettledEverywhere(t *testing.T) {
	f := newFleet(t, 4, 2)
	f.sameClocks(f.machines[0].Clock)
	a, b, c, d := f.machines[0], f.machines[1], f.machines[2], f.machines[3]
	one, two := f.depots[0], f.depots[1]
	a.Put("/k", `"first"`)
	a.Clock = a.Clock.Add(30 * day)
	a.Put("/k", `"OLD"`)
	f.with(a, one)
	f.with(a, two)
	a.Clock, a.Dirty = b.Clock, true
	f.with(b, one)
	f.with(b, two)
	if rep := f.with(c, two); len(rep.Waiting) != 1 {
		t.Fatalf("%+v", rep)
	}
	if rep := f.withJob(b, func(j *exchange.Job) { j.Late = exchange.Take }); rep.Taken != 1 {
		t.Fatalf("%+v", rep)
	}
	b.Clock = b.Clock.Add(time.Minute)
	b.Put("/k", `"NEW"`)
	if rep := f.with(b, two); len(rep.Waiting) != 0 || rep.Cleaned != 1 {
		t.Errorf("at the other depot: %+v", rep)
	}
	if rep := f.with(c, two); len(rep.Waiting) != 0 || c.content("/k") != `"NEW"` {
		t.Errorf("another machine has %s: %+v", c.content("/k"), rep)
	}
	f.with(a, one)
	f.sameClocks(b.Clock.Add(60 * day))
	for _, path := range f.depots {
		f.with(a, path)
		for _, m := range []*machine{b, c, d} {
			m.Dirty = true
			if f.with(m, path); m.content("/k") != `"NEW"` {
				t.Errorf("machine %s has %s", m.id[30:], m.content("/k"))
			}
		}
	}
}

// unwritten is a depot to which nothing can be written.
type unwritten struct{ exchange.Place }

func (unwritten) Put([]byte) error { return errors.New("cut") }

// A take that is cut before the depot has its line is not done twice.
func TestCutTakeTakesOnce(t *testing.T) {
	f, _, b := aheadLine(t, 2)
	d, err := depot.OpenFolder(f.depots[0])
	b.Must(err)
	defer d.Close()
	job := f.job(b, unwritten{d}, f.depots[0])
	job.Late = exchange.Take
	if _, err := exchange.Run(ctx, mem.Caller{}, job); err == nil || b.content("/k") != `"OLD"` {
		t.Fatalf("%v, %s", err, b.content("/k"))
	}
	b.Clock = b.Clock.Add(time.Minute)
	b.Put("/k", `"NEW"`)
	rep := f.withJob(b, func(j *exchange.Job) { j.Late = exchange.Take })
	if rep.Taken != 0 || len(rep.Waiting) != 0 || b.content("/k") != `"NEW"` {
		t.Errorf("it has %s: %+v", b.content("/k"), rep)
	}
}

// The machine whose clock was ahead has the taken line: a repair sets its own aside, and stores it
// no more.
func TestRepairOfATakenLineKeepsTheLaterChange(t *testing.T) {
	f, a, b := aheadLine(t, 2)
	path := f.depots[0]
	f.withJob(b, func(j *exchange.Job) { j.Late = exchange.Take })
	b.Clock = b.Clock.Add(time.Minute)
	b.Put("/k", `"NEW"`)
	f.with(b, path)
	f.sameClocks(b.Clock.Add(time.Minute))
	f.with(a, path)
	_, err := a.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true, TrustClock: true})
	a.Must(err)
	for range 2 {
		for _, m := range f.machines {
			f.with(m, path)
			if got := m.content("/k"); got != `"NEW"` {
				t.Errorf("machine %s has %s", m.id[30:], got)
			}
		}
	}
}

// Lines that a person takes get times of now in the order of their own, behind what they replace,
// each once, in whatever segments they are.
func TestTakenLinesKeepTheirOrder(t *testing.T) {
	for range 6 { // segments are read in the order of their names, which are drawn
		f := newFleet(t, 3, 1)
		f.sameClocks(f.machines[0].Clock)
		a, b, path := f.machines[0], f.machines[1], f.depots[0]
		b.Clock = b.Clock.Add(23 * time.Hour)
		b.Put("/k", `"first"`)
		f.with(b, path)
		f.with(a, path)
		b.Clock = b.Clock.Add(-23 * time.Hour)
		a.Clock = a.Clock.Add(30 * day)
		for i := range 4 {
			a.Put("/k", fmt.Sprintf(`"%d"`, i))
			f.with(a, path)
		}
		f.sameClocks(b.Clock.Add(time.Minute))
		a.Dirty = true
		f.with(b, path)
		rep := f.withJob(b, func(j *exchange.Job) { j.Late = exchange.Take })
		if rep.Taken != 4 || b.content("/k") != `"3"` {
			t.Errorf("it has %s: %+v", b.content("/k"), rep)
		}
		c := f.machines[2]
		if f.with(c, path); c.content("/k") != `"3"` {
			t.Errorf("another machine has %s", c.content("/k"))
		}
	}
}

// A machine whose clock is before its own lines takes nothing: it may be behind, and would put what
// it takes before what that replaces.
func TestAClockBehindTakesNothing(t *testing.T) {
	f := newFleet(t, 2, 1)
	f.sameClocks(f.machines[0].Clock)
	a, b, path := f.machines[0], f.machines[1], f.depots[0]
	a.Put("/k", `"first"`)
	f.with(a, path)
	f.with(b, path)
	a.Clock = a.Clock.Add(time.Minute)
	a.Put("/k", `"second"`)
	f.with(a, path)
	b.Clock = b.Clock.Add(-30 * day)
	f.with(b, path)
	d, err := depot.OpenFolder(path)
	b.Must(err)
	defer d.Close()
	job := f.job(b, d, path)
	job.Late = exchange.Take
	_, err = exchange.Run(ctx, mem.Caller{}, job)
	if ahead, ok := errors.AsType[*exchange.AheadError](err); !ok || ahead.Lines != 1 {
		t.Errorf("%v", err)
	}
	b.Clock = a.Clock.Add(time.Minute)
	f.withJob(b, func(j *exchange.Job) { j.Late = exchange.Take })
	for _, m := range f.machines {
		if f.with(m, path); m.content("/k") != `"second"` {
			t.Errorf("machine %s has %s", m.id[30:], m.content("/k"))
		}
	}
}
