package e2e

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// The clock is up to ten years behind or ahead, between writes, compactions, rotations and reboots:
// fsck accuses nobody and a repair re-dates nothing; what has expired by the clock of now is not
// shown, and what has not is, whatever compactions by other clocks have left out.
func TestExpiryAndFsckByAnyClock(t *testing.T) {
	t.Parallel()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		w := &expiring{rt: rt, over: map[string]time.Time{},
			f: &fixture{&storetest.Store{T: t, Root: storetest.Dir(t) + "/memory", Clock: noon}}}
		w.f.Open()
		defer func() { w.f.Close() }()
		w.write()
		for range rapid.IntRange(2, 10).Draw(rt, "steps") {
			switch rapid.IntRange(0, 4).Draw(rt, "step") {
			case 0:
				w.compact("{}")
			case 1:
				w.compact(`{"rotate":{"lines":1,"bytes":1}}`)
			case 2:
				w.write()
			case 3:
				days := rapid.IntRange(-3650, 3650).Draw(rt, "days off")
				w.f.Clock = noon.AddDate(0, 0, days)
			case 4:
				w.f.Close()
				w.f.Open()
			}
			w.shown()
			w.sound()
			runs++
		}
	})
	if t.Logf("%d steps", runs); runs < testkit.Extent(60, 300, 300) {
		t.Error("that is too little")
	}
}

type expiring struct {
	rt     *rapid.T
	f      *fixture
	over   map[string]time.Time // when what a key holds expires
	newest log.Stamp
}

// write writes twice, so that a later write agrees with the time of an earlier one.
func (w *expiring) write() {
	for range 2 {
		w.f.Clock = w.f.Clock.Add(time.Minute)
		key := fmt.Sprintf("/k%d", len(w.over)%7)
		over := w.f.Clock.Add(time.Duration(rapid.IntRange(-24, 24*3650).Draw(w.rt, "hours")) *
			time.Hour)
		w.newest = w.f.Put(key, fmt.Sprintf(`{"expired_at":%q}`, over.Format(time.RFC3339))).TS
		w.over[key] = over
	}
}

func (w *expiring) compact(config string) {
	w.f.configure(config)
	w.f.Close()
	w.f.Open()
	if _, err := w.f.Compact(ctx, mem.Caller{}, mem.CompactOptions{}); err != nil {
		w.rt.Fatal(err)
	}
}

// shown checks what is live by the clock of now.
func (w *expiring) shown() {
	live, err := contents(w.f.Store)
	if err != nil {
		w.rt.Fatal(err)
	}
	for key, over := range w.over {
		got := w.f.Content(key)
		if _, listed := live[key]; listed != (got != "(none)") {
			w.rt.Fatalf("%s: get returns %s, the list has %v", key, got, live)
		}
		switch expired := w.f.Clock.After(over); {
		case expired && got != "(none)":
			w.rt.Fatalf("at %s: %s is over since %s, and shown", w.f.Clock, key, over)
		case !expired && got == "(none)":
			w.rt.Fatalf("at %s: %s is not over before %s, and gone", w.f.Clock, key, over)
		}
	}
}

// sound checks that there is nothing to find, and that a repair leaves every line as it is.
func (w *expiring) sound() {
	before := history(w.f.T, w.f.Store)
	rep, err := w.f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	if err != nil || len(rep.Found) > 0 {
		w.rt.Fatalf("at %s: fsck finds %v (%v)", w.f.Clock, rep.Found, err)
	}
	if after := history(w.f.T, w.f.Store); !maps.Equal(before, after) {
		w.rt.Fatalf("at %s: a repair changes the history from\n%v to\n%v", w.f.Clock, before, after)
	}
}
