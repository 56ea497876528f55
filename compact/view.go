package compact

import (
	"errors"
	"io/fs"
	"math"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// View is one consistent sight of a store: the state file merged with the fold of what the log holds since, or the fold of
// the whole history where the state cannot be trusted. It needs no lock. Memory is bounded by the fold.
type View struct {
	dir   *disk.Dir
	live  *log.Live  // nil: there is no log
	state *disk.File // nil: tail is everything
	cp    Checkpoint // of the state
	tail  Fold

	MaxTS   log.Stamp     // newest ts met
	Lines   int           // lines of the live log
	Damaged []*log.Damage // lines that could not be read and were left out (S-42)
	Full    bool          // the whole history was folded
}

// retries is how often a reader starts over because a compaction came between; then it reads once more in an order that no compaction
// can mislead (log first, archives last), and takes that.
const retries = 3

// Load opens a view. boot is disk.BootID().
func Load(dir *disk.Dir, boot string) (*View, error) { return loadUpTo(dir, boot, math.MaxInt64) }

// loadUpTo is Load of only the first limit bytes of the live log.
func loadUpTo(dir *disk.Dir, boot string, limit int64) (*View, error) {
	for try := 0; ; try++ {
		before, trusted, err := readMark(dir)
		if err != nil {
			return nil, err
		}
		v, err := load(dir, before, trusted, boot, limit)
		if err != nil {
			return nil, err
		}
		if after, _, err := readMark(dir); err != nil || after.Gen == before.Gen || try == retries {
			return v, err
		}
		v.Close()
	}
}

// readMark reads the watermark; one that cannot be trusted (or is just being written) is no error.
func readMark(dir *disk.Dir) (log.Watermark, bool, error) {
	for try := 0; ; try++ {
		w, err := log.ReadWatermark(dir)
		if err == nil {
			return w, true, nil
		}
		if !errors.Is(err, log.ErrWatermark) {
			return w, false, err
		}
		if try == retries {
			return w, false, nil
		}
	}
}

func load(dir *disk.Dir, w log.Watermark, trusted bool, boot string, limit int64) (*View, error) {
	v := &View{dir: dir, tail: Fold{}, MaxTS: log.MinStamp}
	// The log first: whatever is rotated from here on is still in this descriptor, and what was rotated before is in the archives that are
	// listed later.
	live, err := log.OpenReader(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if v.live = live; live != nil {
		live.Clip(limit)
	}
	ok, err := v.loadTail(w, trusted, boot)
	if err == nil && !ok {
		err = v.loadAll()
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// loadTail opens the state and folds the log behind it. It reports false where the two cannot be trusted together.
func (v *View) loadTail(w log.Watermark, trusted bool, boot string) (bool, error) {
	if v.live == nil {
		return false, nil
	}
	cp, err := ReadCheckpoint(v.dir)
	if err != nil {
		return false, ignoreIrregular(ignore(err, ErrCheckpoint))
	}
	if v.state, err = v.dir.Open(StateFile); err != nil {
		return false, ignoreIrregular(ignore(err, fs.ErrNotExist))
	}
	fi, err := v.state.Stat()
	if err != nil {
		return false, err
	}
	if ok, err := cp.fits(v.live, fi.Size()); !ok {
		return false, err
	}
	fit, err := Judge(w, trusted, v.live, boot)
	if err != nil {
		return false, err
	}
	v.cp, v.MaxTS, v.Lines = cp, cp.MaxTS, cp.Lines
	return v.foldTail(cp.Offset, known(cp, w, fit))
}

func ignore(err, harmless error) error {
	if errors.Is(err, harmless) {
		return nil
	}
	return err
}

// horizon is up to where the log is known to be mem's own work, and the newest ts up to there.
type horizon struct {
	off int64
	ts  log.Stamp
}

// known gives the horizon that checkpoint and watermark vouch for: the further one.
func known(cp Checkpoint, w log.Watermark, fit Fit) horizon {
	if fit == FitNone || w.Applied < cp.Offset {
		return horizon{off: cp.Offset, ts: cp.MaxTS}
	}
	return horizon{off: w.Applied, ts: w.MaxTS}
}

// passed reports whether a record shows that other hands added to the log: mem itself only ever appends what is newer than
// all before it (an import of older records is compared with the whole history first, and lies below the horizon).
func (h horizon) passed(r log.Record) bool { return r.Pos.Off >= h.off && r.TS <= h.ts }

func (v *View) foldTail(from int64, known horizon) (bool, error) {
	f := foldRange(v.live, log.File, log.Start{Off: from, Line: v.Lines}, v.live.Size(), known)
	if f.err != nil || f.passed {
		return false, f.err
	}
	v.Lines = f.lines
	v.add(f)
	return true, nil
}

func (v *View) add(f folded) {
	if len(v.tail) == 0 {
		v.tail = f.fold
	} else {
		v.tail.take(f.fold)
	}
	v.MaxTS = max(v.MaxTS, f.maxTS)
	v.Damaged = append(v.Damaged, f.damaged...)
}

// loadAll folds archives and log: the whole history, which alone decides.
func (v *View) loadAll() error {
	if v.state != nil {
		v.state.Close()
		v.state = nil
	}
	v.tail, v.Damaged, v.MaxTS, v.Lines, v.Full = Fold{}, nil, log.MinStamp, 0, true
	if v.live != nil {
		if _, err := v.foldTail(0, horizon{off: v.live.Size()}); err != nil {
			return err
		}
	}
	names, err := log.Archives(v.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := v.foldArchive(name); err != nil {
			return err
		}
	}
	return nil
}

func (v *View) foldArchive(name string) error {
	f, err := v.dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	folded := foldRange(f, name, log.Start{}, fi.Size(), horizon{off: fi.Size()})
	v.add(folded)
	return folded.err
}

// EachArchived calls fn for every record and every damaged line in archive/, until fn returns an error.
func EachArchived(dir *disk.Dir, fn func(log.Record, error) error) error {
	names, err := log.Archives(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := InArchive(dir, name, fn); err != nil {
			return err
		}
	}
	return nil
}

// InArchive is EachArchived of one segment.
func InArchive(dir *disk.Dir, name string, fn func(log.Record, error) error) error {
	f, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for rec, err := range log.Scan(f, name, log.Start{}) {
		if err := fn(rec, err); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the files.
func (v *View) Close() {
	if v.state != nil {
		v.state.Close()
	}
	if v.live != nil {
		v.live.Close()
	}
}

// Estimate is about how many live records the view has, for a progress bar.
func (v *View) Estimate() int { return v.cp.Keys + len(v.tail) }

// Size is the length of the live log that the view covers.
func (v *View) Size() int64 {
	if v.live == nil {
		return 0
	}
	return v.live.Size()
}

// Get gives the newest live record of one key, expired or not.
func (v *View) Get(key keypath.Key) (log.Record, bool, error) {
	if rec, ok := v.tail[key]; ok {
		return rec, rec.Valid(), nil
	}
	if v.state == nil {
		return log.Record{}, false, nil
	}
	for rec, err := range v.Live() {
		if err != nil || rec.Key == key {
			return rec.Clone(), err == nil, err
		}
		if rec.Key.Compare(key) > 0 {
			break
		}
	}
	return log.Record{}, false, nil
}
