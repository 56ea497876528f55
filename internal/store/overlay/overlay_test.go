package overlay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/overlay"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// begin begins an update of a group over a store.
func (b *base) begin() *overlay.Tx { return b.group().Begin(ctx, backend.Caller{}) }

func below(t *testing.T, tx *overlay.Tx, under string) string {
	t.Helper()
	p, err := keypath.ParsePrefix(under)
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for rec, err := range tx.ScanBelow(ctx, p) {
		if err != nil {
			text = append(text, err.Error())
			continue
		}
		text = append(text, fmt.Sprintf("%s=%s", rec.Key, rec.Content))
	}
	return strings.Join(text, " ")
}

func TestStampsFollowAllThereIs(t *testing.T) {
	b := newBase(write("/a", "1", 60)) // after what the clock says
	g := b.group()
	tx := g.Begin(ctx, backend.Caller{})
	stamps, err := tx.Append(stamped("/b", "1"), imported("/c", "1", 90), stamped("/d", "1"))
	if err != nil {
		t.Fatal(err)
	}
	if stamps[0] <= b.last() || stamps[1] != write("/c", "1", 90).TS || stamps[2] <= stamps[1] {
		t.Errorf("stamps %v after %s", stamps, b.last())
	}
	g.Take(tx)
	later := g.Begin(ctx, backend.Caller{Now: write("/x", "1", 3600).TS})
	more, err := later.Append(stamped("/e", "1"))
	if err != nil || more[0] != write("/x", "1", 3600).TS {
		t.Errorf("the caller's instant: %v, %v", more, err)
	}
}

// An update that fails leaves the caller's writes and the group as they were.
func TestUntakenLeavesNothing(t *testing.T) {
	g := newBase().group()
	w := stamped("/a", "1")
	tx := g.Begin(ctx, backend.Caller{})
	if _, err := tx.Append(w); err != nil {
		t.Fatal(err)
	}
	if w.TS != write("/a", "1", 0).TS {
		t.Error("the caller's envelope was stamped")
	}
	next := g.Begin(ctx, backend.Caller{})
	if got := below(t, next, "/"); got != "" {
		t.Errorf("the next update sees %s", got)
	}
	if g.Take(next) || len(g.Batch) > 0 || g.Last != log.MinStamp {
		t.Errorf("the group has %v up to %s", g.Batch, g.Last)
	}
}

func TestImportsMustWin(t *testing.T) {
	have := []log.Envelope{write("/a", "5", 10), write("/gone", "null", 20), write("/z", "1", 30)}
	for _, c := range []struct {
		name   string
		writes []backend.Write
		older  bool
		asked  int
	}{
		{"newer than all", []backend.Write{imported("/a", "1", 31)}, false, 0},
		{"in order", []backend.Write{imported("/a", "1", 31), imported("/a", "2", 32)}, false, 0},
		{"newer than its key", []backend.Write{imported("/a", "1", 11)}, false, 1},
		{"older", []backend.Write{imported("/a", "1", 9)}, true, 1},
		{"older than a tombstone", []backend.Write{imported("/gone", "1", 19)}, true, 1},
		{"the same again", []backend.Write{imported("/a", "5", 10)}, true, 1},
		{"of one ts the greater bytes", []backend.Write{imported("/a", "6", 10)}, false, 1},
		{"of one ts the smaller bytes", []backend.Write{imported("/a", "4", 10)}, true, 1},
		{"of a new key", []backend.Write{imported("/new", "1", 1)}, false, 1},
		{"older than one in the batch",
			[]backend.Write{imported("/b", "1", 40), imported("/b", "2", 35)}, true, 0},
		{"older than one stamped in the batch",
			[]backend.Write{stamped("/b", "1"), imported("/b", "2", 5)}, true, 1},
		{"older than another's", []backend.Write{imported("/b", "1", 40), imported("/c", "2", 35)},
			false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBase(have...)
			tx := b.begin()
			_, err := tx.Append(c.writes...)
			if errors.Is(err, backend.ErrOlder) != c.older || !c.older && err != nil {
				t.Errorf("error %v", err)
			}
			if c.older && len(tx.Batch) > 0 {
				t.Errorf("appended all the same: %v", tx.Batch)
			}
			if b.asked != c.asked {
				t.Errorf("asked the store %d times", b.asked)
			}
		})
	}
}

// What was put before, by the update or by another of its group, is older too.
func TestImportsMustWinAgainstTheGroup(t *testing.T) {
	g := newBase(write("/z", "1", 100)).group()
	first := g.Begin(ctx, backend.Caller{})
	if _, err := first.Append(imported("/a", "1", 50)); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Append(imported("/a", "2", 40)); !errors.Is(err, backend.ErrOlder) {
		t.Errorf("in the same update: %v", err)
	}
	g.Take(first)
	second := g.Begin(ctx, backend.Caller{})
	if _, err := second.Append(imported("/a", "2", 45)); !errors.Is(err, backend.ErrOlder) {
		t.Errorf("in the next update: %v", err)
	}
}

func TestBelowPassesErrorsOn(t *testing.T) {
	b := newBase(write("/b", "1", 1), write("/d", "1", 2))
	b.damage = []*log.Damage{{Pos: log.Pos{File: "x", Line: 1}, Reason: errors.New("broken line")}}
	tx := b.begin()
	_, err := tx.Append(stamped("/a", "2"), stamped("/d", "null"), stamped("/e", "2"))
	if err != nil {
		t.Fatal(err)
	}
	want := b.damage[0].Error() + " /a=2 /b=1 /e=2"
	if got := below(t, tx, "/"); got != want {
		t.Errorf("with a damaged line: %s", got)
	}
	b.damage, b.failed = nil, errors.New("went away")
	if got := below(t, tx, "/"); got != "/a=2 /b=1 went away" {
		t.Errorf("nothing comes after an error: %s", got)
	}
	for range tx.ScanBelow(ctx, keypath.Prefix{}) {
		break // a consumer that has enough
	}
}

func TestNoKeysReadNothing(t *testing.T) {
	b := newBase(write("/a", "1", 1))
	found, err := b.begin().NewestEver(ctx, nil)
	if len(found) > 0 || err != nil || b.asked > 0 {
		t.Errorf("%v, %v, asked %d times", found, err, b.asked)
	}
}

func TestNumbers(t *testing.T) {
	counter := keypath.Counters()[0]
	note := func(n int64) string { return fmt.Sprintf("/note/user/m-%d", n) }
	g := newBase(write(note(3), "1", 1), write(note(4), "null", 2)).group()
	next := func(tx *overlay.Tx, want int64) {
		t.Helper()
		if n, err := tx.NextNumber(ctx, counter); n != want || err != nil {
			t.Errorf("number %d, %v instead of %d", n, err, want)
		}
	}
	tx := g.Begin(ctx, backend.Caller{})
	next(tx, 5)
	next(tx, 6)
	if _, err := tx.Append(stamped(note(9), "1")); err != nil {
		t.Fatal(err)
	}
	next(tx, 10)
	next(g.Begin(ctx, backend.Caller{}), 5) // nothing of tx is taken yet
	g.Take(tx)
	next(g.Begin(ctx, backend.Caller{}), 11)
	if _, err := tx.NextNumber(ctx, "none"); !errors.Is(err, backend.ErrNoCounter) {
		t.Errorf("of no counter: %v", err)
	}
}

func TestNoSizeOfOtherPrefixes(t *testing.T) {
	_, _, err := newBase().begin().Size(ctx, keypath.Prefix{})
	if !errors.Is(err, backend.ErrNoSize) {
		t.Error(err)
	}
}
