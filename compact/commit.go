package compact

import (
	"time"

	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
)

// commit is what a compaction puts in place under the lock.
type commit struct {
	draft    *state.Draft
	diff     *indexDiff
	rotation rotation
	point    snapshotPoint
	covered  filestore.Covered
}

// run puts index, state and checkpoint, and log segment in place, in that order.
func (c *commit) run(wr *filestore.Writer, now time.Time, rep *Report) (err error) {
	switch {
	case wr.IndexError() != nil:
		return wr.IndexError()
	case !c.point.holds(wr):
		rep.Why = "another compaction came first"
		return nil
	}
	if rep.Repaired, err = c.diff.fix(wr, c.point); err != nil {
		return err
	}
	// Readers that began before must read again, so the generation changes before anything is
	// renamed. It stays odd until all is in place: after a crash in between the next writer
	// finishes the compaction.
	if err := wr.NextGeneration(); err != nil {
		return err
	}
	if err := wr.Install(c.draft, c.covered); err != nil {
		return err
	}
	rep.Done = true
	if rep.Archive, err = c.rotation.run(wr, now); err != nil {
		return err
	}
	// A crash before this leaves an odd generation: the next writer writes state and checkpoint
	// anew.
	return wr.NextGeneration()
}
