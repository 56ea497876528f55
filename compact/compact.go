package compact

import (
	"cmp"
	"errors"
	"io/fs"
	"time"

	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
)

// Limits say when the live segment moves to archive/ (M-55). They count since the last rotation, so that a log that is kept forever does not
// trigger a compaction at every write (M-73).
type Limits struct {
	Lines int   `json:"lines"`
	Bytes int64 `json:"bytes"`
}

// DefaultLimits are the seed's 100,000 lines, and 64 MiB for long ones.
var DefaultLimits = Limits{Lines: 100_000, Bytes: 64 << 20}

// Over reports whether a segment has passed a limit.
func (l Limits) Over(lines int, bytes int64) bool { return lines >= l.Lines || bytes >= l.Bytes }

// tailWorth is what a log must hold behind the checkpoint before "if needed" compacts: about what a read folds in ten milliseconds.
var tailWorth = Limits{Lines: 10_000, Bytes: 4 << 20}

// Job is one compaction.
type Job struct {
	Dir         *disk.Dir
	Now         time.Time
	Boot        string
	Limits      Limits
	KeepExpired bool                         // expired keys stay in state and index
	IfNeeded    bool                         // do nothing while the tail is short
	DryRun      bool                         // only say what would be done
	Lock        func() (func() error, error) // takes the store's lock, gives its release
	Progress    func(done, total int)        // called now and then, records; may be nil
	Warn        func(damaged []*log.Damage)  // told of lines that were left out; may be nil
	Round       int64                        // bytes of the tail that are folded at a time; 0 is DefaultRound
}

// DefaultRound bounds the memory of a compaction: a fold takes about three times the bytes of its lines.
const DefaultRound = 64 << 20

// Report says what a compaction did or, in a dry run, would do.
type Report struct {
	Done     bool   `json:"done"`              // false: nothing needed doing, or only a dry run
	Why      string `json:"why,omitempty"`     // why nothing was done
	Lines    int    `json:"lines"`             // of the live log that were covered
	Bytes    int64  `json:"bytes"`             // likewise
	Keys     int    `json:"keys"`              // live keys, now in state.jsonl
	Expired  int    `json:"expired"`           // keys whose time was over, taken out of state and index
	Repaired int    `json:"repaired"`          // index files that were missing or belonged to dead keys
	Damaged  int    `json:"damaged"`           // lines that could not be read and were left out
	Archive  string `json:"archive,omitempty"` // where the live segment went
}

// Run folds the history into state.jsonl and moves the live segment away when it has passed its limit. Readers go on all the time, and writers but for the two
// short moments when it holds the lock: to heal and note where the log ends, and to put the result in place. Its commit point is
// the rename of state.jsonl. A tail longer than a round is folded in several, each of them a compaction of its own.
func (j *Job) Run() (rep Report, err error) {
	b, err := j.survey()
	if err != nil {
		return rep, err
	}
	if why := j.idle(b); why != "" {
		return Report{Why: why, Lines: b.lines, Bytes: b.size}, nil
	}
	for {
		before := rep
		rep, err = j.round(b)
		rep.Expired += before.Expired
		rep.Damaged += before.Damaged
		if err != nil || !rep.Done || !b.more {
			return rep, err
		}
		if b, err = j.survey(); err != nil {
			return rep, err
		}
	}
}

// round folds what a survey saw.
func (j *Job) round(b beginning) (Report, error) {
	v, err := loadUpTo(j.Dir, j.Boot, b.size)
	if err != nil {
		return Report{}, err
	}
	defer v.Close()
	if again, err := j.readmit(v); err != nil {
		return Report{}, err
	} else if again {
		return j.Run()
	}
	rep := Report{Lines: v.Lines, Bytes: b.size, Damaged: len(v.Damaged)}
	if j.Warn != nil {
		j.Warn(v.Damaged)
	}
	if j.DryRun {
		return j.count(v, rep)
	}
	return j.replace(v, b, rep)
}

// beginning is what the first look under the lock found: from here on the log up to size never changes while gen stands.
type beginning struct {
	gen    uint64
	ino    uint64
	size   int64
	more   bool // the log goes on behind size: another round is to come
	lines  int  // of the live segment, counted only for IfNeeded
	tail   Limits
	last   string
	newest log.Stamp
}

// survey heals the store and notes where its log ends. A dry run looks without the lock and heals nothing.
func (j *Job) survey() (b beginning, err error) {
	if j.DryRun {
		return j.glance()
	}
	release, err := j.Lock()
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, release()) }()
	wr, err := OpenWriter(j.Dir, j.Now, j.Boot)
	if err != nil {
		return b, err
	}
	defer wr.Close()
	if wr.behind != nil {
		return b, wr.behind
	}
	b = beginning{gen: wr.w.Gen, ino: wr.Live.Ino(), size: wr.Live.Size(), last: wr.w.Last, newest: wr.w.MaxTS}
	if err := j.measure(wr.Live, &b); err != nil {
		return b, err
	}
	return b, j.bound(wr.Live, &b)
}

// bound ends the round at a line, if the tail is longer than one. A history that goes back into archives without a checkpoint is folded at once: only as a
// whole does it decide.
func (j *Job) bound(live *log.Live, b *beginning) error {
	from, err := j.covered(live)
	if err != nil || from < 0 {
		return err
	}
	round := cmp.Or(j.Round, DefaultRound)
	if b.size-from <= round {
		return nil
	}
	end, err := afterNewline(live, from+round, b.size)
	if err != nil || end == b.size {
		return err
	}
	b.size, b.more = end, true
	b.last, err = live.SumBefore(end)
	return err
}

// covered is how much of the log the state covers; negative where there is no state to go on from.
func (j *Job) covered(live *log.Live) (int64, error) {
	cp, err := ReadCheckpoint(j.Dir)
	if err == nil {
		fi, err := j.Dir.Lstat(StateFile)
		if err != nil {
			return -1, ignore(err, fs.ErrNotExist)
		}
		if ok, err := cp.fits(live, fi.Size()); err != nil || !ok {
			return -1, err
		}
		return cp.Offset, nil
	}
	if ignore(err, ErrCheckpoint) != nil {
		return -1, ignoreIrregular(err)
	}
	names, err := log.Archives(j.Dir)
	if err != nil || len(names) > 0 {
		return -1, err
	}
	return 0, nil
}

func (j *Job) glance() (b beginning, err error) {
	live, err := log.OpenReader(j.Dir)
	if err != nil {
		return b, ignore(err, fs.ErrNotExist)
	}
	defer live.Close()
	b.size = live.Size()
	return b, j.measure(live, &b)
}

// measure counts what lies behind the checkpoint; only IfNeeded asks.
func (j *Job) measure(live *log.Live, b *beginning) error {
	if !j.IfNeeded {
		return nil
	}
	cp, err := ReadCheckpoint(j.Dir)
	if err != nil || cp.Ino != live.Ino() || cp.Offset > live.Size() {
		cp = Checkpoint{}
	}
	lines, err := countLines(live.From(cp.Offset))
	b.tail = Limits{Lines: lines, Bytes: live.Size() - cp.Offset}
	b.lines = cp.Lines + lines
	return err
}

// idle says why there is nothing to do.
func (j *Job) idle(b beginning) string {
	if !j.IfNeeded || j.Limits.Over(b.lines, b.size) || tailWorth.Over(b.tail.Lines, b.tail.Bytes) {
		return ""
	}
	return "the log has grown too little since the last compaction"
}

// drop says which live records leave state and index.
func (j *Job) drop() func(log.Record) bool {
	if j.KeepExpired {
		return never
	}
	now := log.StampOf(j.Now)
	return func(r log.Record) bool { return content.Expired(r.Content, now) }
}

func (j *Job) count(v *View, rep Report) (Report, error) {
	drop := j.drop()
	for rec, err := range v.Live() {
		if err != nil {
			return rep, err
		}
		if drop(rec) {
			rep.Expired++
		} else {
			rep.Keys++
		}
	}
	if j.Limits.Over(rep.Lines, rep.Bytes) {
		rep.Archive = log.ArchiveDir + "/"
	}
	rep.Why = "dry run"
	return rep, nil
}

// replace writes the new state beside the old one, without the lock, then puts it in place under it.
func (j *Job) replace(v *View, b beginning, rep Report) (Report, error) {
	var watch *drift    // before the last round the state is not what the index mirrors,
	var cache *sidecars // and nobody would come to read it
	if !b.more {
		watch, cache = newDrift(j.Dir), newSidecars(j.Dir, v.Estimate())
	}
	drop := j.drop()
	d, err := writeState(j.Dir, v, cache, func(r log.Record) bool {
		gone := drop(r)
		watch.live(r, gone)
		return gone
	}, j.tick(v.Estimate()))
	watch.finish()
	if err != nil {
		return rep, err
	}
	defer d.discard()
	d.cp.Ino, d.cp.Offset, d.cp.Lines, d.cp.Last = b.ino, b.size, v.Lines, b.last
	rep.Keys, rep.Expired = d.cp.Keys, len(d.expired)
	var rot rotation
	if !b.more {
		rot, err = j.prepareRotation(v, b)
	}
	if err != nil {
		return rep, err
	}
	// What writers have left to the disk is written before the lock is taken, so that little is left to wait for under it.
	if err = j.Dir.SyncTree(); err == nil {
		err = j.commit(b, d, watch, rot, &rep)
	}
	if err != nil || !rep.Done {
		rot.discard(j.Dir)
	}
	return rep, err
}

// tick tells of the records written, out of about total.
func (j *Job) tick(total int) func(int) {
	if j.Progress == nil {
		return silent
	}
	return func(n int) {
		if n%4096 == 0 {
			j.Progress(n, max(n, total))
		}
	}
}

// commit takes the lock and puts state, index and log segment in place, in that order.
func (j *Job) commit(b beginning, d *draft, watch *drift, rot rotation, rep *Report) (err error) {
	release, err := j.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	wr, err := OpenWriter(j.Dir, j.Now, j.Boot)
	if err != nil {
		return err
	}
	defer wr.Close()
	switch {
	case wr.behind != nil:
		return wr.behind
	case wr.w.Gen != b.gen || wr.Live.Ino() != b.ino:
		rep.Why = "another compaction came first"
		return nil
	}
	if rep.Repaired, err = wr.tidy(b, d, watch); err != nil {
		return err
	}
	// Readers that began before must look again: the generation moves before anything is renamed. It stays odd until all is in place, so
	// that the next writer knows of a crash in between.
	wr.w.Gen++
	if err := wr.settle(); err != nil {
		return err
	}
	if err := wr.install(d); err != nil {
		return err
	}
	rep.Done = true
	if rep.Archive, err = wr.rotate(d.cp, rot); err != nil {
		return err
	}
	wr.w.Gen++
	return wr.settle()
}

// tidy takes expired keys out of the index and mends what the walk found amiss. Each is looked at again: a writer may have come between.
func (wr *Writer) tidy(b beginning, d *draft, watch *drift) (int, error) {
	for _, rec := range d.expired {
		have, err := wr.Tree.Get(rec.Key)
		if err != nil || have.TS != rec.TS {
			continue
		}
		if err := wr.Tree.Remove(rec.Key); err != nil {
			return 0, err
		}
	}
	return watch.mend(wr, b)
}
