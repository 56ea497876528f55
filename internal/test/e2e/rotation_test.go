//go:build linux

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Every compaction rotates, while writers count their keys up and readers get, list, search, read
// and go through the history, each on a store of its own: none of them misses what was acknowledged
// before it began, or sees what is older.
func TestRotationLosesNothing(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	f.Put("/first", "1")
	f.Clock = time.Now().Add(time.Hour)
	f.configure(`{"rotate":{"lines":1,"bytes":1}}`)
	rounds := testkit.Extent(25, 25, 600)
	y, reads := newTally(), atomic.Int64{}
	stop := make(chan struct{})
	var writers, readers sync.WaitGroup
	for w := range 2 {
		writers.Go(func() { count(f, y, w, stop) })
	}
	for _, view := range views {
		readers.Go(func() {
			s := another(f)
			defer s.Close()
			for !over(stop) {
				known := y.known()
				out, err := view.show(s)
				if err != nil {
					t.Errorf("%s: %v", view.name, err)
				}
				y.newer(t, view.name, known, out)
				reads.Add(1)
			}
		})
	}
	for range rounds {
		seen := reads.Load()
		if _, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{}); err != nil {
			t.Error(err)
		}
		testkit.WaitFor(t, "a read", func() bool { return reads.Load() > seen })
	}
	close(stop)
	writers.Wait()
	readers.Wait()
	y.settled(t, f.Content)
	archives, _ := filepath.Glob(filepath.Join(f.Root, "archive", "log_*"))
	t.Logf("%d rotations, %d reads, %d contents", len(archives), reads.Load(), y.read)
	if len(archives) < rounds/4 || reads.Load() < int64(5*rounds) {
		t.Error("that is too little")
	}
}

// count writes the keys of one writer.
func count(f *fixture, y *tally, w int, stop chan struct{}) {
	s := another(f)
	defer s.Close()
	for n := 1; !over(stop); n++ {
		key := fmt.Sprintf("/w%d/k%d", w, n%3)
		y.begin(key, n)
		if err := set(s, key, contentOf(key, n)); err != nil {
			f.T.Error(err)
			return
		}
		y.acknowledge(key, n)
	}
}

// another opens the store once more, as another process does.
func another(f *fixture) *mem.Store {
	s, err := mem.Open(f.Root, mem.Options{Now: time.Now})
	if err != nil {
		f.T.Error(err)
	}
	return s
}

// views are the ways to see what is live. What they show holds the contents.
var views = []struct {
	name string
	show func(*mem.Store) (string, error)
}{
	{"get", func(s *mem.Store) (string, error) {
		var all strings.Builder
		for w := range 2 {
			for k := range 3 {
				key := keypath.MustParse(fmt.Sprintf("/w%d/k%d", w, k))
				if rec, err := s.Get(ctx, mem.Caller{}, key, false); err == nil {
					all.Write(rec.Content)
				}
			}
		}
		return all.String(), nil
	}},
	{"list", func(s *mem.Store) (string, error) {
		live, err := contents(s)
		return fmt.Sprint(live), err
	}},
	{"search", func(s *mem.Store) (string, error) {
		found, err := s.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: "storm", Limit: 100})
		var all strings.Builder
		for _, hit := range found {
			all.Write(hit.Record.Content)
		}
		return all.String(), err
	}},
	{"read", func(s *mem.Store) (string, error) {
		page, err := s.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 100_000})
		return fmt.Sprint(page), err
	}},
	{"history", func(s *mem.Store) (string, error) {
		newest := map[keypath.Key]log.Record{}
		err := s.Everything(ctx, func(r log.Record) error {
			if old, seen := newest[r.Key]; !seen || r.Wins(old) {
				newest[r.Key] = r.Clone()
			}
			return nil
		})
		var all strings.Builder
		for _, rec := range newest {
			all.Write(rec.Content)
		}
		return all.String(), err
	}},
}
