package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// A command over two stores is killed before each system call that changes the disk: the next write
// to either store finds nothing of it, or ends it.
func TestTheNextWriteEndsAKilledCommand(t *testing.T) {
	t.Parallel()
	err := tracing()
	testkit.Need(t, err == nil, fmt.Sprintf("processes cannot be traced here: %v", err))
	bin := filepath.Join(buildMem(t), "mem")
	move := []string{"move", "/user/a", "--to", "project"}
	for _, c := range []struct {
		name  string
		ready []string
		args  []string
	}{
		{"move", nil, move},
		{"undo", move, []string{"undo", "--last"}},
		{"undo of a forget", []string{"forget", "/p/a", "/user/a"}, []string{"undo", "--last"}},
	} {
		for i, next := range []string{"/user/next", "/p/next"} {
			after := newTwoStores(t, bin).ended(c.ready, c.args)
			kills, halves, step := 0, 0, testkit.Extent(9, 3, 1)
			for n := testkit.First(t, step); ; n += step {
				w := newTwoStores(t, bin)
				if c.ready != nil {
					w.mem(c.ready...)
				}
				before := w.live()
				_, last, exit, err := traceKill(w.command(c.args...), n)
				if err != nil {
					t.Fatal(err)
				}
				if exit >= 0 {
					break
				}
				kills++
				half := w.live()
				w.mem("set", next, `{"text":"next"}`, "-s", "t", "-q")
				got := besides(w.live(), next)
				if half != before && half != after {
					halves++
				}
				if got != after && (got != before || half != before) {
					t.Fatalf("%s, then %s, killed before call %d (%s): %s\nhalf:\n%swant\n%sor\n%s",
						c.name, next, n, last, got, half, after, before)
				}
				w.mem("set", "/user/last", "1", "-s", "t", "-q") // each store heals at its write
				w.mem("set", "/p/last", "1", "-s", "t", "-q")
				w.mem("fsck")
			}
			t.Logf("%s, %d: %d kills, %d of them between the appends", c.name, i, kills, halves)
			if kills < testkit.Extent(2, 8, 8) || testkit.Extent(false, true, true) && halves == 0 {
				t.Errorf("%s: too few kills", c.name)
			}
		}
	}
}

// ended returns what two stores hold after a command that is not killed.
func (w *twoStores) ended(ready, args []string) string {
	if ready != nil {
		w.mem(ready...)
	}
	w.mem(args...)
	return w.live()
}

func besides(list, key string) (rest string) {
	for line := range strings.Lines(list) {
		if !strings.Contains(line, " "+key+" ") {
			rest += line
		}
	}
	return rest
}

// A move that was killed between its stores is taken back by an undo as a whole.
func TestAKilledMoveIsTakenBack(t *testing.T) {
	t.Parallel()
	err := tracing()
	testkit.Need(t, err == nil, fmt.Sprintf("processes cannot be traced here: %v", err))
	bin := filepath.Join(buildMem(t), "mem")
	halves, step := 0, testkit.Extent(9, 3, 1)
	for n := testkit.First(t, step); ; n += step {
		w := newTwoStores(t, bin)
		before := w.live()
		_, last, exit, err := traceKill(w.command("move", "/user/a", "--to", "project"), n)
		if err != nil {
			t.Fatal(err)
		}
		if exit >= 0 {
			break
		}
		if w.live() == before {
			continue // the last command is another one
		}
		halves++
		w.mem("undo", "--last")
		undone := w.live()
		w.mem("set", "/user/next", "1", "-s", "t", "-q")
		w.mem("set", "/p/next", "1", "-s", "t", "-q")
		got := besides(besides(w.live(), "/user/next"), "/p/next")
		if undone != before || got != before {
			t.Fatalf("killed before call %d (%s): undone\n%sand later\n%swant\n%s", n, last, undone,
				got, before)
		}
		w.mem("fsck")
	}
	if t.Logf("%d undone", halves); halves == 0 && testkit.Extent(false, true, true) {
		t.Error("too few kills")
	}
}
