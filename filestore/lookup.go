package filestore

import (
	"errors"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Lookup returns the newest live record of one key at the cost of one file: where the watermark
// matches the log, the index has what lies before it and the log's tail has the rest. What the
// index does not have, or may have lost in a reboot, is looked up in the state by bisection, and in
// the log after it: somebody may have deleted the file, and that must not hide the memory. Where
// the state cannot be trusted either, a view is loaded. It takes no lock.
func Lookup(dir *disk.Dir, boot string, key keypath.Key) (log.Record, bool, error) {
	rec, found, sure, err := lookUp(dir, boot, key)
	if err != nil || sure {
		return rec, found, err
	}
	v, err := Load(dir, boot)
	if err != nil {
		return rec, false, err
	}
	defer v.Close()
	return v.Get(key)
}

// lookup looks one key up in the parts of a store. Each answer may be unsure: then the next part is
// tried.
type lookup struct {
	dir   *disk.Dir
	seg   *log.Segment
	w     log.Watermark
	trust Trust
	boot  string
}

func lookUp(dir *disk.Dir, boot string, key keypath.Key) (
	rec log.Record, found, sure bool, err error) {
	l := lookup{dir: dir, boot: boot}
	var sound bool
	if l.w, sound, err = ReadWatermark(dir); err != nil {
		return rec, false, false, err
	}
	if l.seg, err = log.OpenSegment(dir); err != nil {
		if isNotExist(err) {
			err = nil
		}
		return rec, false, false, err
	}
	defer l.seg.Close()
	if l.trust, err = CheckWatermark(l.w, sound, l.seg, boot); err != nil {
		return rec, false, false, err
	}
	if l.trust == Current {
		rec, found, sure, err = l.fromIndexAndTail(key)
		if err != nil || sure && found {
			return rec, found, sure, err
		}
	}
	return l.fromState(key)
}

// fromIndexAndTail reads the key's file and what the log has that the index does not mirror yet.
// Not found is only sure if the tail has the tombstone.
func (l *lookup) fromIndexAndTail(key keypath.Key) (rec log.Record, found, sure bool, err error) {
	tail, sure, err := l.newestInTail(l.w.Applied, horizon{off: l.w.Applied, ts: l.w.MaxTS}, key)
	if err != nil || !sure {
		return rec, false, false, err
	}
	rec, found, sure, err = l.fromIndex(key)
	if sure && !tail.Key.IsZero() && (!found || tail.Wins(rec)) {
		return tail, tail.Valid(), true, nil
	}
	return rec, found, sure, err
}

// newestInTail looks for the key in the log from an offset on. It is not sure if a record shows an
// external modification.
func (l *lookup) newestInTail(from int64, known horizon, key keypath.Key) (
	newest log.Record, sure bool, err error) {
	for rec, err := range log.Scan(l.seg.From(from), log.File, log.Start{Off: from}) {
		switch {
		case isDamage(err):
			continue
		case err != nil:
			return newest, false, err
		case known.passed(rec):
			return newest, false, nil
		}
		if rec.Key == key && (newest.Key.IsZero() || rec.Wins(newest)) {
			newest = rec.Clone()
		}
	}
	return newest, true, nil
}

// fromIndex reads the key's file. One that somebody changed is not used.
func (l *lookup) fromIndex(key keypath.Key) (rec log.Record, found, sure bool, err error) {
	tree, err := index.Open(l.dir, l.boot == "")
	if errors.Is(err, disk.ErrIrregular) {
		return rec, false, false, nil
	}
	if err != nil {
		return rec, false, false, err
	}
	defer tree.Close()
	switch rec, err = tree.Get(key); {
	case err == nil:
		return rec, true, true, nil
	case isNotExist(err):
		return rec, false, true, nil
	case errors.Is(err, index.ErrEdited), errors.Is(err, index.ErrForeign),
		errors.Is(err, disk.ErrIrregular):
		return rec, false, false, nil
	}
	return rec, false, false, err
}

// fromState looks in the state, by bisection, and in the log after the checkpoint. It is not sure
// if there is no usable checkpoint, or if there was an external modification.
func (l *lookup) fromState(key keypath.Key) (rec log.Record, found, sure bool, err error) {
	file, pos, err := openState(l.dir, l.seg)
	if file == nil || err != nil {
		return rec, false, false, err
	}
	defer file.Close()
	tail, sure, err := l.newestInTail(pos.offset, known(pos, file.MaxTS, l.w, l.trust), key)
	if err != nil || !sure || !tail.Key.IsZero() {
		return tail, sure && tail.Valid(), sure, err
	}
	return file.Get(key)
}
