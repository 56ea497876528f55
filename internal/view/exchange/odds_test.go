package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A note that is purged, deleted or edited while its exchange gives it letters is not brought back.
func TestChangesWhileLettering(t *testing.T) {
	const notes = 800
	late := 0
	for round := range 8 {
		f := newFleet(t, 1, 1)
		m := f.machines[0]
		var lines []log.Envelope
		for i := range notes {
			lines = append(lines, line(fmt.Sprintf("/note/user/u-%d", i+1),
				fmt.Sprintf(`{"type":"note","text":"fact%05d is so"}`, i),
				log.StampOf(m.Clock)+log.Stamp(i)))
		}
		m.fold(false, lines...)
		done := make(chan error)
		go func() {
			_, err := f.sync(m, f.depots[0])
			done <- err
		}()
		time.Sleep(time.Duration(round) * 1500 * time.Microsecond)
		key := keypath.MustParse("/note/user/u-7")
		deleted, _, err := m.Delete(ctx, mem.Caller{}, []keypath.Key{key}, nil)
		m.Must(err)
		_, err = m.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{key}})
		m.Must(err)
		m.Must(<-done)
		if len(deleted) == 0 {
			continue // it had letters already
		}
		late++
		for range 2 {
			if _, err := f.sync(m, f.depots[0]); err != nil {
				t.Fatal(err)
			}
		}
		if in := finds(m.Root, "fact00006 is so"); in != "" {
			t.Errorf("round %d: the purged note is back in %s", round, in)
		}
	}
	if late == 0 {
		t.Error("no purge came before the letters")
	}
}

// A segment with a line of a clock ahead that goes away takes nothing along.
func TestLateSegmentThatVanishes(t *testing.T) {
	f := newFleet(t, 3, 1)
	a, b, c := f.machines[0], f.machines[1], f.machines[2]
	b.Put("/k/now", `"acknowledged"`)
	b.Clock = b.Clock.Add(40 * time.Hour)
	b.Put("/k/ahead", `"ahead"`)
	f.with(b, f.depots[0])
	b.Clock = b.Clock.Add(-40 * time.Hour)
	b.Dirty = true // fsck names the line of the future
	if rep := f.with(a, f.depots[0]); rep.Received != 1 || len(rep.Waiting) != 1 {
		t.Fatalf("%+v", rep)
	}
	segments, err := filepath.Glob(filepath.Join(f.depots[0], "??", "*"))
	a.Must(err)
	for _, path := range segments {
		a.Must(os.Remove(path))
	}
	f.with(a, f.depots[0])
	f.with(c, f.depots[0])
	if _, err := c.Get(ctx, mem.Caller{}, keypath.MustParse("/k/now"), false); err != nil {
		t.Error(err)
	}
}

// A depot that has more than is folded in at a time is folded in by parts.
func TestParts(t *testing.T) {
	defer exchange.SetRoom(1000)()
	f := newFleet(t, 2, 1)
	for i := range 20 {
		f.machines[0].Put(fmt.Sprintf("/k/%d", i), `"`+strings.Repeat("x", 300)+`"`)
		f.with(f.machines[0], f.depots[0])
	}
	f.machines[1].Put("/k/own", `"own"`)
	rep := f.with(f.machines[1], f.depots[0])
	if rep.Received != 20 || rep.Sent != 1 {
		t.Errorf("%+v", rep)
	}
	if rep = f.with(f.machines[1], f.depots[0]); rep.Received+rep.Sent != 0 {
		t.Errorf("%+v", rep)
	}
}

// The mark of a purge that comes with the first part of many lines cleans the segments that were
// known before, too, also where the exchange is killed before it comes to that.
func TestPurgeInParts(t *testing.T) {
	defer exchange.SetRoom(1000)()
	for round := range 12 {
		f := newFleet(t, 2, 1)
		a, b, path := f.machines[0], f.machines[1], f.depots[0]
		b.Clock = a.Clock
		sync := func(m *machine) {
			t.Helper()
			_, err := f.sync(m, path)
			m.Must(err)
		}
		a.Put("/k/gone", `"purged words"`)
		sync(a)
		old, err := filepath.Glob(filepath.Join(path, "??", "*"))
		a.Must(err)
		sync(b)
		text, err := os.ReadFile(old[0])
		a.Must(err)
		a.Clock = a.Clock.Add(time.Minute)
		_, err = a.Purge(ctx, mem.Caller{}, mem.PurgeOptions{
			Keys: []keypath.Key{keypath.MustParse("/k/gone")}})
		a.Must(err)
		sync(a)
		for i := range 8 {
			a.Put(fmt.Sprintf("/k/%d", i), `"`+strings.Repeat("x", 2000)+`"`)
			sync(a)
		}
		a.Must(os.MkdirAll(filepath.Dir(old[0]), 0o700))
		a.Must(os.WriteFile(old[0], text, 0o600)) // a program puts it back
		if round%2 == 1 {
			killed(round*12, func() { f.sync(b, path) })
		}
		sync(b)
		if _, err := os.Stat(old[0]); err == nil {
			t.Errorf("round %d: the segment with the purged line is there", round)
		}
	}
}
