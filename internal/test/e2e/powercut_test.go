//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
)

// Whatever a power cut leaves of the writes, names and syncs of a scenario, what was acknowledged
// is there after the reboot, nothing that was never written is, and the next write leaves a clean
// store, even where its clock was set back and where the power fails once more.
func TestPowerCuts(t *testing.T) {
	t.Setenv("MEM_BOOT_ID", "boot-1")
	w := newCutWorld(t)
	w.play()
	picks, stride := testkit.Extent(1, 1, 8), testkit.Extent(67, 17, 1)
	again := testkit.Extent(97, 97, 29)
	states, deeper := w.cuts(picks, stride, again)
	if t.Failed() {
		return
	}
	remounts := w.remounts(1 + stride/6)
	t.Logf("%d calls, %d states, %d of a second power cut, %d remounts, "+
		"%d files late after them, %d glances, %d too early",
		w.tape.moment(), states, deeper, remounts, w.late, w.glances, w.early)
	wanted := testkit.Extent([]int{500, 100, 20, 10, 5, 200, 5},
		[]int{500, 600, 200, 60, 20, 500, 20}, []int{500, 7000, 8000, 200, 20, 500, 20})
	for i, n := range []int{w.tape.moment(), states, deeper, remounts, w.late, w.glances,
		w.early} {
		if n < wanted[i] {
			t.Errorf("number %d is %d, want %d", i, n, wanted[i])
		}
	}
}

// cuts tries power cuts at every stride-th moment, and at every again-th of them a second one.
func (w *cutWorld) cuts(picks, stride, again int) (states, deeper int) {
	for k := testkit.First(w.t, stride) - 1; k <= w.tape.moment(); k += stride {
		for i, c := range w.choosers(k, picks) {
			s := w.tape.after(k, c)
			if w.tape.busy[k] || !w.news(k, s) {
				continue
			}
			states++
			what := fmt.Sprintf("power cut after %d calls (next %s), %T %+v", k, w.next(k), c, c)
			s.build(w.t, w.tape)
			if states%again == 0 {
				deeper += w.cutAgain(k, what, s, i)
			} else {
				w.check(what, w.at(k), "boot-2")
			}
			if w.t.Failed() {
				return states, deeper
			}
		}
	}
	return states, deeper
}

// remounts tries a remount without a reboot.
func (w *cutWorld) remounts(stride int) (tried int) {
	w.t.Setenv("MEM_BOOT_ID", "boot-1")
	clear(w.seen)
	for k := 0; k <= w.tape.moment() && !w.t.Failed(); k += stride {
		s := w.tape.after(k, remounted{extreme{true, whole}})
		if w.tape.busy[k] || !w.news(k, s) {
			continue
		}
		s.build(w.t, w.tape)
		w.checkRemount(k)
		tried++
	}
	return tried
}

// cutWorld is a store below a directory that is on tape, and what is known of it at each moment.
type cutWorld struct {
	t     *testing.T
	base  string
	tape  *tape
	now   time.Time
	known []knowledge // by moment, rising
	seen  map[[40]byte]bool

	glances int // looks of readers while a step went on
	late    int // files that were found late in index/ after a remount
	early   int // keys that they saw as they were to be, before that was acknowledged
}

func newCutWorld(t *testing.T) *cutWorld {
	base := storetest.Dir(t)
	w := &cutWorld{t: t, base: filepath.Join(base, "tree"), now: noon, seen: map[[40]byte]bool{}}
	if err := os.Mkdir(w.base, 0o700); err != nil {
		t.Fatal(err)
	}
	w.tape = newTape(t, w.base, filepath.Join(base, "kept"))
	w.known = []knowledge{{allowed: map[string]map[string]bool{}, must: map[string]bool{},
		written: map[string]bool{}}}
	return w
}

func (w *cutWorld) root() string { return filepath.Join(w.base, "memory") }

func (w *cutWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *cutWorld) open() *mem.Store {
	w.t.Helper()
	s, err := mem.Open(w.root(), mem.Options{Now: func() time.Time { return w.now }, LockWait: -1})
	w.must(err)
	return s
}

// at returns what is known at a moment.
func (w *cutWorld) at(k int) knowledge {
	i, found := slices.BinarySearchFunc(w.known, k,
		func(n knowledge, k int) int { return n.from - k })
	if !found {
		i--
	}
	return w.known[i]
}

func (w *cutWorld) learn(fn func(*knowledge)) {
	n := w.known[len(w.known)-1].clone()
	n.from = w.tape.moment()
	fn(&n)
	if w.known[len(w.known)-1].from == n.from {
		w.known = w.known[:len(w.known)-1]
	}
	w.known = append(w.known, n)
}

// step runs one operation on tape. Until it is acknowledged each key may hold what it held or what
// it is to hold.
func (w *cutWorld) step(to map[string]string, do func(*mem.Store) error) {
	w.t.Helper()
	w.learn(func(n *knowledge) { n.mayBecome(to) })
	w.now = w.now.Add(time.Minute)
	s := w.open()
	err := w.meanwhile(s, to, do)
	lines := history(w.t, s)
	s.Close()
	w.learn(func(n *knowledge) {
		maps.Copy(n.written, lines)
		if err != nil {
			return
		}
		n.must = lines
		for key, content := range to {
			n.allowed[key] = map[string]bool{content: true}
		}
	})
	// Lines written meanwhile are known to have been written from the beginning of the step on.
	for i := range w.known {
		maps.Copy(w.known[i].written, lines)
	}
	w.must(err)
}

// choosers returns the decisions to try at moment k: the journal cut at each call since the last
// sync, the ends of what POSIX allows, each single decision the other way, and some by lot.
func (w *cutWorld) choosers(k, picks int) (all []chooser) {
	for upTo := lastBefore(w.tape.syncs, k) + 1; upTo <= k; upTo++ {
		all = append(all, ordered{upTo, false}, ordered{upTo, true})
	}
	for d := range damages {
		all = append(all, extreme{false, d}, extreme{true, d})
	}
	n := w.tape.decisions(k)
	for at := range n {
		all = append(all, &flipped{extreme: extreme{true, whole}, at: at},
			&flipped{extreme: extreme{false, lost}, at: at})
	}
	for i := range picks {
		all = append(all, anyhow{rand.New(rand.NewPCG(uint64(k), uint64(i)))})
	}
	return all
}

// news reports whether this state has not been looked at with the same knowledge.
func (w *cutWorld) news(k int, s state) bool {
	hash := s.id()
	id := [40]byte(fmt.Appendf(hash[:], "%08d", w.at(k).from))
	if w.seen[id] {
		return false
	}
	w.seen[id] = true
	return true
}

func (w *cutWorld) next(k int) string {
	if k < len(w.tape.calls) {
		return w.tape.calls[k]
	}
	return "none"
}

// cutAgain lets the power fail once more while the first write after the reboot heals the store.
func (w *cutWorld) cutAgain(k int, what string, s state, seed int) (states int) {
	outer, outerKnown := w.tape, w.known
	defer func() { w.tape, w.known = outer, outerKnown }()
	kept := storetest.Dir(w.t)
	w.tape, w.known = newTape(w.t, w.base, kept), []knowledge{w.at(k).clone()}
	w.known[0].from = 0
	w.t.Setenv("MEM_BOOT_ID", "boot-2")
	w.step(map[string]string{"/again": `"a"`}, func(s *mem.Store) error { return set(s, "/again", `"a"`) })
	for at := 0; at <= w.tape.moment(); at++ {
		c := []chooser{extreme{false, lost}, extreme{true, zeros}, ordered{at, false},
			anyhow{rand.New(rand.NewPCG(uint64(at), uint64(seed)))}}[(at+seed)%4]
		w.tape.after(at, c).build(w.t, w.tape)
		w.check(fmt.Sprintf("%s, and once more after %d calls (next %s), %T %+v", what, at,
			w.next(at), c, c), w.at(at), "boot-3")
		states++
	}
	return states
}

// check holds the store as it stands against what is known, then writes to it and looks again.
func (w *cutWorld) check(what string, n knowledge, boot string) {
	w.t.Helper()
	w.t.Setenv("MEM_BOOT_ID", boot)
	now := w.now
	defer func() { w.now = now }()
	s := w.open()
	n.compare(w.t, what+": a reader", s, nil)
	n.checkBlobs(w.t, what+": a reader", s)
	s.Close()
	// The clock of the rebooted machine is wrong.
	w.now = noon.AddDate(-10, 0, 0)
	s = w.open()
	defer s.Close()
	after := map[string]string{"/a": `"after"`, "/after/cut": "1"}
	for _, key := range []string{"/a", "/after/cut"} {
		if err := set(s, key, after[key]); err != nil {
			w.t.Errorf("%s: the next set: %v", what, err)
			return
		}
	}
	w.now = now
	n.compare(w.t, what+": after the next set", s, after)
	for _, f := range w.fsck(s, false) {
		if !n.damaged || f.Name != "checksum" && f.Name != "foreign" {
			w.t.Errorf("%s: fsck: %v", what, f)
		}
	}
	if n.damaged {
		w.fsck(s, true)
		n.compare(w.t, what+": after a repair", s, after)
	}
}

func (w *cutWorld) fsck(s *mem.Store, repair bool) []fsck.Finding {
	w.t.Helper()
	rep, err := s.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: repair})
	w.must(err)
	if repair && len(rep.Left) > 0 {
		w.t.Errorf("a repair leaves %v", rep.Left)
	}
	return rep.Found
}

// killedAt lets the n-th changing call of do and all after it fail, as if the process had been
// killed just before it.
func killedAt(tp *tape, n int, do func() error) {
	count := 0
	disk.SetHook(func(op disk.Op, path string) error {
		if !op.Mutates() {
			return nil
		}
		if count++; count >= n {
			return errors.New("killed")
		}
		tp.look()
		tp.note(op, path)
		return nil
	})
	do()
	disk.SetHook(nil)
	tp.look()
}
