package filestore

import (
	"fmt"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// PurgeLeft returns why an earlier purge could not be finished; nil where none is left. Neither a
// purge nor a compaction begins before it.
func (wr *Writer) PurgeLeft() error { return wr.purgeLeft }

// finishPurge finishes a purge that was killed, from its beginning on. A purge that cannot be
// finished stops no write but that of its tombstones.
func finishPurge(wr *Writer) error {
	plan, err := purge.Read(wr.Dir)
	switch {
	case err != nil:
		wr.note("%s: %s sets it aside", err, advice.Run("fsck", "--repair").As(wr.Program))
		return nil
	case plan == nil:
		return nil
	}
	x := newEraser(wr, plan)
	if wr.purgeLeft = wr.behind; wr.behind == nil {
		if err := x.bury(); err != nil {
			return err
		}
		var proof backend.Proof
		if proof, wr.purgeLeft = x.run(); wr.purgeLeft == nil {
			wr.note("a purge that was interrupted is finished: %d more versions were removed",
				proof.Versions)
		}
		for _, file := range proof.Remains {
			wr.note("%s still holds text that was to be forgotten", file)
		}
	}
	if wr.purgeLeft != nil {
		wr.purgeLeft = fmt.Errorf("a purge that was interrupted cannot be finished yet: %w",
			wr.purgeLeft)
		wr.note("%s", wr.purgeLeft)
	}
	return nil
}

// FinishPurge finishes a killed purge, if there is one. The lock is held. OpenWriter does the same;
// this is for callers that read the files without a writer.
func (s Files) FinishPurge(now time.Time) error {
	if plan, err := purge.Read(s.Dir); plan == nil {
		return disk.Ignore(err, purge.ErrPlan)
	}
	wr, err := s.OpenWriter(now)
	if err != nil {
		return err
	}
	wr.Close()
	return nil
}

// eraser is one erasure. The lock is held.
type eraser struct {
	wr       *Writer
	plan     *purge.Plan
	values   *purge.Values
	versions int
	hasText  bool                      // one of them is not the mark of another purge
	newest   log.Stamp                 // of the versions that go
	last     map[keypath.Key]log.Stamp // likewise, of each key
	found    []segmentLines            // what archives and log hold

	sound  []log.Envelope // of other keys, joined with what goes in one line
	rest   []byte         // likewise, what cannot be read
	beyond []string       // what could not be looked into

	blobs erasedBlobs
}

func newEraser(wr *Writer, plan *purge.Plan) *eraser {
	return &eraser{wr: wr, plan: plan, values: purge.NewValues(),
		last: map[keypath.Key]log.Stamp{}}
}

// begin makes the plan of an erasure for a reason, and does it.
func (x *eraser) begin(reason string) (proof backend.Proof, err error) {
	if err := x.readmitLost(); err != nil {
		return proof, err
	}
	if err := x.collect(); err != nil || x.versions == 0 || x.plan.Tombstones && !x.hasText {
		return proof, err // another purge may have taken all meanwhile
	}
	if x.values.MatchFold(reason) {
		return proof, backend.ErrReason
	}
	if words := x.values.WordsOf(reason); len(words) > 0 {
		x.wr.note("the reason stays, and contains words of the forgotten text: %s",
			strings.Join(words, ", "))
	}
	if err := x.writePlan(); err != nil {
		return proof, err
	}
	return newEraser(x.wr, x.plan).run()
}

// readmitLost takes in what only state or index have: a new state leaves out what the history
// lacks.
func (x *eraser) readmitLost() error {
	v, err := x.wr.Load()
	if err != nil {
		return err
	}
	defer v.Close()
	if v.Doubtful() {
		return x.wr.rebuild()
	}
	if len(v.Damaged) > 0 {
		_, err = takeIn(x.wr, v.Damaged)
	}
	return err
}

// writePlan completes the plan, now that all that goes is known, and writes it.
func (x *eraser) writePlan() (err error) {
	if err := x.rescue(); err != nil {
		return err
	}
	if x.plan.Horizon == log.MaxStamp {
		if err := x.setHorizon(); err != nil {
			return err
		}
	}
	x.plan.AddBlobs(x.values.Blobs())
	if x.plan.Lock, err = purge.LockOf(x.wr.Dir); err != nil {
		return err
	}
	// A crash after this leaves the plan, and the next writer does all the rest.
	return purge.Write(x.wr.Dir, x.plan)
}

// setHorizon sets the time of the last of the tombstones, behind all that was ever written.
func (x *eraser) setHorizon() error {
	// An archive that was put there may be ahead of what the watermark knows.
	first, err := log.NextStamp(x.wr.now, max(x.wr.w.MaxTS, x.newest))
	if err == nil {
		x.plan.Horizon, err = log.NextStamp(x.wr.now, first+log.Stamp(len(x.plan.Keys))-2)
	}
	return err
}

// run does all that the plan says, in an order in which a crash leaves nothing that the next writer
// could not tell: what the values are needed for comes while the history still has them.
func (x *eraser) run() (proof backend.Proof, err error) {
	const rest = "the purge goes on with the next command that writes; " +
		"a full disk needs room for it"
	if err := x.bury(); err != nil {
		return proof, backend.Unfinished(err, "the purge is planned, nothing is deleted yet", rest)
	}
	proof, err = x.erase()
	return proof, backend.Unfinished(err,
		"the deletion is stored, its history is not all erased yet", rest)
}

// erase is run after the tombstones are stored.
func (x *eraser) erase() (proof backend.Proof, err error) {
	files := sweeper{x}
	for _, step := range []func() error{x.collect, x.removeBlobs, files.look, files.scrub,
		x.rewrite, files.scrub} {
		if err := step(); err != nil {
			return proof, err
		}
	}
	proof = backend.Proof{Horizon: x.plan.Horizon, Versions: x.versions, Short: x.values.Short(),
		Kept: x.blobs.kept, Stones: x.plan.Stones()}
	search, err := x.prove()
	if err != nil {
		return proof, err
	}
	proof.Beyond = append(x.beyond, search.Unclear()...)
	proof.Remains, proof.Others = search.Remains(), search.OtherPlaces()
	if err := files.sync(); err != nil {
		return proof, err
	}
	return proof, purge.Remove(x.wr.Dir)
}

// bury appends the tombstones of the plan, unless they are there: nothing was written since the
// plan but by them, for every writer calls this first.
func (x *eraser) bury() error {
	if x.wr.w.MaxTS >= x.plan.Horizon {
		return nil
	}
	return disk.Ignore(x.wr.Append(x.plan.Stones()), backend.ErrStored)
}
