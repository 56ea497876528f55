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
	"github.com/set-memory/mem/internal/view/lettering"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// plainNote is a note of before, and its key with letters.
func plainNote(m *machine) (was log.Envelope, lettered keypath.Key) {
	m.T.Helper()
	was = line("/note/user/u-1", `{"type":"note","text":"Zanzibar is so"}`, log.StampOf(m.Clock)-9)
	lettered, err := note.Letter([]log.Envelope{was})
	m.Must(err)
	return was, lettered
}

// A note with a plain id stays on its machine as it is, whatever another one has of that id.
func TestPlainNotesStay(t *testing.T) {
	f := newFleet(t, 2, 1)
	a, b := f.machines[0], f.machines[1]
	was, _ := plainNote(a)
	a.fold(was)
	b.Put("/k/1", `"x"`)
	f.with(a, f.depots[0])
	f.with(b, f.depots[0])
	f.with(a, f.depots[0])
	if got := a.Content("/note/user/u-1"); got != string(was.Content) {
		t.Errorf("a has %s", got)
	}
	if in := finds(b.Root, "Zanzibar"); in != "" {
		t.Errorf("b has it in %s", in)
	}
}

// A note of a backup or of a store of before, which was purged with its letters, is not brought
// back by a restore, nor by a repair.
func TestPurgedNotesOfBefore(t *testing.T) {
	f := newFleet(t, 4, 2)
	a, b, c, d := f.machines[0], f.machines[1], f.machines[2], f.machines[3]
	was, lettered := plainNote(a)
	a.fold(was, line("/y", `{"references":["/note/user/u-1"]}`, log.StampOf(a.Clock)-5))
	f.backup(a, f.depots[1])
	if rep := f.restore(d, f.depots[1], a.id); rep.Lines != 2 {
		t.Errorf("%+v", rep)
	}
	if got := d.Content(lettered.String()); got != string(was.Content) {
		t.Errorf("restored: %s", got)
	}
	if got := d.Content("/y"); got != `{"references":["`+lettered.String()+`"]}` {
		t.Errorf("its reference: %s", got)
	}
	f.with(d, f.depots[0])
	_, err := d.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{lettered}})
	d.Must(err)
	f.with(d, f.depots[0])

	f.with(b, f.depots[0])
	f.restore(b, f.depots[1], a.id)
	c.fold(was)
	_, err = lettering.Give(ctx, c.Store.Store, mem.Caller{})
	c.Must(err)
	f.with(c, f.depots[0])
	for name, m := range map[string]*machine{"restored": b, "repaired, then exchanged": c} {
		if in := finds(m.Root, "Zanzibar"); in != "" {
			t.Errorf("%s: the purged text is in %s", name, in)
		}
	}
	a.Dirty = false
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
