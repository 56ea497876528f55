package pgstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
)

// A copy is due for a new state when its tail is long, not while one is made, and not for ten times
// as long as the last one took.
func TestCopiesRest(t *testing.T) {
	pgstore.SmallCopies(t)
	now, due := storetest.Noon, 0
	clock := func() time.Time { return now }
	f := &follower{t: t, place: newPlace(t, database(t)), cache: t.TempDir()}
	store, err := pgstore.Open(f.place, pgstore.Options{CacheDir: f.cache, Now: clock,
		Clock: clock, OnCopyDue: func() { due++ }})
	must(t, err)
	f.Store = store
	t.Cleanup(func() { must(t, f.Close()) })
	n := 0
	grow := func(want int) {
		t.Helper()
		before := due
		for range 20 {
			n++
			f.put(fmt.Sprintf("%0500d", n), fmt.Sprintf("/k/%d", n))
			f.live()
		}
		if got := due - before; (got > 0) != (want > 0) {
			t.Errorf("%s after noon: due %d times", now.Sub(storetest.Noon), got)
		}
	}
	grow(1)
	dir, err := disk.Open(f.CopyPath())
	must(t, err)
	defer dir.Close()
	running, err := state.LockCompaction(ctx, dir, clock, 0)
	must(t, err)
	now = now.Add(3 * time.Second)
	grow(0)
	rep, err := f.Compact(ctx, backend.Caller{}, backend.CompactOptions{IfNeeded: true})
	if err != nil || rep.Done || rep.Why != "another compaction is running" {
		t.Errorf("beside another one: %+v, %v", rep, err)
	}
	must(t, running.Release())
	now = now.Add(time.Second)
	grow(0)
	now = now.Add(31 * time.Second)
	grow(1)
	before := due
	rep, err = f.Compact(ctx, backend.Caller{}, backend.CompactOptions{IfNeeded: true})
	if err != nil || !rep.Done || due != before {
		t.Errorf("%+v, %v: %d more are due", rep, err, due-before)
	}
	if _, err := os.Stat(filepath.Join(f.CopyPath(), "state.jsonl")); err != nil {
		t.Error(err)
	}
}

// What a compaction itself gains from the server makes no other one due.
func TestCompactionOfACopyStartsNone(t *testing.T) {
	pgstore.SmallCopies(t)
	place, due := newPlace(t, database(t)), 0
	writer := follow(t, place, t.TempDir())
	writer.put("first", "/k/first")
	s, err := pgstore.Open(place, pgstore.Options{CacheDir: t.TempDir(),
		OnCopyDue: func() { due++ }})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	f := &follower{t: t, Store: s}
	f.live()
	for n := range 9 {
		writer.put(fmt.Sprintf("%0500d", n), fmt.Sprintf("/k/%d", n))
	}
	rep, err := s.Compact(ctx, backend.Caller{}, backend.CompactOptions{IfNeeded: true})
	if err != nil || !rep.Done || due > 0 {
		t.Errorf("%+v, %v: %d more are due", rep, err, due)
	}
}
