package compact_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/storetest"
)

// Expired keys leave the index some at a time, and writers come in between: what one of them writes
// stays.
func TestExpiredKeysAreRemovedInSlices(t *testing.T) {
	w := storetest.NewWorld(t)
	const keys = 300
	var pairs []string
	for i := range keys {
		pairs = append(pairs, fmt.Sprintf("/k/%03d", i), `{"text":"x","expired_at":"2026-02-23"}`)
	}
	w.Set(pairs...)
	w.Now = storetest.Noon.Add(48 * time.Hour)
	w.Set("/kept", "1") // a write of the time when they have expired
	job := w.Job(storetest.KeepLog)
	most, locks := 0, 0
	job.Lock = func() (func() error, error) {
		if locks++; locks == 3 {
			w.Set("/k/299", `"again"`, "/k/298", "null", "/new", "2")
		}
		removed := 0
		disk.SetHook(func(op disk.Op, path string) error {
			if op == disk.OpRemove && strings.Contains(path, "index/k/") {
				removed++
			}
			return nil
		})
		return func() error {
			disk.SetHook(nil)
			most = max(most, removed)
			return nil
		}, nil
	}
	rep, err := job.Run()
	w.Must(err)
	if most == 0 || most > 100 || rep.Expired != keys {
		t.Errorf("%d removed under one lock; %+v", most, rep)
	}
	want := map[string]string{"/k/299": `"again"`, "/kept": "1", "/new": "2"}
	storetest.Same(t, "live", w.Live(), want)
}

// Where another compaction comes first nothing more is removed.
func TestExpiredKeysStayWhereAnotherCompactionCameFirst(t *testing.T) {
	w := storetest.NewWorld(t)
	var pairs []string
	for i := range 300 {
		pairs = append(pairs, fmt.Sprintf("/k/%03d", i), `{"text":"x","expired_at":"2026-02-23"}`)
	}
	w.Set(pairs...)
	w.Now = storetest.Noon.Add(48 * time.Hour)
	w.Set("/kept", "1")
	job := w.Job(storetest.KeepLog)
	w.Now = storetest.Noon
	locks := 0
	job.Lock = func() (func() error, error) {
		if locks++; locks == 3 {
			w.Compact(storetest.KeepLog) // the clock of this one is behind: nothing has expired
		}
		return storetest.NoLock()
	}
	rep, err := job.Run()
	w.Must(err)
	w.Now = job.Now
	if rep.Done || rep.Why != "another compaction came first" || locks != 4 {
		t.Errorf("%d locks, %+v", locks, rep)
	}
	if len(w.Live()) != 301 {
		t.Errorf("%d live", len(w.Live()))
	}
}
