package compact_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// In a store that rests, a compaction that a person starts leaves out what has expired by the
// clock; one that a write or cron starts does not believe the clock so far. The history keeps all,
// and what a clock that was ahead has hidden comes back.
func TestExplicitCompactionUsesTheClock(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/over", `{"text":"zanzibar","expired_at":"2026-02-23"}`, "/kept", "1")
	has := func() bool {
		text, err := os.ReadFile(w.File("state.jsonl"))
		w.Must(err)
		files, err := filepath.Glob(w.File("index/over@*"))
		w.Must(err)
		mirrored := len(files) > 0
		if inState := strings.Contains(string(text), "zanzibar"); inState != mirrored {
			t.Errorf("in the state %v, in index/ %v", inState, mirrored)
		}
		return mirrored
	}
	run := func(ifNeeded, namesOnly bool) {
		t.Helper()
		job := w.Job(storetest.KeepLog)
		job.IfNeeded, job.NamesOnly = ifNeeded, namesOnly
		if _, err := job.Run(); err != nil {
			t.Fatal(err)
		}
	}
	w.Now = storetest.Noon.Add(48 * time.Hour)
	if run(false, true); !has() {
		t.Error("a compaction that begins by itself believes the clock")
	}
	at := log.StampOf(time.Date(2026, 2, 23, 0, 0, 0, 1000, time.UTC)) // a microsecond later
	cp, err := state.ReadCheckpoint(w.Dir)
	if err != nil || cp.ExpiredBy != log.MinStamp ||
		filestore.CompactionDue(w.Dir, 0, storetest.Noon) {
		t.Errorf("the state lacks nothing, and is of %s (%v)", cp.ExpiredBy, err)
	}
	if run(false, false); has() {
		t.Error("an explicit compaction keeps what has expired")
	}
	if cp, err = state.ReadCheckpoint(w.Dir); err != nil || cp.ExpiredBy != at {
		t.Errorf("what was left out had expired by %s (%v), want %s", cp.ExpiredBy, err, at)
	}
	if filestore.CompactionDue(w.Dir, 0, at.Time()) ||
		!filestore.CompactionDue(w.Dir, 0, (at-1).Time()) {
		t.Error("a compaction is due where the state lacks what has not expired, and nowhere else")
	}
	if text, err := os.ReadFile(w.File("log.jsonl")); err != nil ||
		!strings.Contains(string(text), "zanzibar") {
		t.Errorf("the history lacks it: %v", err)
	}
	run(false, true)
	if has() {
		t.Error("the next compaction brings it back")
	}
	w.Now = storetest.Noon.Add(time.Hour)
	if run(false, true); !has() {
		t.Error("what a clock that was ahead has hidden does not come back")
	}
}
