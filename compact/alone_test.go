package compact_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// exclusive returns a compaction that takes the lock of compactions.
func exclusive(w *storetest.World, wait time.Duration) *compact.Job {
	job := w.Job(storetest.KeepLog)
	job.Exclude = func() (func(), error) {
		c, err := state.LockCompaction(w.T.Context(), w.Dir, time.Now, wait)
		if err != nil {
			return nil, err
		}
		return func() { w.Must(c.Release()) }, nil
	}
	return job
}

func TestOneCompactionRunsAtATime(t *testing.T) {
	w := storetest.Specimen(t)
	first, err := state.LockCompaction(t.Context(), w.Dir, time.Now, 0)
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

// Where the lock of compactions cannot be taken, because the kernel refuses it or something else
// stands there, nothing is compacted: another compaction may run. With IfNeeded it is said too.
func TestNoCompactionWithoutItsLock(t *testing.T) {
	for _, ifNeeded := range []bool{false, true} {
		for _, refused := range []error{syscall.ENOLCK, syscall.EIO} {
			w := storetest.Specimen(t)
			job := w.Job(storetest.RotateLog)
			job.IfNeeded = ifNeeded
			job.Exclude = func() (func(), error) {
				return nil, fmt.Errorf("%w: cache/compacting: %w", log.ErrNoLock, refused)
			}
			if rep, err := job.Run(); !errors.Is(err, refused) || rep.Done {
				t.Errorf("%v, if needed %t: %+v, %v", refused, ifNeeded, rep, err)
			}
		}
	}
	w := storetest.Specimen(t)
	w.Must(os.RemoveAll(w.File("cache")))
	w.Must(os.WriteFile(w.File("cache"), nil, 0o600))
	if rep, err := exclusive(w, 0).Run(); err == nil || rep.Done {
		t.Errorf("%+v, %v", rep, err)
	}
	w.Must(os.Remove(w.File("cache")))
	if rep, err := exclusive(w, 0).Run(); err != nil || !rep.Done {
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
