package filestore_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

func TestSuite(t *testing.T) { storetest.RunCases(t, openFiles) }

func TestComparisons(t *testing.T) { storetest.RunComparisons(t, openFiles) }

// files is a store under test that can be compacted, rotated, reopened and held by others. It ends
// with a full fsck.
type files struct {
	*filestore.Store
	world *storetest.World
	jobs  atomic.Int64 // compactions so far
}

func openFiles(t testing.TB) backend.Backend {
	w := storetest.NewWorld(t)
	f := &files{world: w}
	f.open()
	w.Boot = f.Boot()
	// Whatever the clock of the test said, all of it has happened when the store is checked.
	t.Cleanup(func() {
		w.Must(f.Close())
		w.Now = w.Now.Add(365 * 24 * time.Hour)
	})
	return f
}

func (f *files) open() {
	f.world.T.Helper()
	s, err := filestore.Open(f.world.Path, filestore.Options{
		Now: func() time.Time { return f.world.Now }, LockWait: time.Hour,
	})
	f.world.Must(err)
	f.Store = s
}

// Reopen closes the store and opens it again.
func (f *files) Reopen() {
	f.world.Must(f.Close())
	f.open()
}

// Compact folds the log into the state.
func (f *files) Compact() { f.compact(storetest.KeepLog) }

// Rotate moves the log to the archives, too.
func (f *files) Rotate() { f.compact(storetest.RotateLog) }

func (f *files) compact(limits backend.Limits) {
	job := f.world.Job(limits)
	// Archives are named by the second.
	job.Now = job.Now.Add(time.Duration(f.jobs.Add(1)) * time.Second)
	dir, err := f.Dir()
	if err == nil {
		job.Dir = dir
		job.Lock = func() (func() error, error) {
			return f.Lock(context.Background(), dir, "compact")
		}
		_, err = job.Run()
	}
	if err != nil {
		f.world.T.Error(err)
	}
}

// Hold takes the lock as another process does.
func (f *files) Hold() (release func()) {
	l, err := log.Acquire(f.world.Dir, "hold", f.world.Now, 0)
	f.world.Must(err)
	return func() { f.world.Must(l.Unlock()) }
}
