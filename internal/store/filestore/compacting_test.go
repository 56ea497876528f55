package filestore_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
)

// A compaction is due when the tail has passed an eighth of the state, within bounds, and not
// before ten times the last one's duration.
func TestCompactionDue(t *testing.T) {
	const kib = 1 << 10
	for _, c := range []struct {
		name  string
		state int // bytes of the state, about
		tail  int64
		due   bool
	}{
		{"no state, little", 0, 255 * kib, false},
		{"no state, enough", 0, 256 * kib, true},
		{"a small state, little", 1, 255 * kib, false},
		{"a small state, enough", 1, 256 * kib, true},
		{"a state of four MiB, little", 4096 * kib, 500 * kib, false},
		{"a state of four MiB, enough", 4096 * kib, 600 * kib, true},
	} {
		w := storetest.NewWorld(t)
		size := int64(0)
		if c.state > 0 {
			text := `"` + strings.Repeat("x", 512*kib) + `"`
			for i := range max(c.state/(512*kib), 1) {
				w.Set("/k/"+string(rune('a'+i)), text)
			}
			w.Compact(storetest.KeepLog)
			fi, err := os.Stat(w.File("log.jsonl"))
			w.Must(err)
			size = fi.Size()
		}
		if got := filestore.CompactionDue(w.Dir, size+c.tail, time.Time{}); got != c.due {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if limit := (filestore.TailOf(storetest.NewWorld(t).Dir, 0)).Limit; limit != 256*kib {
		t.Errorf("the limit without a state is %d", limit)
	}
}

func TestCompactionsRest(t *testing.T) {
	w := storetest.NewWorld(t)
	now := storetest.Noon
	clock := func() time.Time { return now }
	due := func(want bool) {
		t.Helper()
		if got := filestore.CompactionDue(w.Dir, 1<<20, now); got != want {
			t.Errorf("%s later: due %v", now.Sub(storetest.Noon), got)
		}
	}
	due(true)
	c, err := state.LockCompaction(t.Context(), w.Dir, clock, 0)
	w.Must(err)
	now = now.Add(3 * time.Second)
	due(false) // it runs
	w.Must(c.Release())
	now = now.Add(29 * time.Second)
	due(false)
	now = now.Add(2 * time.Second)
	due(true)
	now = storetest.Noon.Add(-time.Hour) // the clock was set back
	due(true)

	now = storetest.Noon.Add(time.Hour)
	c, err = state.LockCompaction(t.Context(), w.Dir, clock, 0)
	w.Must(err)
	// It is killed: nobody says that it has ended.
	now = now.Add(50 * time.Second)
	due(false)
	now = now.Add(20 * time.Second)
	due(true)
	w.Must(c.Release())

	w.Edit("cache/compacting", func([]byte) []byte { return []byte("not a record") })
	due(true)
	w.Edit("cache/compacting", func([]byte) []byte { return []byte(strings.Repeat("{", 300)) })
	due(true)
}
