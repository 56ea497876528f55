package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/edit"
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
	b.Clock = b.Clock.Add(-40 * time.Hour)
	b.Dirty = true // fsck names the line of the future
	f.with(b, f.depots[0])
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

// Lines of others with later times, which came before one's own, win and delete nothing.
func TestOthersCameFirst(t *testing.T) {
	f := newFleet(t, 3, 1)
	own, second, other, plain := f.machines[0], f.machines[1], f.machines[2], f.newPlain()
	second.Clock, other.Clock = own.Clock, own.Clock.Add(20*time.Hour)
	own.Put("/k/style", `"tabs"`)
	own.Put("/k/doomed", `{"text":"precious"}`)
	other.Put("/k/style", `"evil"`)
	other.Put("/k/doomed", `"x"`)
	_, _, err := other.Delete(ctx, mem.Caller{}, []keypath.Key{keypath.MustParse("/k/doomed")}, nil)
	other.Must(err)
	f.with(other, plain)
	f.with(second, plain)
	f.with(own, f.depots[0])
	f.with(second, f.depots[0])
	for key, want := range map[string]string{"/k/style": `"tabs"`,
		"/k/doomed": `{"text":"precious"}`} {
		rec, err := second.Get(ctx, mem.Caller{}, keypath.MustParse(key), false)
		if err != nil || string(rec.Content) != want {
			t.Errorf("%s is %s, %v", key, rec.Content, err)
		}
	}
}

// What a person makes of a fact of others is a line of their memory: it travels, as a fact.
func TestEditedFactTravels(t *testing.T) {
	f := newFleet(t, 3, 1)
	own, second, other, plain := f.machines[0], f.machines[1], f.machines[2], f.newPlain()
	second.Clock, other.Clock = own.Clock.Add(time.Hour), own.Clock
	other.Put("/k/e1", `{"text":"door is open"}`)
	own.Put("/k/own", `{"text":"own words"}`)
	f.with(other, plain)
	f.with(own, plain)
	own.Clock = own.Clock.Add(time.Minute)
	key := func(text string) keypath.Key { return keypath.MustParse(text) }
	_, err := edit.Merge(ctx, own.Store.Store, mem.Caller{},
		[]keypath.Key{key("/k/own"), key("/k/e1")}, key("/k/both"), edit.MergeOptions{})
	own.Must(err)
	f.with(own, f.depots[0])
	f.with(second, f.depots[0])
	rec, err := second.Get(ctx, mem.Caller{}, key("/k/both"), false)
	if err != nil || !strings.Contains(string(rec.Content), "own words") ||
		content.Claim(rec.Source) == "" {
		t.Errorf("%s, %v", rec.Envelope.Line(), err)
	}
}

// Lines that no store would take, and segments of a scope that is none, are left out.
func TestOddLinesOfOthers(t *testing.T) {
	f := newFleet(t, 2, 0)
	own, other, plain := f.machines[0], f.machines[1], f.newPlain()
	for i, e := range []log.Envelope{
		{TS: -62167219200000000, Content: []byte(`"year 0"`), Source: []byte(`"x"`)},
		{TS: log.StampOf(own.Clock), Content: []byte(`"` + strings.Repeat("x", 3<<20) + `"`),
			Source: []byte(`"x"`)},
		{TS: log.StampOf(own.Clock), Content: []byte(`"y"`),
			Source: []byte(`"` + strings.Repeat("x", 110<<10) + `"`)}} {
		e.Key = keypath.MustParse(fmt.Sprintf("/k/%d", i))
		other.fold(false, e)
	}
	f.with(other, plain)
	if rep := f.with(own, plain); rep.Received != 0 {
		t.Errorf("%+v", rep)
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

// Segments that are read again the next time, for purges of others that wait or clocks that are
// ahead, are read once in one exchange.
func TestPartsEnd(t *testing.T) {
	defer exchange.SetRoom(1000)()
	f := newFleet(t, 3, 1)
	own, other, ahead, plain := f.machines[0], f.machines[1], f.machines[2], f.newPlain()
	other.Clock, ahead.Dirty = own.Clock, true
	var keys []keypath.Key
	for i := range 25 {
		other.Put(fmt.Sprintf("/k/%d", i), `"others"`)
		keys = append(keys, keypath.MustParse(fmt.Sprintf("/k/%d", i)))
	}
	f.with(other, plain)
	f.with(own, plain)
	for i := range 4 {
		other.Clock = other.Clock.Add(time.Minute)
		_, err := other.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: keys[i*6 : i*6+6]})
		other.Must(err)
		other.Put(fmt.Sprintf("/long/%d", i), `"`+strings.Repeat("x", 2000)+`"`)
		f.with(other, plain)
	}
	for range 2 {
		if rep := f.with(own, plain); rep.Asked > 20 {
			t.Errorf("%+v", rep)
		}
	}
	for i := range 4 {
		ahead.Clock = own.Clock.Add(48 * time.Hour)
		ahead.Put(fmt.Sprintf("/ahead/%d", i), `"`+strings.Repeat("x", 2000)+`"`)
		ahead.Clock = own.Clock
		f.with(ahead, f.depots[0])
	}
	if rep := f.with(own, f.depots[0]); len(rep.Waiting) < 3 {
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
