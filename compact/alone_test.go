package compact_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// exclusive returns a compaction that takes the lock of compactions.
func exclusive(w *storetest.World, wait time.Duration) *compact.Job {
	job := w.Job(storetest.KeepLog)
	job.Exclude = func() (func(), error) {
		c, err := filestore.LockCompaction(w.T.Context(), w.Dir, time.Now, wait)
		if err != nil {
			return nil, err
		}
		return func() { w.Must(c.Release()) }, nil
	}
	return job
}

func TestOneCompactionRunsAtATime(t *testing.T) {
	w := storetest.Specimen(t)
	first, err := filestore.LockCompaction(t.Context(), w.Dir, time.Now, 0)
	w.Must(err)
	_, err = exclusive(w, 10*time.Millisecond).Run()
	if !errors.Is(err, log.ErrLocked) {
		t.Errorf("asked for: %v", err)
	}
	job := exclusive(w, 0)
	job.IfNeeded, job.Limits = true, storetest.RotateLog
	rep, err := job.Run()
	if err != nil || rep.Done || rep.Why != "another compaction is running" {
		t.Errorf("if needed: %+v, %v", rep, err)
	}
	job = exclusive(w, 0)
	job.DryRun = true
	rep, err = job.Run()
	if err != nil || rep.Why != "dry run" {
		t.Errorf("dry: %+v, %v", rep, err)
	}
	go func() {
		time.Sleep(20 * time.Millisecond)
		first.Release()
	}()
	rep, err = exclusive(w, time.Hour).Run()
	if err != nil || !rep.Done {
		t.Errorf("after it: %+v, %v", rep, err)
	}
}

// What cannot be locked, because something else stands there, keeps nobody from compacting.
func TestACompactionGoesOnWithoutItsLock(t *testing.T) {
	w := storetest.Specimen(t)
	w.Dirty = true
	w.Must(os.RemoveAll(w.File("cache")))
	w.Must(os.WriteFile(w.File("cache"), nil, 0o600))
	rep, err := exclusive(w, 0).Run()
	if err != nil || !rep.Done {
		t.Errorf("%+v, %v", rep, err)
	}
}

// What a killed compaction left is removed by the next one; nothing else is, and without the lock
// of compactions nothing at all.
func TestDraftsOfAKilledCompaction(t *testing.T) {
	w := storetest.Specimen(t)
	w.Must(os.WriteFile(w.File("README.md"), []byte("x"), 0o600))
	drafts := []string{".tmp-0123456789abcdef", "archive/.tmp-0123456789abcdef",
		"cache/.tmp-0123456789abcdef", "artifacts/.tmp-0123456789abcdef"}
	// Of artifacts/ nobody has a lock: what is young may be in use.
	others := []string{".tmp-mine", "notes.txt", "artifacts/.tmp-0000456789abcdef"}
	for _, name := range append(drafts, others...) {
		w.Must(os.WriteFile(w.File(name), []byte("half"), 0o600))
	}
	w.Age(drafts[3])
	left := func() (names []string) {
		for _, name := range append(drafts, others...) {
			if _, err := os.Stat(w.File(name)); !errors.Is(err, fs.ErrNotExist) {
				names = append(names, name)
			}
		}
		return names
	}
	w.Compact(storetest.KeepLog)
	if got := left(); len(got) != 7 {
		t.Errorf("without the lock %q are left", got)
	}
	// It makes its own after it has removed theirs.
	_, err := exclusive(w, 0).Run()
	w.Must(err)
	if got := left(); fmt.Sprint(got) != fmt.Sprint(others) {
		t.Errorf("%q are left", got)
	}
	w.Must(os.Remove(w.File("README.md")))
	w.Must(os.WriteFile(w.File(drafts[0]), []byte("# This directory"), 0o600))
	_, err = exclusive(w, 0).Run()
	w.Must(err)
	if got := left(); fmt.Sprint(got) != fmt.Sprint(append(drafts[:1:1], others...)) {
		t.Errorf("without a README %q are left", got)
	}
	w.Must(os.Remove(w.File(drafts[0])))
}
