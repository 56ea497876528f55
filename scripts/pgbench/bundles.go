package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

const agents = 12

// answers are how long bundles took, by whether they were asked to look something up.
type answers struct {
	mu   sync.Mutex
	took map[bool][]time.Duration
}

// bundleFigures measures the bundles of a memd that serves several agents, and its first one.
func bundleFigures(ctx context.Context, l *lab) (list []figure) {
	d := l.startDaemon(ctx, "bundles")
	defer func() { d.Stop() }() // of the last one that was started
	for range 2 {               // the first one makes the copy
		for i, query := range queries() {
			d.build(ctx, 0, i, query)
		}
	}
	got := l.agentsAsk(ctx, d)
	for _, of := range []struct {
		what string
		look bool
		goal time.Duration
	}{
		{"nothing is looked up", false, 150 * time.Millisecond},
		{"words are looked up", true, 500 * time.Millisecond},
	} {
		took := got.took[of.look]
		f := within(fmt.Sprintf("acb/build, %d agents, a call a second each, %s, p95", agents,
			of.what), harness.Quantile(took, 0.95), of.goal)
		f.mem = fmt.Sprintf("p50 %s, p95 %s", harness.Duration(median(took)),
			harness.Duration(time.Duration(
				f.got*float64(time.Millisecond))))
		list = append(list, f)
	}
	list = append(list, l.bundlesBesideWriters(ctx, d))
	return append(list, l.firstBundles(ctx, d)...)
}

// bundlesBesideWriters measures the bundles of two agents that ask all the time, while 32 callers
// write to the same memory and while nobody does.
func (l *lab) bundlesBesideWriters(ctx context.Context, d *daemon) figure {
	var alone, beside, ratios []float64
	var n atomic.Int64
	for range 2*l.rounds + 1 {
		quiet := l.askAlways(ctx, d)
		var busy time.Duration
		writing, stop := context.WithCancel(ctx)
		harness.Together(writers+1, func(c int) {
			if c == writers {
				busy = l.askAlways(ctx, d)
				stop()
			}
			for writing.Err() == nil {
				d.record(ctx, memory, int(n.Add(1))%l.opt.events, l.opt.events)
			}
		})
		alone, beside = append(alone, millis(quiet)), append(beside, millis(busy))
		ratios = append(ratios, millis(busy)/millis(quiet))
	}
	return figure{"acb/build, 2 agents beside 32 writers, words are looked up, p95",
		harness.Number(median(beside)) + " ms", "alone " + harness.Number(median(alone)) + " ms",
		median(ratios), times(1.5)}
}

// askAlways lets two agents ask for a while, and returns the 95th percentile.
func (l *lab) askAlways(ctx context.Context, d *daemon) time.Duration {
	var took [2][]time.Duration
	begin := time.Now()
	harness.Together(2, func(a int) {
		for i := 0; time.Since(begin) < 2*l.round; i++ {
			took[a] = append(took[a], d.build(ctx, a, 2*i+a, prompt()))
		}
	})
	return harness.Quantile(append(took[0], took[1]...), 0.95)
}

// queries are what bundles are asked for: nothing, and words of all kinds.
func queries() []string { return []string{"", wordTen, "", wordMost, "", prompt()} }

// agentsAsk lets each agent ask once a second.
func (l *lab) agentsAsk(ctx context.Context, d *daemon) *answers {
	got := &answers{took: map[bool][]time.Duration{}}
	harness.Together(agents, func(a int) { l.agentAsks(ctx, d, a, got) })
	return got
}

func (l *lab) agentAsks(ctx context.Context, d *daemon, agent int, got *answers) {
	time.Sleep(time.Duration(agent) * time.Second / agents) // they are not in step
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for i := range int(l.agents / time.Second) {
		query := queries()[(i+agent)%len(queries())]
		took := d.build(ctx, agent, i*agents+agent, query)
		got.mu.Lock()
		got.took[query != ""] = append(got.took[query != ""], took)
		got.mu.Unlock()
		select {
		case <-tick.C:
		case <-ctx.Done():
			harness.Check(ctx.Err())
		}
	}
}

// firstBundles measures the first bundle of a memd that was restarted, with a page cache that has
// nothing of the disk, and then those of the next one, whose files are cached.
func (l *lab) firstBundles(ctx context.Context, d *daemon) []figure {
	var cold, warm []time.Duration
	dropped := true
	for range 3 {
		for _, took := range []*[]time.Duration{&cold, &warm} {
			d.Stop()
			if took == &cold {
				dropped = l.dropCaches(ctx) && dropped
			}
			*d = *l.startDaemon(ctx, "bundles")
			*took = append(*took, d.build(ctx, 0, 1, prompt()))
		}
	}
	what := "acb/build, the first of a memd that was restarted, page cache dropped"
	if !dropped {
		what += " (not allowed here)"
	}
	f := within(what, median(cold), 500*time.Millisecond)
	f.peer = "with it " + harness.Duration(median(warm))
	return []figure{f}
}

// dropCaches empties the page cache, if that is allowed.
func (l *lab) dropCaches(ctx context.Context) bool {
	if err := exec.CommandContext(ctx, "sync").Run(); err != nil {
		return false
	}
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0) == nil
}
