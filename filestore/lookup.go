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
		rec, found, err := lookUp(dir, before, sound, boot, key)
		if err != nil {
			return rec, false, err
		}
		after, _, err := ReadWatermark(dir)
		if err != nil || after.Gen == before.Gen || try == Retries {
			return rec, found, err
		}
	}
}

func lookUp(dir *disk.Dir, w log.Watermark, sound bool, boot string, key keypath.Key) (
	rec log.Record, found bool, err error) {
	// The log first, as for a view: see load.
	seg, err := log.OpenSegment(dir)
	if ignore(err, fs.ErrNotExist) != nil {
		return rec, false, err
	}
	l := lookup{dir: dir, seg: seg}
	if seg != nil {
		defer seg.Close()
		if l.trust, err = CheckWatermark(w, sound, seg, boot); err != nil {
			return rec, false, err
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

// newest returns the newest live record of a key.
func (l *lookup) newest(key keypath.Key) (log.Record, bool, error) {
	if l.seg != nil {
		if rec, found, sure, err := l.fromState(key); sure || err != nil {
			return rec, found, err
		}
	}
	return l.fromHistory(key)
}

// fromState looks in the state, by bisection, and in the log after the checkpoint. It is not sure
// if there is no usable checkpoint, or if there was an external modification.
func (l *lookup) fromState(key keypath.Key) (rec log.Record, found, sure bool, err error) {
	file, pos, err := openState(l.dir, l.seg)
	if file == nil || err != nil {
		return rec, false, false, err
	}
	defer file.Close()
	tail := finder{edge: known(pos, file.MaxTS, l.w, l.trust)}
	if err = tail.scan(l.seg.From(pos.offset), log.File, pos.offset, key); err != nil ||
		tail.passed {
		return rec, false, false, err
	}
	if !tail.rec.Key.IsZero() {
		return tail.rec, tail.rec.Valid(), true, nil
	}
	return file.Get(key)
}

// fromHistory looks in log, archives and the lines of the state.
func (l *lookup) fromHistory(key keypath.Key) (log.Record, bool, error) {
	all := finder{edge: horizon{off: math.MaxInt64}}
	if l.seg != nil {
		if err := all.scan(l.seg.From(0), log.File, 0, key); err != nil {
			return log.Record{}, false, err
		}
	}
	names, err := log.Archives(l.dir)
	if err != nil {
		return log.Record{}, false, err
	}
	for _, name := range append(names, state.FileName) {
		if err := all.file(l.dir, name, key); err != nil {
			return log.Record{}, false, err
		}
	}
	return all.rec, !all.rec.Key.IsZero() && all.rec.Valid(), nil
}

// finder is the newest record of a key in what was scanned.
type finder struct {
	edge   horizon
	rec    log.Record // zero: none
	passed bool       // a record of the key shows an external modification
}

func (f *finder) file(dir *disk.Dir, name string, key keypath.Key) error {
	file, err := dir.Open(name)
	if name == state.FileName && (isNotExist(err) || errors.Is(err, disk.ErrIrregular)) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	return f.scan(file, name, 0, key)
}

func (f *finder) scan(r io.Reader, name string, off int64, key keypath.Key) error {
	for rec, err := range log.Find(r, name, log.Start{Off: off}, log.Want(key)) {
		switch {
		case isDamage(err):
			continue
		case err != nil:
			return err
		case rec.Key != key:
			continue
		case f.edge.passed(rec):
			f.passed = true
			return nil
		}
		if f.rec.Key.IsZero() || rec.Wins(f.rec) {
			f.rec = rec.Clone()
		}
	}
	return nil
}
