package exchange_test

import (
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
)

// gone checks that a text is in no file of a machine, and at no depot.
func (f *fleet) gone(when, text string) {
	f.t.Helper()
	for _, m := range f.machines {
		if in := finds(m.Root, text); in != "" {
			f.t.Errorf("%s it is in %s", when, in)
		}
	}
	for _, path := range f.depots {
		for name, plain := range f.unsealed(path) {
			if strings.Contains(plain, text) {
				f.t.Errorf("%s it is at a depot in %s", when, name)
			}
		}
	}
}

// A purge of a memory that was taken from the future reaches the line in whose place it came: the
// machine that wrote that, and other depots, do not give the text back. What was written since the
// purge is live everywhere.
func TestPurgeOfATakenLineReachesTheOld(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(f *fleet, a *machine)
	}{
		{"repaired", func(_ *fleet, a *machine) {
			_, err := a.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true, TrustClock: true})
			a.Must(err)
		}},
		{"its date comes", func(f *fleet, a *machine) { f.sameClocks(a.Clock.Add(60 * day)) }},
		{"nothing", func(*fleet, *machine) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, a, b := aheadLine(t, 3)
			f.withJob(b, func(j *exchange.Job) { j.Late = exchange.Take })
			b.Clock = b.Clock.Add(time.Minute)
			b.purge("/k")
			b.Clock = b.Clock.Add(time.Minute)
			b.Put("/k", `"NEW"`)
			f.with(b, f.depots[0])
			f.sameClocks(b.Clock.Add(time.Hour))
			for _, m := range f.machines {
				f.with(m, f.depots[0])
				if got := m.content("/k"); got != `"NEW"` {
					t.Errorf("machine %s has %s", m.id[30:], got)
				}
			}
			f.gone("after the exchange", "OLD")
			c.then(f, a)
			for range 2 {
				for _, m := range f.machines {
					if rep := f.with(m, f.depots[0]); len(rep.Hidden)+len(rep.Waiting) > 0 {
						t.Errorf("%+v", rep)
					}
					if got := m.content("/k"); got != `"NEW"` {
						t.Errorf("at last machine %s has %s", m.id[30:], got)
					}
				}
			}
			f.gone("at last", "OLD")
		})
	}
}

// A purge by a clock that is days behind reaches a version that it had from a right one, and hides
// no other that it had not seen.
func TestPurgeOfAClockBehind(t *testing.T) {
	f := newFleet(t, 3, 1)
	f.sameClocks(f.machines[0].Clock)
	a, b := f.machines[0], f.machines[1]
	a.Put("/k", `"OLD"`)
	a.Put("/other", `"other"`)
	f.with(a, f.depots[0])
	f.with(b, f.depots[0])
	b.Clock, b.Dirty = b.Clock.Add(-5*day), true
	b.purge("/k")
	f.with(b, f.depots[0])
	b.Clock = a.Clock.Add(time.Minute)
	f.sameClocks(b.Clock)
	for range 2 {
		for _, m := range f.machines {
			if rep := f.with(m, f.depots[0]); len(rep.Hidden) > 0 {
				t.Errorf("%+v", rep)
			}
		}
	}
	f.gone("after the exchange", "OLD")
	a.Put("/k", `"NEW"`)
	f.with(a, f.depots[0])
	if f.with(b, f.depots[0]); b.content("/k") != `"NEW"` || b.content("/other") == "" {
		t.Errorf("it has %q and %q", b.content("/k"), b.content("/other"))
	}
}

// A purge takes the proposals to change its key on each machine where the mark comes, also later
// ones to change a version that goes, and on a machine that never had the key. One about the key's
// next memory stays.
func TestPurgeElsewhereTakesProposals(t *testing.T) {
	const rule = `{"type":"preference","text":"tabs"}`
	f := newFleet(t, 3, 1)
	a, b, c := f.machines[0], f.machines[1], f.machines[2]
	propose := func(m *machine, text string) {
		f.sameClocks(a.Clock.Add(time.Minute))
		_, err := proposal.Add(ctx, m.Store.Store, mem.Caller{Client: "codex"}, proposal.Change{
			Verb: "set", Key: keypath.MustParse("/k"), Source: []byte(`"chat"`),
			Content: []byte(`{"type":"preference","text":"` + text + `"}`)})
		m.Must(err)
	}
	exchange := func() {
		for range 2 {
			for _, m := range f.machines {
				f.with(m, f.depots[0])
			}
		}
	}
	f.sameClocks(a.Clock)
	propose(c, "proposed alone")
	a.Put("/k", rule)
	f.with(a, f.depots[0])
	f.with(b, f.depots[0])
	propose(b, "proposed before")
	f.sameClocks(a.Clock.Add(time.Minute))
	a.purge("/k")
	propose(b, "proposed over it")
	exchange()
	f.gone("after the exchange", "proposed")
	f.sameClocks(a.Clock.Add(time.Minute))
	a.Put("/k", rule)
	exchange()
	propose(b, "since")
	exchange()
	list, err := proposal.List(ctx, b.Store.Store, mem.Caller{})
	if b.Must(err); len(list) != 1 {
		t.Errorf("%+v", list)
	}
}
