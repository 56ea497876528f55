package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

// A compared verb is run by two builds in turn; the ratio of the medians, new over old, is held
// against the bound.
type compared struct {
	name  string
	bound float64
	run   func(s side, i int) command
}

// Reads come before writes, so that they meet the store as the compaction left it.
var comparedVerbs = []compared{
	{"Get", 1.03, func(s side, i int) command { return s.memGet(s.root, keyOf(scattered(i, s.n))) }},
	{"Read", 1.03, func(s side, _ int) command { return s.memRead(s.root) }},
	{"Search", 1.03, func(s side, _ int) command { return s.memSearch(s.root, rareWord) }},
	{"Hook", 1.03, func(s side, i int) command { return s.memHook(s.root, s.event(i)) }},
	{"Set", 1.03, func(s side, i int) command {
		return s.memSet(s.root, "/bench/new/"+newName(i), recordAt(i))
	}},
}

var comparedCompaction = compared{name: "Compact", bound: 1.05}

// A side is one of the two builds, with a store of n records that it made itself.
type side struct {
	*lab
	root string
	n    int
}

// compare measures the working tree against a revision, process by process, old and new in turn.
func compare(ctx context.Context, opt options) {
	l := &lab{}
	defer l.close()
	l.open(ctx, opt)
	sides := l.twoSides(ctx, opt.old)
	for i := range opt.runs {
		harness.Check(os.WriteFile(l.event(i), promptEvent(i), 0o600))
	}
	var all []comparison
	for _, v := range comparedVerbs {
		harness.Within(v.name, func() {
			all = append(all, comparison{v, l.duel(ctx, opt.runs, sides, v.run)})
		})
	}
	took := l.duelCompactions(ctx, max(2, opt.runs/50), sides)
	publishComparison(append(all, comparison{comparedCompaction, took}), l.sizes.medium, opt)
}

// twoSides builds mem of a revision and of the working tree, and lets each make its store.
func (l *lab) twoSides(ctx context.Context, rev string) (sides [2]side) {
	source := l.path("source")
	tree := output(ctx, "git", "rev-parse", "--show-toplevel")
	checkOut(ctx, tree, rev, source)
	for i, name := range []string{"old", "new"} {
		own := *l
		own.mem = l.path("mem-" + name)
		buildMem(ctx, []string{source, tree}[i], own.mem)
		sides[i] = side{&own, l.path("store-" + name), l.sizes.medium}
		own.fill(ctx, sides[i].root, 0, sides[i].n)
		own.run(ctx, own.memCompact(sides[i].root))
	}
	makeCopies(ctx, sides)
	return sides
}

// checkOut writes the files of a revision into dir.
func checkOut(ctx context.Context, tree, rev, dir string) {
	const script = `mkdir "$3" && git -C "$1" archive -o "$3.tar" "$2" && tar -xf "$3.tar" -C "$3"`
	output(ctx, "sh", "-c", script, "sh", tree, rev, dir)
}

// copies is how many copies of a binary take turns. Where the page cache happens to hold a file
// makes its start up to a tenth slower than that of the same bytes elsewhere; a file that the
// linker wrote is the slowest.
const copies = 8

func (s side) copyOf(i int) string { return fmt.Sprintf("%s-%d", s.mem, i%copies) }

func makeCopies(ctx context.Context, sides [2]side) {
	for i := range 2 * copies {
		s := sides[i%2]
		output(ctx, "cp", s.mem, s.copyOf(i/2))
	}
}

// buildMem builds as `make build` does, without what tells two builds of the same files apart.
func buildMem(ctx context.Context, tree, to string) {
	output(ctx, "env", "CGO_ENABLED=0", "go", "-C", tree, "build", "-trimpath",
		"-buildvcs=false", "-ldflags", "-s -w", "-o", to, "./cmd/mem")
}

// duel runs both sides n times, in pairs; which of a pair is first is drawn.
func (l *lab) duel(ctx context.Context, n int, sides [2]side, next func(side, int) command) (
	took [2]sample) {
	firsts := drawFirsts(n)
	var cmds []command
	for i, first := range firsts {
		for _, s := range []side{sides[first], sides[1-first]} {
			c := next(s, i)
			c.argv[0] = s.copyOf(i)
			cmds = append(cmds, c)
		}
	}
	l.settle(ctx)
	runs := l.run(ctx, cmds...)
	for i, first := range firsts {
		took[first] = append(took[first], runs[2*i])
		took[1-first] = append(took[1-first], runs[2*i+1])
	}
	return took
}

// duelCompactions lets each side compact n times, each time the same store with the same new tail.
func (l *lab) duelCompactions(ctx context.Context, n int, sides [2]side) (
	took [2]sample) {
	for _, s := range sides {
		s.fill(ctx, s.root, s.n, s.n+s.n/10)
		copyBesidesIndex(s.root, s.root+"-saved")
	}
	for i, first := range drawFirsts(n) {
		for _, who := range []int{first, 1 - first} {
			s := sides[who]
			restore := func() { copyBesidesIndex(s.root+"-saved", s.root) }
			compaction := stage{command: s.memCompact(s.root), before: restore}
			compaction.argv[0] = s.copyOf(i)
			each := l.perform(ctx, compaction)
			took[who] = append(took[who], each...)
		}
	}
	return took
}

// drawFirsts draws who is first in each of n pairs; of two pairs each side is first in one.
func drawFirsts(n int) []int {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	firsts := make([]int, n)
	for i := range firsts {
		if i%2 == 0 {
			firsts[i] = r.IntN(2)
		} else {
			firsts[i] = 1 - firsts[i-1]
		}
	}
	return firsts
}

func keyOf(i int) string { return recordAt(i).key }

func (l *lab) event(i int) string { return l.path(fmt.Sprintf("event-%d.json", i)) }

// A comparison is what the runs of one verb took: old, new, pair by pair.
type comparison struct {
	compared
	took [2]sample
}

var errSlower = errors.New("slower than the bound allows")

// publishComparison prints the table, and writes both sides as benchstat reads them.
func publishComparison(all []comparison, n int, opt options) {
	for i, name := range []string{"old.txt", "new.txt"} {
		var text strings.Builder
		for _, c := range all {
			c.took[i].writeBenchmark(&text, c.name)
		}
		harness.Check(os.WriteFile(filepath.Join(opt.dir, name), []byte(text.String()), 0o644))
	}
	fmt.Printf("old is %s, new the working tree; %s, pairs in drawn order\n\n", opt.old, records(n))
	fmt.Println("| verb | runs | old | new | new/old | 95 % interval | bound | verdict |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---|")
	var failed error
	for _, c := range all {
		low, high := ratioInterval(c.took[0], c.took[1])
		verdict := "holds"
		if low > c.bound {
			verdict, failed = "**slower**", errSlower
		} else if high > c.bound {
			verdict = "holds, the interval reaches past the bound"
		}
		old, now := c.took[0].p50(), c.took[1].p50()
		fmt.Printf("| %s | %d | %s | %s | %.3f | %.3f to %.3f | %.2f | %s |\n", strings.ToLower(c.name),
			len(c.took[0]), harness.Duration(old), harness.Duration(now), ratio(now, old), low, high, c.bound, verdict)
	}
	harness.Check(failed)
}

func (s sample) writeBenchmark(w io.Writer, name string) {
	for _, run := range s {
		fmt.Fprintf(w, "Benchmark%s 1 %d ns/op\n", name, run.wall.Nanoseconds())
	}
}
