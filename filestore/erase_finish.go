package filestore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/purge"
)

// finishPurge finishes what a purge that was killed has left. While one is running, or a
// compaction, which will finish it, nothing is done.
func finishPurge(wr *Writer) error {
	if wr.purging {
		return nil
	}
	plan, err := purge.Read(wr.Dir)
	if plan == nil && err == nil {
		return nil
	}
	if err != nil {
		wr.note("%s: remove it, and forget the keys once more", err)
		return nil
	}
	release, alive := takeOver(wr)
	if alive {
		return nil
	}
	defer release()
	return finish(wr, plan)
}

func finish(wr *Writer, plan *purge.Plan) error {
	if err := wr.Behind(); err != nil {
		return nil // the log takes writes all the same, and the next writer tries again
	}
	x := eraserOf(wr, plan)
	if err := x.resume(wr); err != nil {
		return err
	}
	proof, err := x.run()
	if err != nil {
		return err
	}
	wr.note("a purge that was interrupted is finished: %d more versions were removed",
		proof.Versions)
	for _, file := range proof.Remains {
		wr.note("%s still holds something of what was to be forgotten", file)
	}
	return nil
}

// FinishPurge finishes what a purge that was killed has left, if there is something. The lock is
// held. Whoever opens a writer does the same; it is for who looks at the files without one.
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

// eraserOf returns an erasure by whoever has the lock already.
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
		return fmt.Errorf("%s: a compaction is running: %w", CompactingFile, log.ErrLocked)
	}
	defer release()
	x := eraserOf(wr, &purge.Plan{Keys: []keypath.Key{mark.Key}, Horizon: mark.TS, Tombstones: true,
		Source: mark.Source})
	if err := x.resume(wr); err != nil {
		return err
	}
	if err := x.planArchives(); err != nil {
		return err
	}
	if err := purge.Write(wr.Dir, x.plan); err != nil {
		return err
	}
	_, err := x.run()
	return err
}

// resume collects what is left, and appends the tombstones if the purge was killed before it did.
func (x *eraser) resume(wr *Writer) error {
	if err := x.collect(); err != nil {
		return err
	}
	if err := x.read(wr.Log.From(0), log.File); err != nil {
		return err
	}
	if x.versions == 0 || wr.w.MaxTS >= x.plan.Horizon {
		return nil
	}
	newest := x.plan.Horizon - log.Stamp(len(x.plan.Keys))
	var tombstones []log.Envelope
	for _, key := range x.plan.Keys {
		newest++
		tombstones = append(tombstones, log.Envelope{Key: key, TS: newest,
			Source: x.plan.Source, Content: []byte("null")})
	}
	return ignore(wr.Append(tombstones), backend.ErrStored)
}

// takeOver takes the lock of compactions for whoever finds the plan of a purge. alive reports that
// somebody has it.
func takeOver(wr *Writer) (release func(), alive bool) {
	if wr.Alone {
		return func() {}, false
	}
	now := func() time.Time { return wr.now }
	c, err := LockCompaction(context.Background(), wr.Dir, now, 0)
	if errors.Is(err, log.ErrLocked) {
		return nil, true
	}
	if err != nil {
		return func() {}, false // cache/ is not needed
	}
	return func() { _ = c.Release() }, false // its end releases it, too
}
