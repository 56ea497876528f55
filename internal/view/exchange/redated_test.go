package exchange_test

import (
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/exchange"
)

// repair repairs a machine whose clock a person trusts.
func (m *machine) repair() {
	m.T.Helper()
	_, err := m.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true, TrustClock: true})
	m.Must(err)
}

// rounds has all machines exchange n times.
func (f *fleet) rounds(n int) {
	for range n {
		for _, m := range f.machines {
			m.Dirty = true
			f.with(m, f.depots[0])
		}
	}
}

// The mark of a purge that gets a time of now takes what its purge had seen from a clock ahead by
// less than a day: the version is not back as if it was written since.
func TestRedatedMarkIsLaterThanWhatItTook(t *testing.T) {
	for _, c := range []struct {
		name   string
		redate func(f *fleet, b, c *machine)
	}{
		{"repaired", func(_ *fleet, b, _ *machine) { b.repair() }},
		{"taken", func(f *fleet, b, c *machine) {
			b.Clock = b.Clock.Add(3 * day)
			f.with(b, f.depots[0])
			b.Clock = b.Clock.Add(-3 * day)
			f.withJob(c, func(j *exchange.Job) { j.Late = exchange.Take })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFleet(t, 3, 1)
			a, b := f.machines[0], f.machines[1]
			f.sameClocks(a.Clock)
			b.Clock = b.Clock.Add(3 * day)
			b.Put("/f", `"days ahead"`)
			b.Clock, b.Dirty = a.Clock, true
			a.Clock = a.Clock.Add(20 * time.Hour)
			a.Put("/k", `"SECRET"`)
			f.with(a, f.depots[0])
			f.with(b, f.depots[0])
			b.purge("/k")
			c.redate(f, b, f.machines[2])
			f.sameClocks(a.Clock.Add(time.Hour))
			f.rounds(3)
			for _, m := range f.machines {
				if got := m.content("/k"); got != "" {
					t.Errorf("machine %s has %s", m.id[30:], got)
				}
			}
			f.gone("at last", "SECRET")
		})
	}
}

// The mark of a purge by a clock days ahead that gets a time of now takes what its purge had seen,
// of whatever time, also what another machine has taken from the future since: and nothing that
// was written meanwhile, which is hidden and named.
func TestRedatedMarkTakesWhatItsPurgeHadSeen(t *testing.T) {
	for _, c := range []struct {
		name   string
		redate func(f *fleet, a, b *machine)
	}{
		{"repaired", func(_ *fleet, a, _ *machine) { a.repair() }},
		{"taken", func(f *fleet, _, b *machine) {
			f.withJob(b, func(j *exchange.Job) { j.Late = exchange.Take })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFleet(t, 3, 1)
			a, b, third, path := f.machines[0], f.machines[1], f.machines[2], f.depots[0]
			f.sameClocks(a.Clock)
			a.Put("/k", `"SECRET 1"`)
			f.rounds(1)
			f.sameClocks(a.Clock.Add(time.Hour))
			b.Put("/k", `"NEW"`)
			a.Clock = a.Clock.Add(3 * day)
			a.Put("/k", `"SECRET 2"`)
			a.Put("/k", `"SECRET 3"`)
			f.with(a, path)
			f.withJob(third, func(j *exchange.Job) { j.Late = exchange.Take })
			a.purge("/k")
			f.with(a, path)
			f.sameClocks(b.Clock.Add(time.Hour))
			a.Dirty = true
			f.with(a, path)
			f.with(b, path)
			c.redate(f, a, b)
			f.sameClocks(a.Clock.Add(time.Minute))
			f.rounds(3)
			f.gone("at last", "SECRET")
			for _, m := range f.machines {
				got, in := m.content("/k"), finds(m.Root, "NEW")
				if got != "" || in == "" {
					t.Errorf("machine %s has %q, and NEW in %q", m.id[30:], got, in)
				}
			}
		})
	}
}
