package fsck_test

import (
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/test/storetest"
)

// The first compaction of a store may come at any moment of a check: it is no finding.
func TestFirstCompactionDuringACheck(t *testing.T) {
	for n, done := 1, false; !done; n++ {
		w := storetest.NewWorld(t)
		w.Set("/a", "1", "/b", "2")
		calls := 0
		disk.SetHook(func(disk.Op, string) error {
			if calls++; calls == n {
				disk.SetHook(nil)
				w.Compact(storetest.KeepLog)
			}
			return nil
		})
		found, err := (&fsck.Checker{Dir: w.Dir, Now: w.Now, Boot: w.Boot}).Run()
		disk.SetHook(nil)
		if w.Must(err); len(found) > 0 {
			t.Errorf("at call %d: %v", n, found)
		}
		done = calls < n
	}
}
