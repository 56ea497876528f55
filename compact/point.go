package compact

import (
	"cmp"
	"errors"
	"io/fs"

	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// snapshotPoint describes the store as read under the lock at the beginning: the log up to size
// does not change as long as the generation is gen.
type snapshotPoint struct {
	gen    uint64
	ino    uint64
	size   int64
	more   bool // the log is longer than size: another pass will follow
	lines  int  // of the live segment, counted only for IfNeeded
	tail   filestore.Tail
	bare   bool // reads are slow without sidecars, or without a state; looked at only for IfNeeded
	last   string
	newest log.Stamp
	whole  bool // the state cannot be built upon: see Job.hidden
}

// holds reports whether no other compaction has committed since.
func (p *snapshotPoint) holds(wr *filestore.Writer) bool {
	return wr.Watermark().Gen == p.gen && wr.Log.Ino() == p.ino
}

// begin heals the store and notes where its log ends. A dry run does not lock or heal.
func (j *Job) begin() (p snapshotPoint, err error) {
	if j.DryRun {
		return j.look()
	}
	err = j.locked(func(wr *filestore.Writer) error {
		if err := cmp.Or(wr.IndexError(), wr.PurgeLeft()); err != nil {
			return err
		}
		if j.sweep {
			removeDrafts(wr.Dir, j.Now)
			j.sweep = false
		}
		w := wr.Watermark()
		p = snapshotPoint{gen: w.Gen, ino: wr.Log.Ino(), size: wr.Log.Size(), last: w.Last,
			newest: w.MaxTS}
		if err := j.measure(&wr.Log.Segment, &p); err != nil {
			return err
		}
		notFolded, err := filestore.NotFolded(j.Dir)
		if err != nil {
			return err
		}
		if p.whole = notFolded || j.hidden(); p.whole {
			return nil
		}
		return j.bound(&wr.Log.Segment, &p)
	})
	return p, err
}

// expiredBy returns the time until which expired records are left out: now if a person compacts,
// else the store's newest write at most.
func (j *Job) expiredBy(newest log.Stamp) log.Stamp {
	if j.asked {
		return log.StampOf(j.Now)
	}
	return min(log.StampOf(j.Now), newest)
}

// hidden reports whether the state may lack records that have not expired: a compaction left them
// out, by a clock that was ahead. Then the whole history is folded, in one pass.
func (j *Job) hidden() bool {
	cp, err := state.ReadCheckpoint(j.Dir)
	return err == nil && cp.ExpiredBy > log.StampOf(j.Now)
}

// bound ends the pass at a line, if the tail is longer than one. A history with archives and
// without a checkpoint is folded in one pass, for a part of it has no meaning.
func (j *Job) bound(seg *log.Segment, p *snapshotPoint) error {
	from, err := filestore.CoveredBytes(j.Dir, seg)
	if err != nil || from < 0 {
		return err
	}
	most := cmp.Or(j.PassBytes, DefaultPass)
	if p.size-from <= most {
		return nil
	}
	end, err := filestore.AfterNewline(seg, from+most, p.size)
	if err != nil || end == p.size {
		return err
	}
	p.size, p.more = end, true
	p.last, err = seg.SumBefore(end)
	return err
}

func (j *Job) look() (p snapshotPoint, err error) {
	seg, err := log.OpenSegment(j.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	defer seg.Close()
	p.size = seg.Size()
	return p, j.measure(seg, &p)
}

// measure counts what lies after the checkpoint, for ifGrown.
func (j *Job) measure(seg *log.Segment, p *snapshotPoint) (err error) {
	if j.ifGrown {
		p.tail = filestore.TailOf(j.Dir, seg.Size())
		p.bare = state.IsBare(j.Dir) || j.hidden()
		p.lines, err = filestore.CountLog(j.Dir, seg)
	}
	return err
}

// idle returns why there is nothing to do; "" if there is.
func (j *Job) idle(p snapshotPoint) string {
	if !j.ifGrown || j.isOver(p.lines, p.size) || p.tail.Long() || p.bare {
		return ""
	}
	return "the log has grown too little since the last compaction"
}
