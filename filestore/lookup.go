package filestore

import (
	"errors"
	"io"
	"io/fs"
	"math"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/state"
)

// Lookup returns the newest live record of one key: from the state by bisection, and from the log
// after it, where only the lines of the key are decoded. Where the state cannot be used, archives
// and log are searched in the same way. It takes no lock.
func Lookup(dir *disk.Dir, boot string, key keypath.Key) (log.Record, bool, error) {
	for try := 0; ; try++ {
		before, sound, err := ReadWatermark(dir)
		if err != nil {
			return log.Record{}, false, err
		}
		found, err := lookUp(dir, before, sound, boot, key)
		if err != nil {
			return log.Record{}, false, err
		}
		after, _, err := ReadWatermark(dir)
		if err != nil || after.Gen == before.Gen || try == Retries {
			rec, ok := found[key]
			return rec, ok && rec.Valid(), err
		}
	}
}

func lookUp(dir *disk.Dir, w log.Watermark, sound bool, boot string, key keypath.Key) (
	state.Fold, error) {
	// The log first, as for a view: see load.
	seg, err := log.OpenSegment(dir)
	if ignore(err, fs.ErrNotExist) != nil {
		return nil, err
	}
	l := lookup{dir: dir, seg: seg}
	if seg != nil {
		defer seg.Close()
		if l.trust, err = CheckWatermark(w, sound, seg, boot); err != nil {
			return nil, err
		}
		l.w = w
	}
	return l.newest(key)
}

// lookup looks keys up in the parts of a store.
type lookup struct {
	dir   *disk.Dir
	seg   *log.Segment // nil: there is no log
	w     log.Watermark
	trust Trust
}

// newest returns the newest records of some keys, as far as they have one; of what only the history
// has, tombstones may be left out.
func (l *lookup) newest(keys ...keypath.Key) (state.Fold, error) {
	f := finder{wanted: log.Want(keys...), found: make(state.Fold, len(keys))}
	if l.seg != nil {
		if sure, err := l.inState(&f, keys); sure || err != nil {
			return f.found, err
		}
	}
	f.found = make(state.Fold, len(keys))
	err := l.inHistory(&f)
	return f.found, err
}

// inState looks in the log after the checkpoint, and in the state by bisection. It is not sure if
// there is no usable checkpoint, or if there was an external modification.
func (l *lookup) inState(f *finder, keys []keypath.Key) (sure bool, err error) {
	file, pos, err := openState(l.dir, l.seg)
	if file == nil || err != nil {
		return false, err
	}
	defer file.Close()
	f.edge = known(pos, file.MaxTS, l.w, l.trust)
	if err = f.scan(l.seg.From(pos.offset), log.File, pos.offset); err != nil || f.passed {
		return false, err
	}
	for _, key := range keys {
		if _, found := f.found[key]; found {
			continue
		}
		rec, found, sure, err := file.Get(key)
		if err != nil || !sure {
			return false, err
		}
		if found {
			f.found[key] = rec
		}
	}
	return true, nil
}

// inHistory looks in log, archives and the lines of the state.
func (l *lookup) inHistory(f *finder) error {
	f.edge = horizon{off: math.MaxInt64}
	if l.seg != nil {
		if err := f.scan(l.seg.From(0), log.File, 0); err != nil {
			return err
		}
	}
	names, err := log.Archives(l.dir)
	if err != nil {
		return err
	}
	for _, name := range append(names, state.FileName) {
		if err := f.file(l.dir, name); err != nil {
			return err
		}
	}
	return nil
}

// finder finds the newest records of some keys in what it scans.
type finder struct {
	wanted log.Wanted
	edge   horizon
	found  state.Fold
	passed bool // a record of a key shows an external modification
}

func (f *finder) file(dir *disk.Dir, name string) error {
	file, err := dir.Open(name)
	if name == state.FileName && (isNotExist(err) || errors.Is(err, disk.ErrIrregular)) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	return f.scan(file, name, 0)
}

func (f *finder) scan(r io.Reader, name string, off int64) error {
	for rec, err := range log.Find(r, name, log.Start{Off: off}, f.wanted) {
		switch {
		case isDamage(err):
			continue
		case err != nil:
			return err
		case !f.wanted.Has(rec.Key):
			continue
		case f.edge.passed(rec):
			f.passed = true
			return nil
		}
		f.found.Add(rec)
	}
	return nil
}
