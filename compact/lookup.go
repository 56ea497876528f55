package compact

import (
	"errors"
	"io/fs"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Empty is the view of a store that does not exist.
func Empty() *View { return &View{tail: Fold{}, MaxTS: log.MinStamp, Full: true} }

// Lookup gives the newest live record of one key at the cost of one file: where the watermark fits the log, the index decides for what
// lies below it and the log's tail for the rest; elsewhere a view does. It takes no lock.
func Lookup(dir *disk.Dir, boot string, key keypath.Key) (log.Record, bool, error) {
	rec, found, sure, err := lookupIndexed(dir, boot, key)
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

func lookupIndexed(dir *disk.Dir, boot string, key keypath.Key) (rec log.Record, found, sure bool, err error) {
	w, trusted, err := readMark(dir)
	if err != nil || !trusted {
		return rec, false, false, err
	}
	live, err := log.OpenReader(dir)
	if err != nil {
		return rec, false, false, ignore(err, fs.ErrNotExist)
	}
	defer live.Close()
	if fit, err := Judge(w, trusted, live, boot); err != nil || fit != FitExact {
		return rec, false, false, err
	}
	tail, sure, err := newestInTail(live, w, key)
	if err != nil || !sure {
		return rec, false, false, err
	}
	rec, found, sure, err = fromIndex(dir, boot, key)
	if sure && !tail.Key.IsZero() && (!found || tail.Wins(rec)) {
		return tail, tail.Valid(), true, nil
	}
	return rec, found, sure, err
}

// newestInTail looks for the key in what the index does not mirror yet. Not sure: other hands were at the log.
func newestInTail(live *log.Live, w log.Watermark, key keypath.Key) (newest log.Record, sure bool, err error) {
	known := horizon{off: w.Applied, ts: w.MaxTS}
	for rec, err := range log.Scan(live.From(w.Applied), log.File, log.Start{Off: w.Applied}) {
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
func fromIndex(dir *disk.Dir, boot string, key keypath.Key) (rec log.Record, found, sure bool, err error) {
	tree, err := index.Open(dir, boot == "")
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
	case absentKey(err):
		return rec, false, true, nil
	case errors.Is(err, index.ErrEdited), errors.Is(err, index.ErrForeign), errors.Is(err, disk.ErrIrregular):
		return rec, false, false, nil
	}
	return rec, false, false, err
}
