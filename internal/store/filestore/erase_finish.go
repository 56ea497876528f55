package filestore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// finishPurge finishes what a purge that was killed has left. While one is running, or a
// compaction, which will finish it, only the tombstones are made sure of. What cannot be finished
// stops no write.
func finishPurge(wr *Writer) error {
	if wr.purging {
		return nil
	}
	plan, err := purge.Read(wr.Dir)
	if plan == nil && err == nil {
		return nil
	}
	if err == nil && IsForeignPlan(wr.Dir, plan) {
		err = fmt.Errorf("%s: it was not made here", purge.File)
	}
	if err != nil {
		wr.note("%s: %s sets it aside", err, advice.Run("fsck", "--repair").As(wr.Program))
		return nil
	}
	if wr.IndexError() != nil {
		return nil // the log takes writes all the same, and the next writer tries again
	}
	if err := bury(wr, plan); err != nil {
		return err
	}
	release, alive := takeOver(wr)
	if alive {
		return nil
	}
	defer release()
	if err := finish(wr, plan); err != nil {
		wr.note("a purge that was interrupted cannot be finished yet: %s", err)
	}
	return nil
}

// lockOf returns the inode of the lock, which is never replaced: a copy of the store
// has another.
func lockOf(dir *disk.Dir) (uint64, error) {
	fi, err := dir.Lstat(log.LockFile)
	if err != nil {
		return 0, disk.IgnoreNotExist(err)
	}
	return disk.Ino(fi), nil
}

// IsForeignPlan reports whether a plan was not made in this very store: it came with git or another
// copy, and nobody here has asked for it.
func IsForeignPlan(dir *disk.Dir, plan *purge.Plan) bool {
	lock, err := lockOf(dir)
	return err != nil || lock != plan.Lock
}

// bury appends the tombstones of a plan if the purge was killed before it did: nothing was written
// since, for every writer calls it first.
func bury(wr *Writer, plan *purge.Plan) error {
	if wr.w.MaxTS >= plan.Horizon {
		return nil
	}
	return ignore(wr.Append(plan.Stones()), backend.ErrStored)
}

func finish(wr *Writer, plan *purge.Plan) error {
	x := eraserOf(wr, plan)
	if err := x.resume(wr); err != nil {
		return err
	}
	x.plan.AddBlobs(x.values.Blobs())
	proof, err := x.run()
	if err != nil {
		return err
	}
	wr.note("a purge that was interrupted is finished: %d more versions were removed",
		proof.Versions)
	for _, file := range proof.Remains {
		wr.note("%s still holds text that was to be forgotten", file)
	}
	return nil
}

// FinishPurge finishes a killed purge, if there is one. The lock is held. OpenWriter does the same;
// this is for callers that read the files without a writer.
func (s Files) FinishPurge(now time.Time) error {
	if plan, err := purge.Read(s.Dir); plan == nil {
		return ignore(err, purge.ErrPlan)
	}
	wr, err := s.OpenWriter(now)
	if err != nil {
		return err
	}
	wr.Close()
	return nil
}

// eraserOf returns an erasure for a caller that has the lock already.
func eraserOf(wr *Writer, plan *purge.Plan) *eraser {
	files := wr.Files
	files.purging = true
	return &eraser{files: files, plan: plan, values: purge.NewValues(),
		locked: func(fn func(*Writer) error) error { return fn(wr) }}
}

// PurgeAgain purges the versions of a key that are older than the tombstone of its purge: they are
// back. The lock is held. The error wraps log.ErrLocked while a compaction runs.
func PurgeAgain(wr *Writer, mark log.Envelope) error {
	release, alive := takeOver(wr)
	if alive {
		return fmt.Errorf("%s: a compaction is running: %w", state.CompactingFile, log.ErrLocked)
	}
	defer release()
	x := eraserOf(wr, &purge.Plan{Keys: []keypath.Key{mark.Key}, Horizon: mark.TS, Tombstones: true,
		Source: mark.Source})
	if err := x.resume(wr); err != nil {
		return err
	}
	if err := x.writePlan(wr); err != nil {
		return err
	}
	_, err := x.run()
	return err
}

// resume collects the remaining lines.
func (x *eraser) resume(wr *Writer) error {
	if err := x.collect(); err != nil {
		return err
	}
	if err := x.read(wr.Log, wr.Log.Size(), log.File); err != nil {
		return err
	}
	return x.rescue(wr)
}

// takeOver takes the lock of compactions for a process that finds the plan of a purge. alive
// reports that another process has it.
func takeOver(wr *Writer) (release func(), alive bool) {
	if wr.Alone {
		return func() {}, false
	}
	now := func() time.Time { return wr.now }
	c, err := state.LockCompaction(context.Background(), wr.Dir, now, 0)
	if errors.Is(err, log.ErrLocked) {
		return nil, true
	}
	if err != nil {
		return func() {}, false // cache/ is not needed
	}
	return func() { _ = c.Release() }, false // its end releases it, too
}
