package exchange_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

const day = 24 * time.Hour

// content returns what a key holds on a machine; "" for nothing.
func (m *machine) content(key string) string {
	rec, err := m.Get(ctx, mem.Caller{}, keypath.MustParse(key), false)
	if err != nil {
		return ""
	}
	return string(rec.Content)
}

// withJob exchanges a job that a test changes before.
func (f *fleet) withJob(m *machine, change func(*exchange.Job)) exchange.Report {
	f.t.Helper()
	d, err := depot.OpenFolder(f.depots[0])
	m.Must(err)
	defer d.Close()
	job := f.job(m, d, f.depots[0])
	change(&job)
	rep, err := exchange.Run(ctx, mem.Caller{}, job)
	m.Must(err)
	return rep
}

// sameClocks sets the clocks of all machines.
func (f *fleet) sameClocks(at time.Time) {
	for _, m := range f.machines {
		m.Clock = at
	}
}

// aheadLine has machine a write and send a line with its clock 30 days ahead, which b leaves
// waiting.
func aheadLine(t *testing.T, machines int) (f *fleet, a, b *machine) {
	f = newFleet(t, machines, 1)
	f.sameClocks(f.machines[0].Clock)
	a, b = f.machines[0], f.machines[1]
	a.Put("/k", `"first"`)
	f.with(a, f.depots[0])
	f.with(b, f.depots[0])
	a.Clock = a.Clock.Add(30 * day)
	a.Put("/k", `"OLD"`)
	f.with(a, f.depots[0])
	a.Clock, a.Dirty = b.Clock, true
	if rep := f.with(b, f.depots[0]); len(rep.Waiting) != 1 || rep.Waiting[0].Lines != 1 {
		t.Fatalf("%+v", rep)
	}
	return f, a, b
}

// A line from the future waits for good: its date brings it in nowhere where it was seen before.
func TestLateLinesNeverEnterByDate(t *testing.T) {
	f, _, b := aheadLine(t, 2)
	b.Clock = b.Clock.Add(time.Hour)
	b.Put("/k", `"NEW"`)
	for _, days := range []int{0, 10, 31, 400} {
		b.Clock = b.Clock.Add(time.Duration(days) * day)
		if rep := f.with(b, f.depots[0]); len(rep.Waiting) != 1 || rep.Received != 0 {
			t.Errorf("after %d days: %+v", days, rep)
		}
		if got := b.content("/k"); got != `"NEW"` {
			t.Errorf("after %d days: %s", days, got)
		}
	}
}

// A person takes lines that wait: with a time of now where they are ahead still, and as they are
// where they are not. Dropped ones never come again.
func TestTakeAndDropLateLines(t *testing.T) {
	for _, c := range []struct {
		name string
		do   exchange.Late
		days int
		want string
		sent int // the depot lacks a line with another time
	}{
		{"taken while ahead", exchange.Take, 0, `"OLD"`, 1},
		{"taken after its date", exchange.Take, 40, `"OLD"`, 0},
		{"dropped", exchange.Drop, 0, `"first"`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, _, b := aheadLine(t, 3)
			third := f.machines[2]
			b.Dirty, third.Dirty = true, true // clocks go on, and stores have lines of then
			b.Clock = b.Clock.Add(time.Duration(c.days) * day)
			rep := f.withJob(b, func(j *exchange.Job) { j.Late = c.do })
			if rep.Taken+rep.Dropped != 1 || len(rep.Waiting) != 0 || rep.Sent != c.sent {
				t.Errorf("%+v", rep)
			}
			if got := b.content("/k"); got != c.want {
				t.Errorf("it holds %s", got)
			}
			if c.do == exchange.Take && c.days == 0 {
				b.Clock = b.Clock.Add(time.Minute)
				b.Put("/k", `"NEW"`)
				c.want = `"NEW"`
			}
			b.Clock = b.Clock.Add(60 * day)
			if rep = f.with(b, f.depots[0]); len(rep.Waiting)+rep.Received != 0 {
				t.Errorf("again: %+v", rep)
			}
			if got := b.content("/k"); got != c.want {
				t.Errorf("at last it holds %s", got)
			}
			third.Clock = b.Clock
			if f.with(third, f.depots[0]); c.days == 0 && c.do == exchange.Take {
				if got := third.content("/k"); got != c.want {
					t.Errorf("another machine has %s", got)
				}
			}
		})
	}
}

// A line that fsck --repair has given a time of now leaves the depot: no machine that joins after
// its date takes it.
func TestRepairedLineLeavesTheDepot(t *testing.T) {
	f, a, b := aheadLine(t, 3)
	_, err := a.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	a.Must(err)
	a.Clock = a.Clock.Add(time.Minute)
	a.Put("/k", `"NEW"`)
	f.with(a, f.depots[0])
	if rep := f.with(b, f.depots[0]); len(rep.Waiting) != 0 {
		t.Errorf("it waits still: %+v", rep)
	}
	f.sameClocks(a.Clock.Add(60 * day))
	for _, m := range f.machines {
		f.with(m, f.depots[0])
		if got := m.content("/k"); got != `"NEW"` {
			t.Errorf("machine %s has %s", m.id[30:], got)
		}
	}
}

// A line that this copy lost with its store, and no repair set aside, waits at the depot.
func TestLostLineFromTheFutureWaits(t *testing.T) {
	f := newFleet(t, 1, 1)
	a := f.machines[0]
	a.Put("/k", `"first"`)
	old, err := os.ReadFile(a.Root + "/log.jsonl")
	a.Must(err)
	a.Clock = a.Clock.Add(30 * day)
	a.Put("/k", `"ahead"`)
	f.with(a, f.depots[0])
	a.Close()
	a.Must(os.RemoveAll(a.Root))
	a.Must(os.MkdirAll(a.Root, 0o700))
	a.Must(os.WriteFile(a.Root+"/log.jsonl", old, 0o600))
	a.Open()
	a.Clock = a.Clock.Add(-30 * day)
	if rep := f.with(a, f.depots[0]); len(rep.Waiting) != 1 || rep.Cleaned != 0 {
		t.Errorf("%+v", rep)
	}
}

// Own lines that are ahead of the clock are not sent.
func TestAheadLinesAreNotSent(t *testing.T) {
	f := newFleet(t, 1, 1)
	a := f.machines[0]
	a.Clock = a.Clock.Add(30 * day)
	a.Put("/k", `"ahead"`)
	a.Clock, a.Dirty = a.Clock.Add(-30*day), true
	if rep := f.with(a, f.depots[0]); rep.Ahead != 1 || rep.Sent != 0 {
		t.Errorf("%+v", rep)
	}
}

// Where two other machines have exchanged at a later time, the reader is behind: it says so, and
// nothing waits, nor what waited before it knew.
func TestReaderThatIsBehind(t *testing.T) {
	f := newFleet(t, 3, 1)
	a, b, behind := f.machines[0], f.machines[1], f.machines[2]
	f.sameClocks(a.Clock)
	behind.Clock = behind.Clock.Add(-400 * day)
	a.Put("/k/a", `"of a"`)
	f.with(a, f.depots[0])
	if rep := f.with(behind, f.depots[0]); len(rep.Waiting) != 1 || rep.Behind != 0 {
		t.Errorf("of one other machine: %+v", rep)
	}
	b.Put("/k/b", `"of b"`)
	f.with(b, f.depots[0])
	rep := f.with(behind, f.depots[0])
	if len(rep.Waiting) != 0 || rep.Received != 2 || rep.Behind != log.StampOf(a.Clock) {
		t.Errorf("of two: %+v", rep)
	}
	if behind.content("/k/a")+behind.content("/k/b") != `"of a""of b"` {
		t.Error("it lacks what the others wrote")
	}
	// The clocks of both were ahead, and are right again.
	f.sameClocks(behind.Clock)
	f.with(a, f.depots[0])
	f.with(b, f.depots[0])
	if rep = f.with(behind, f.depots[0]); rep.Behind != 0 {
		t.Errorf("it believes still that it is behind: %+v", rep)
	}
}

// Two machines that were ahead and never come again hold a reader to be behind for a week, by its
// own clock. Then what entered by their time is repaired, and comes back from no depot.
func TestGoneMachinesSayNoTimeForEver(t *testing.T) {
	f := newFleet(t, 3, 1)
	f.sameClocks(f.machines[0].Clock)
	a, b, reader := f.machines[0], f.machines[1], f.machines[2]
	for _, gone := range []*machine{a, b} {
		gone.Clock, gone.Dirty = gone.Clock.Add(30*day), true
		gone.Put("/k/"+gone.id, `"ahead"`)
		f.with(gone, f.depots[0])
	}
	reader.Dirty = true
	for _, days := range []int{0, 3, 3} {
		reader.Clock = reader.Clock.Add(time.Duration(days) * day)
		if rep := f.with(reader, f.depots[0]); rep.Behind == 0 {
			t.Errorf("within a week: %+v", rep)
		}
	}
	reader.Clock = reader.Clock.Add(2 * day)
	if rep := f.with(reader, f.depots[0]); rep.Behind != 0 || rep.Ahead != 2 {
		t.Errorf("after a week: %+v", rep)
	}
	_, err := reader.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true, TrustClock: true})
	reader.Must(err)
	for range 2 {
		rep := f.with(reader, f.depots[0])
		if rep.Behind != 0 || rep.Ahead+rep.Received+len(rep.Waiting) != 0 {
			t.Errorf("once repaired: %+v", rep)
		}
	}
	for _, gone := range []*machine{a, b} {
		if got := reader.content("/k/" + gone.id); got != `"ahead"` {
			t.Errorf("it holds %q", got)
		}
	}
}

// A segment in which a line waits is read again where a person takes that: its head is not a newer
// one of its machine, whose clock is right by now.
func TestHeadsReadAgainAreNotNew(t *testing.T) {
	f := newFleet(t, 3, 1)
	f.sameClocks(f.machines[0].Clock)
	reader := f.machines[2]
	for _, m := range f.machines[:2] {
		m.Clock = m.Clock.Add(30 * day)
		m.Put("/late/"+m.id, `"ahead"`)
		m.Dirty = true
		if f.with(m, f.depots[0]); m == f.machines[0] {
			f.with(reader, f.depots[0])
		}
		m.Clock = reader.Clock
		m.fold(line("/now/"+m.id, `"in time"`, log.StampOf(m.Clock)))
		f.with(m, f.depots[0])
	}
	if rep := f.with(reader, f.depots[0]); rep.Behind != 0 || rep.Waiting == nil {
		t.Fatalf("all clocks are right: %+v", rep)
	}
	if rep := f.withJob(reader, func(j *exchange.Job) { j.Late = exchange.Take }); rep.Taken != 2 {
		t.Errorf("taken: %+v", rep)
	}
	if rep := f.with(reader, f.depots[0]); rep.Behind != 0 {
		t.Errorf("read again: %+v", rep)
	}
}

// A line that a purge takes waits no longer, also where the clock of its machine was behind.
func TestPurgedLineWaitsNoLonger(t *testing.T) {
	f := newFleet(t, 1, 1)
	a := f.machines[0]
	a.Put("/k", `"text"`)
	f.with(a, f.depots[0])
	a.Clock = a.Clock.Add(-400 * day)
	a.purge("/k")
	f.with(a, f.depots[0])
	a.Clock = a.Clock.Add(400 * day)
	for range 2 {
		if rep := f.with(a, f.depots[0]); len(rep.Waiting) != 0 {
			t.Errorf("%+v", rep)
		}
	}
}

// A file of a machine is read back as it was written.
func TestWaitingLinesAreKept(t *testing.T) {
	f, a, b := aheadLine(t, 2)
	text, err := os.ReadFile(f.job(b, nil, f.depots[0]).SeenFile)
	b.Must(err)
	if !strings.Contains(string(text), "\nw ") || !strings.Contains(string(text), a.id) {
		t.Errorf("%s", text)
	}
	if rep := f.with(b, f.depots[0]); len(rep.Waiting) != 1 || rep.Waiting[0].Machine.ID != a.id {
		t.Errorf("%+v", rep)
	}
}

// The machine whose clock was ahead says so until it is repaired, also where it has sent the line,
// and where another machine has taken that: it alone holds the old one for the newest.
func TestTheAuthorOfALineAheadSaysSo(t *testing.T) {
	f, a, b := aheadLine(t, 2)
	path := f.depots[0]
	if rep := f.with(a, path); rep.Ahead != 1 {
		t.Errorf("that it has sent: %+v", rep)
	}
	f.withJob(b, func(j *exchange.Job) { j.Late = exchange.Take })
	b.Clock = b.Clock.Add(time.Minute)
	b.Put("/k", `"NEW"`)
	f.with(b, path)
	a.Clock = b.Clock.Add(time.Minute)
	for range 2 {
		if rep := f.with(a, path); rep.Ahead != 1 || a.content("/k") != `"OLD"` {
			t.Errorf("that was taken: %s, %+v", a.content("/k"), rep)
		}
	}
	_, err := a.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true, TrustClock: true})
	a.Must(err)
	if rep := f.with(a, path); rep.Ahead != 0 || a.content("/k") != `"NEW"` {
		t.Errorf("repaired: %s, %+v", a.content("/k"), rep)
	}
}

// A segment in which lines wait, and that is damaged meanwhile, leaves the depot, too, though it is
// not read each time: its author sends its lines again once they are repaired.
func TestDamagedLateSegmentHeals(t *testing.T) {
	for _, scope := range []string{exchange.User, strings.Repeat("0123456789abcdef", 4)} {
		f := newFleet(t, 2, 1)
		f.sameClocks(f.machines[0].Clock)
		a, b := f.machines[0], f.machines[1]
		sync := func(m *machine, late exchange.Late) exchange.Report {
			if scope != exchange.User {
				f.with(m, f.depots[0])
			}
			return f.withJob(m, func(j *exchange.Job) {
				if j.Scope, j.Late = scope, late; scope != exchange.User {
					j.SeenFile, j.FutureFile = j.SeenFile+"-project", j.FutureFile+"-project"
				}
			})
		}
		a.Clock = a.Clock.Add(30 * day)
		a.Put("/k", `"OLD"`)
		a.Dirty = true
		for _, m := range f.machines {
			sync(m, exchange.Keep)
		}
		for file, data := range segments(t, f.depots[0]) {
			a.Must(os.WriteFile(file, data[:len(data)/2], 0o600))
		}
		if rep := sync(b, exchange.Take); len(rep.Rejected) != 1 {
			t.Errorf("of %s: %+v", scope, rep)
		}
		healed := 0
		for range 2 {
			f.sameClocks(b.Clock.Add(25 * time.Hour))
			sync(b, exchange.Keep)
			healed += sync(a, exchange.Keep).Healed
		}
		_, err := a.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true, TrustClock: true})
		a.Must(err)
		sync(a, exchange.Keep)
		rep := sync(b, exchange.Take)
		if healed != 1 || len(rep.Rejected) > 0 || b.content("/k") != `"OLD"` {
			t.Errorf("of %s: %d healed, it has %q: %+v", scope, healed, b.content("/k"), rep)
		}
	}
}
