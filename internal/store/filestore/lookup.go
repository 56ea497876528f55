package filestore

import (
	"errors"
	"io"
	"math"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Lookup returns the newest live record of one key: from the state by bisection, and from the log
// after it, or from archives and log. It takes no lock.
func (s Files) Lookup(key keypath.Key) (
	rec log.Record, found bool, damaged []*log.Damage, err error) {
	f, err := s.newest(key)
	rec, found = f.found[key]
	return rec, found && rec.Valid(), f.damaged, err
}

// newest is [lookup.newest] of what the store holds at one moment.
func (s Files) newest(keys ...keypath.Key) (finder, error) {
	for try := 0; ; try++ {
		before, sound, err := ReadWatermark(s.Dir)
		if err != nil {
			return finder{}, err
		}
		f, err := s.lookUp(before, sound, keys)
		if err != nil {
			return finder{}, err
		}
		after, _, err := ReadWatermark(s.Dir)
		if err != nil || after.Gen == before.Gen || try == retries {
			s.report(f.fault)
			return f, err
		}
	}
}

func (s Files) lookUp(w log.Watermark, sound bool, keys []keypath.Key) (finder, error) {
	// The log first, as for a view: see load.
	seg, err := log.OpenSegment(s.Dir)
	if disk.IgnoreNotExist(err) != nil {
		return finder{}, err
	}
	l := lookup{Files: s, seg: seg}
	if seg != nil {
		defer seg.Close()
		if l.trusted, err = s.trust(w, sound, seg); err != nil {
			return finder{}, err
		}
		l.w = w
	}
	f, err := l.newest(keys...)
	f.fault = logFault(s.Dir, w, sound, seg)
	return f, err
}

// lookup looks keys up in the parts of a store.
type lookup struct {
	Files
	seg     *log.Segment // nil: there is no log
	w       log.Watermark
	trusted Trust
}

// newest returns the newest records of some keys, as far as they have one; of what only the history
// has, tombstones may be left out.
func (l *lookup) newest(keys ...keypath.Key) (finder, error) {
	f := finder{wanted: log.Want(keys...), found: make(state.Fold, len(keys))}
	if l.seg != nil && l.mayUse(l.trusted) {
		if sure, err := l.inState(&f, keys); sure || err != nil {
			return f, err
		}
	}
	f.found, f.damaged = make(state.Fold, len(keys)), nil
	err := l.inHistory(&f)
	return f, err
}

// inState looks in the log after the checkpoint, and in the state by bisection. It is not sure if
// there is no usable checkpoint, or if there was an external modification.
func (l *lookup) inState(f *finder, keys []keypath.Key) (sure bool, err error) {
	file, pos, err := l.stateNow(l.seg)
	if file == nil || err != nil {
		return false, err
	}
	defer file.Close()
	f.edge = furthest(pos, file.MaxTS, l.w, l.trusted)
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
	return true, f.bury(l.Files)
}

// inHistory looks in log and archives, and where these may be lost in the lines of the state.
func (l *lookup) inHistory(f *finder) error {
	f.edge = horizon{off: math.MaxInt64}
	if l.seg != nil {
		if err := f.scan(l.seg.From(0), log.File, 0); err != nil {
			return err
		}
	}
	names, err := log.Archives(l.Dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := f.file(l.Dir, name); err != nil {
			return err
		}
	}
	if !l.Shared {
		if err := l.addState(f); err != nil {
			return err
		}
	}
	return f.bury(l.Files)
}

// addState adds the lines of the state, and what its silence proves.
func (l *lookup) addState(f *finder) error {
	for rec, err := range stateLines(l.Dir) {
		if err != nil {
			return err
		}
		if f.wanted.Has(rec.Key) && !rec.Unsealed {
			f.found.Add(rec)
		}
	}
	deleted, err := Deleted(l.Dir, l.seg, f.found)
	for _, e := range deleted {
		f.found[e.Key] = log.RecordOf(e)
	}
	return err
}

// finder finds the newest records of some keys in what it scans.
type finder struct {
	wanted log.Wanted
	edge   horizon
	found  state.Fold
	passed bool   // a record of a key shows an external modification
	fault  string // see logFault

	damaged []*log.Damage // lines that show one of the keys and cannot be read
}

func (f *finder) file(dir *disk.Dir, name string) error {
	file, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return f.scan(file, name, 0)
}

// sawDamage reports whether an error is that of one line, and keeps it where it is of a key.
func (f *finder) sawDamage(err error) bool {
	var damage *log.Damage
	if !errors.As(err, &damage) {
		return false
	}
	if f.wanted.Has(log.ShownKey(damage.Raw)) {
		f.damaged = WithDamage(f.damaged, damage)
	}
	return true
}

// bury adds tombstones in place of damaged ones.
func (f *finder) bury(s Files) error {
	lost, err := s.Buried(f.damaged, NewestOf(f.found))
	for _, rec := range lost {
		f.found.Add(rec)
	}
	return err
}

func (f *finder) scan(r io.Reader, name string, off int64) error {
	for rec, err := range log.Find(r, name, log.Start{Off: off}, f.wanted) {
		switch {
		case f.sawDamage(err):
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
