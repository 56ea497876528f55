package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// together runs fn for 0 to n-1 in goroutines of their own, and waits for all.
func together(n int, fn func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { fn(i) })
	}
	all.Wait()
}

// Each of many goroutines writes a key of its own and one that all share, while others read and the
// upkeep goes on: what was acknowledged is there, once, and no look is older than one before it.
func testGoroutines(s *suite) {
	const writers, each = 32, 6
	acked := make([]atomic.Int64, writers)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() { s.watch(acked, stop) })
	}
	together(writers+1, func(w int) {
		for i := range each {
			if w == writers {
				s.meanwhile()
				continue
			}
			stamps, err := write(s.ctx, s, s.caller(), "test",
				envelopes(fmt.Sprint("/own/", w), fmt.Sprint(i), "/shared", fmt.Sprint(w))...)
			if err != nil {
				s.Error(err)
				return
			}
			acked[w].Store(int64(stamps[0]))
		}
	})
	close(stop)
	readers.Wait()
	s.between()
	for w := range writers {
		key := keypath.MustParse(fmt.Sprint("/own/", w))
		s.same(key.String(), s.contentOf(s.Get(s.ctx, key)), each-1)
	}
	count, last := 0, log.Record{}
	for _, rec := range s.history() {
		if count++; rec.TS <= last.TS {
			s.Errorf("%s of %s comes after %s", rec.TS, rec.Key, last.TS)
		}
		if last = rec; rec.Key.String() == "/shared" {
			continue
		}
	}
	s.same("history", count, 2*writers*each)
	s.same("the shared key", s.contentOf(s.Get(s.ctx, keypath.MustParse("/shared"))),
		string(last.Content))
}

// watch takes snapshots until told to stop: what was acknowledged before one is in it, and nothing
// is older than in the one before.
func (s *suite) watch(acked []atomic.Int64, stop chan struct{}) {
	before, shared := log.MinStamp, log.Stamp(0)
	known := make([]int64, len(acked))
	for {
		select {
		case <-stop:
			return
		default:
		}
		for w := range acked {
			known[w] = acked[w].Load()
		}
		snap, err := s.Snapshot(s.ctx)
		if err != nil {
			s.Error(err)
			return
		}
		for w, ts := range known {
			rec, _, err := snap.Get(s.ctx, keypath.MustParse(fmt.Sprint("/own/", w)))
			if err != nil || int64(rec.TS) < ts {
				s.Errorf("/own/%d is of %d, acknowledged was %d (%v)", w, rec.TS, ts, err)
			}
		}
		rec, _, err := snap.Get(s.ctx, keypath.MustParse("/shared"))
		if err != nil || rec.TS < shared || snap.Newest() < before {
			s.Errorf("older than before: %s and %s (%v)", rec.TS, snap.Newest(), err)
		}
		shared, before = rec.TS, snap.Newest()
		snap.Close()
	}
}

// Callers that give up while another has the store hear of their context, have stored nothing, and
// leave at most one goroutine behind, however many they were.
func testCancel(s *suite) {
	const callers = 20
	s.put("/a", "1")
	for name, hold := range s.holders() {
		release := hold()
		// Whoever waits once has made what any wait needs.
		s.giveUp(1)
		before := runtime.NumGoroutine()
		s.giveUp(callers)
		left := 0
		for range 100_000 {
			if left = runtime.NumGoroutine() - before; left <= 1 {
				break
			}
			runtime.Gosched()
		}
		if left > 1 {
			s.Errorf("%s: %d goroutines are left behind", name, left)
		}
		release()
		s.holds(name, "/a", "1")
		s.same("history", len(s.history()), 1)
	}
}

// holders are the ways in which the store can be held by another.
func (s *suite) holders() map[string]func() (release func()) {
	ways := map[string]func() func(){"an update that runs": s.holdByUpdate}
	if u, ok := s.Backend.(Upkeep); ok {
		ways["another process"] = u.Hold
	}
	return ways
}

// holdByUpdate begins an update that does not end before it is released.
func (s *suite) holdByUpdate() (release func()) {
	runs, end, done := make(chan struct{}), make(chan struct{}), make(chan error)
	var once sync.Once
	go func() {
		done <- s.update(func(backend.Tx) error {
			once.Do(func() { close(runs) })
			<-end
			return nil
		})
	}()
	<-runs
	return func() {
		close(end)
		s.check(<-done)
	}
}

// giveUp has some callers wait, and cancels them all.
func (s *suite) giveUp(callers int) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	var begun, all sync.WaitGroup
	begun.Add(callers)
	for range callers {
		all.Go(func() {
			begun.Done()
			_, err := write(ctx, s, s.caller(), "test", envelopes("/a", "2")...)
			if !errors.Is(err, context.Canceled) || errors.Is(err, backend.ErrStored) {
				s.Errorf("a caller that gave up hears %v", err)
			}
		})
	}
	begun.Wait()
	cancel()
	all.Wait()
}

// Where some give up, the others are served.
func testSomeCancel(s *suite) {
	const callers = 20
	for name, hold := range s.holders() {
		release := hold()
		ctx, cancel := context.WithCancel(s.ctx)
		gave := make(chan struct{}, callers)
		released := make(chan struct{})
		go func() {
			for range callers / 2 {
				<-gave
			}
			release()
			close(released)
		}()
		go cancel()
		together(callers, func(i int) {
			ctx := ctx
			if i%2 == 0 {
				ctx = s.ctx
			}
			_, err := write(
				ctx,
				s,
				s.caller(),
				"test",
				envelopes(fmt.Sprint("/c/", i), "1")...)
			if i%2 == 1 {
				gave <- struct{}{}
			}
			if (i%2 == 0 && err != nil) || i%2 == 1 && !errors.Is(err, context.Canceled) {
				s.Errorf("%s: caller %d: %v", name, i, err)
			}
		})
		<-released
		cancel()
		for i := range callers {
			want := []string{"1", none}[i%2]
			key := keypath.MustParse(fmt.Sprint("/c/", i))
			s.same(name, s.contentOf(s.Get(s.ctx, key)), want)
		}
	}
}

// A snapshot stays as it is, whatever is written and wherever its files go.
func testSnapshots(s *suite) {
	s.put("/a", `{"text":"first words"}`, "/b", `{"text":"second words"}`)
	s.between()
	s.put("/c", `{"text":"third words"}`)
	old := s.snapshot()
	defer old.Close()
	newest := old.Newest()
	for range 2 {
		s.put("/a", `{"text":"changed words"}`, "/b", "null", "/d", `{"text":"fourth words"}`)
		s.same("the old one", s.below(old, ""), `/a={"text":"first words"} `+
			`/b={"text":"second words"} /c={"text":"third words"}`)
		s.same("get", s.got(old, "/a")+s.got(old, "/d"), `{"text":"first words"}`+none)
		s.finds(old, "words", "/a /b /c")
		s.same("read", s.rankedKeys(old, backend.Where{Now: s.now}), "/a /b /c")
		s.same("newest", old.Newest(), newest)
		now := s.snapshot()
		s.same("the new one", s.below(now, ""), `/a={"text":"changed words"} `+
			`/c={"text":"third words"} /d={"text":"fourth words"}`)
		s.finds(now, "words", "/a /c /d")
		s.same("its read", s.rankedKeys(now, backend.Where{Now: s.now}), "/a /c /d")
		now.Close()
		s.between()
	}
	ranking, err := old.Rank(
		s.ctx,
		readout.Query{Now: s.now, Limit: 100},
		backend.Where{Now: s.now},
	)
	s.must(err)
	s.put("/e", `{"text":"fifth words"}`)
	for c, err := range ranking.Rows {
		s.must(err)
		if c.Key > "/c" {
			s.Errorf("a ranking that was begun shows %s", c.Key)
		}
	}
}
