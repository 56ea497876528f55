package compact

import (
	"errors"
	"log/slog"
	"time"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// Job is one compaction.
type Job struct {
	backend.CompactOptions

	Dir       *disk.Dir
	Now       time.Time
	Boot      string
	Lock      func() (func() error, error) // takes the store's lock, returns its release
	Exclude   func() (func(), error)       // takes the lock of compactions; nil: there is none
	Progress  func(done, total int)        // called now and then, records; may be nil
	Warn      func(damaged []*log.Damage)  // called with lines that were left out; may be nil
	Tell      func(msg string)             // called with each repair of the store; may be nil
	Shared    bool                         // see filestore.Options: nothing moves to archive/
	Debug     func(msg string)             // called with sidecars that were left out; may be nil
	Log       *slog.Logger                 // receives a record at start and end; may be nil
	Clock     func() time.Time             // measures how long it takes, for Log; may be nil
	PassBytes int64                        // bytes of the tail folded at a time; 0: DefaultPass

	readmitted map[log.Pos]bool // damaged lines that were dealt with, see readmit
	ifGrown    bool             // IfNeeded, until a pass was made
	sweep      bool             // what others left is still to be removed
	asked      bool             // a person compacts, or a caller that is as explicit
	began      time.Time        // when the start was logged
	tells      bool             // the start was logged
}

// DefaultPass bounds the memory of a compaction: a fold takes about three times the bytes of its
// lines.
const DefaultPass = 64 << 20

// Run folds the history into state.jsonl and moves the live segment to archive/ when it has passed
// its limit; see the package comment. With IfNeeded it does nothing while another one runs; else
// the error wraps log.ErrLocked if that one takes too long.
func (j *Job) Run() (rep Report, err error) {
	j.asked, j.ifGrown = !j.IfNeeded && !j.NamesOnly, j.IfNeeded
	if j.IfNeeded {
		p, err := j.look()
		if err != nil {
			return rep, err
		}
		if why := j.idle(p); why != "" {
			return Report{Why: why, Lines: p.lines, Bytes: p.size}, nil
		}
	}
	release, err := j.alone()
	if j.IfNeeded && errors.Is(err, log.ErrLocked) {
		return Report{Why: "another compaction is running"}, nil
	}
	if err != nil {
		return rep, err
	}
	defer release()
	defer limitMemory()()
	if rep, err = j.passes(); err == nil && rep.Done {
		logEnd(j, rep)
	}
	return rep, err
}

// passes folds the tail in as many passes as it takes.
func (j *Job) passes() (rep Report, err error) {
	for {
		p, err := j.begin()
		if err != nil {
			return rep, err
		}
		if why := j.idle(p); why != "" {
			return Report{Why: why, Lines: p.lines, Bytes: p.size}, nil
		}
		logStart(j, p)
		done, err := j.pass(p)
		if errors.Is(err, errReadmitted) {
			continue
		}
		done.Expired += rep.Expired
		done.Damaged += rep.Damaged
		if rep = done; err != nil || !rep.Done || !p.more {
			return rep, err
		}
		j.ifGrown = false // finish the passes that were begun
	}
}

// errReadmitted is returned by a pass that has readmitted lines: it is to begin anew with them.
var errReadmitted = errors.New("sound copies of damaged lines were appended")

// pass folds what lies before a snapshot point.
func (j *Job) pass(p snapshotPoint) (Report, error) {
	v, err := j.load(p)
	if err != nil {
		return Report{}, err
	}
	defer v.Close()
	if !j.DryRun {
		if err := j.readmit(v); err != nil {
			return Report{}, err
		}
	}
	rep := Report{Lines: v.Lines, Bytes: v.Size(), Damaged: len(v.Damaged)}
	if j.Warn != nil {
		j.Warn(v.Damaged)
	}
	if j.DryRun {
		return j.count(v, rep)
	}
	return j.replace(v, p, rep)
}

func (j *Job) files() filestore.Files {
	return filestore.Files{Dir: j.Dir, Boot: j.Boot, Shared: j.Shared, Now: log.StampOf(j.Now)}
}

// load loads what a pass folds.
func (j *Job) load(p snapshotPoint) (*filestore.View, error) {
	if p.whole {
		return j.files().LoadHistoryUpTo(p.size)
	}
	return j.files().LoadUpTo(p.size)
}

// readmit appends to the log what only state or index still have: the new state leaves out what
// the history has not, and nobody would find it again. Each damaged line is dealt with once, for a
// copy may be beyond the end of the pass. The error is errReadmitted if there were any.
func (j *Job) readmit(v *filestore.View) error {
	if j.readmitted == nil {
		j.readmitted = map[log.Pos]bool{}
	}
	var damaged []*log.Damage
	for _, d := range v.Damaged {
		if !j.readmitted[d.Pos] {
			j.readmitted[d.Pos] = true
			damaged = append(damaged, d)
		}
	}
	if len(damaged) == 0 && !v.Doubtful() {
		return nil
	}
	return j.locked(func(wr *filestore.Writer) error {
		n, err := wr.Readmit(v, damaged)
		if err != nil || n == 0 {
			return err
		}
		if err := wr.WriteWatermark(); err != nil {
			return err
		}
		return errReadmitted
	})
}

// locked runs fn on the healed store, under the lock.
func (j *Job) locked(fn func(*filestore.Writer) error) error {
	return j.files().Locked(j.Lock, j.Now, j.Tell, fn)
}

// drop returns by when a live record must have expired to be removed from state and index; 0 to
// keep them all.
func (j *Job) drop(v *filestore.View) log.Stamp {
	if j.KeepExpired {
		return 0
	}
	return j.expiredBy(v.MaxTS)
}

func isOver(r log.Record, by log.Stamp) bool {
	return by != 0 && content.Expired(r.Content, by)
}

func (j *Job) count(v *filestore.View, rep Report) (Report, error) {
	by := j.drop(v)
	for rec, err := range v.Live() {
		if err != nil {
			return rep, err
		}
		if isOver(rec, by) {
			rep.Expired++
		} else {
			rep.Keys++
		}
	}
	if j.isOver(rep.Lines, rep.Bytes) {
		rep.Archive = log.ArchiveDir + "/"
	}
	rep.Why = "dry run"
	return rep, nil
}

// write writes the new state under a temporary name, and compares the index with it meanwhile; diff
// is nil before the last pass.
func (j *Job) write(v *filestore.View, diff *indexDiff, rep *Report) (*state.Draft, error) {
	by := j.drop(v)
	var gone log.Record // the newest record that the state leaves out
	d, err := state.Write(j.Dir, v.View, state.DraftOptions{
		Sidecars: diff != nil, // before the last pass they would not be read
		Tick:     j.tick(v.Estimate()),
		Debug:    j.Debug,
		Drop: func(r log.Record) bool {
			expired := isOver(r, by)
			if diff.pass(r, expired); expired {
				see(&gone, r)
			} else {
				see(&rep.Newest, r)
			}
			return expired
		},
	})
	if err == nil && d.Keys == 0 {
		for _, r := range v.Since() {
			see(&gone, r)
		}
		rep.Newest = gone
	}
	return d, err
}

// replace writes the new state to a temporary file, then puts it in place under the lock.
func (j *Job) replace(v *filestore.View, p snapshotPoint, rep Report) (_ Report, err error) {
	var diff *indexDiff // before the last pass the state is not what the index mirrors
	if !p.more {
		if diff, err = j.newDiff(); err != nil {
			return rep, err
		}
	}
	d, err := j.write(v, diff, &rep)
	diff.end()
	if err != nil {
		return rep, err
	}
	defer d.Discard()
	// The state may have turned out to be damaged: then the whole history was folded after all.
	if err := j.readmit(v); err != nil {
		return rep, err
	}
	rep.Keys, rep.Expired = d.Keys, len(d.Expired)
	var rot rotation
	if !p.more {
		if rot, err = j.prepareRotation(v, p); err != nil {
			return rep, err
		}
	}
	if err := v.AddHistory(d); err != nil {
		return rep, err
	}
	numbers, err := v.Numbers()
	if err != nil {
		return rep, err
	}
	c := commit{draft: d, diff: diff, rotation: rot, point: p, covered: filestore.Covered{
		Ino: p.ino, Size: p.size, Lines: v.Lines, Last: p.last, MaxTS: v.MaxTS, Numbers: numbers,
		Anew: !v.HasState(), Compared: diff.comparedAt(j.Dir),
	}}
	if err = j.prepareCommit(&c); err == nil {
		err = j.locked(func(wr *filestore.Writer) error { return c.run(wr, j.Now, &rep) })
	}
	if err != nil || !rep.Done {
		rot.discard(j.Dir)
	}
	return rep, err
}
