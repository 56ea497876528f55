package filestore

import (
	"errors"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Lookup returns the newest live record of one key at the cost of one file: where the watermark
// fits the log, the index decides for what lies below it and the log's tail for the rest. What the
// index does not have, or cannot be asked for after a reboot, the state is asked for by bisection,
// and the log behind it: somebody may have deleted the file, and an absent memory must not be a
// lost one. Where the state cannot be trusted either, a view decides. It takes no lock.
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

// lookup asks the parts of a store for one key. Each answer may be unsure: then the next is asked.
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
// Not found is to be confirmed, unless the tail has the tombstone.
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

// newestInTail looks for the key in the log from an offset on. Not sure: a record lies behind the
// known horizon, so there was an external modification.
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

// fromIndex reads the key's file. One that somebody changed is not believed.
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

// fromState asks the state, by bisection, and the log behind the checkpoint. Not sure: there is no
// checkpoint to go by, or there was an external modification.
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
