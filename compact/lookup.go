package compact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Empty is the view of a store that does not exist.
func Empty() *View { return &View{tail: Fold{}, MaxTS: log.MinStamp, Full: true} }

// Lookup gives the newest live record of one key at the cost of one file: where the watermark fits the log, the index decides for what
// lies below it and the log's tail for the rest. What the index does not have, or cannot be asked for after a reboot, the state is asked for
// by bisection, and the log behind it: somebody may have deleted the file, and an absent memory must not be a lost one. Where the state
// cannot be trusted either, a view decides. It takes no lock.
func Lookup(dir *disk.Dir, boot string, key keypath.Key) (log.Record, bool, error) {
	rec, found, sure, err := lookup(dir, boot, key)
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

func lookup(dir *disk.Dir, boot string, key keypath.Key) (rec log.Record, found, sure bool, err error) {
	w, trusted, err := readMark(dir)
	if err != nil {
		return rec, false, false, err
	}
	live, err := log.OpenReader(dir)
	if err != nil {
		return rec, false, false, ignore(err, fs.ErrNotExist)
	}
	defer live.Close()
	fit, err := Judge(w, trusted, live, boot)
	if err != nil {
		return rec, false, false, err
	}
	if fit == FitExact {
		rec, found, sure, err = fromIndexAndTail(dir, live, w, boot, key)
		if err != nil || sure && found {
			return rec, found, sure, err
		}
	}
	return fromStateAndTail(dir, live, w, fit, key)
}

// fromIndexAndTail reads the key's file and what the log has that the index does not mirror yet. Not found is to be confirmed, unless the tail
// has the tombstone.
func fromIndexAndTail(dir *disk.Dir, live *log.Live, w log.Watermark, boot string, key keypath.Key) (rec log.Record, found, sure bool, err error) {
	tail, sure, err := newestInTail(live, w.Applied, horizon{off: w.Applied, ts: w.MaxTS}, key)
	if err != nil || !sure {
		return rec, false, false, err
	}
	rec, found, sure, err = fromIndex(dir, boot, key)
	if sure && !tail.Key.IsZero() && (!found || tail.Wins(rec)) {
		return tail, tail.Valid(), true, nil
	}
	return rec, found, sure, err
}

// newestInTail looks for the key in the log from an offset on. Not sure: a record lies behind the known horizon, so other hands were at the log.
func newestInTail(live *log.Live, from int64, known horizon, key keypath.Key) (newest log.Record, sure bool, err error) {
	for rec, err := range log.Scan(live.From(from), log.File, log.Start{Off: from}) {
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

// fromStateAndTail asks the state, by bisection, and the log behind the checkpoint. Not sure: there is no checkpoint to go by, or other
// hands were at the log.
func fromStateAndTail(dir *disk.Dir, live *log.Live, w log.Watermark, fit Fit, key keypath.Key) (rec log.Record, found, sure bool, err error) {
	cp, err := ReadCheckpoint(dir)
	if err != nil {
		return rec, false, false, ignoreIrregular(ignore(err, ErrCheckpoint))
	}
	state, err := dir.Open(StateFile)
	if err != nil {
		return rec, false, false, ignoreIrregular(ignore(err, fs.ErrNotExist))
	}
	defer state.Close()
	fi, err := state.Stat()
	if err != nil {
		return rec, false, false, err
	}
	if ok, err := cp.fits(live, fi.Size()); err != nil || !ok {
		return rec, false, false, err
	}
	tail, sure, err := newestInTail(live, cp.Offset, known(cp, w, fit), key)
	if err != nil || !sure || !tail.Key.IsZero() {
		return tail, sure && tail.Valid(), sure, err
	}
	return bisect(state, fi.Size(), key)
}

// bisect finds a key in the sorted state file by reading O(log n) lines. A line that cannot be read makes it unsure.
func bisect(state io.ReaderAt, size int64, key keypath.Key) (rec log.Record, found, sure bool, err error) {
	at, err := lowerBound(state, size, key.String())
	if errors.Is(err, errStateDamaged) {
		return rec, false, false, nil
	}
	if err != nil || at == size {
		return rec, false, err == nil, err
	}
	line, _, _, err := lineAround(state, at, size)
	if err != nil {
		return rec, false, false, err
	}
	e, err := log.Decode(line)
	if err != nil {
		return rec, false, false, nil
	}
	return log.Record{Envelope: e, Line: line}, e.Key == key, true, nil
}

// lowerBound gives the offset of the first line of the sorted state file whose key is not below text. The error wraps errStateDamaged where a line
// cannot be read.
func lowerBound(state io.ReaderAt, size int64, text string) (int64, error) {
	low, high := int64(0), size // the line begins in [low, high]
	for low < high {
		line, from, to, err := lineAround(state, low+(high-low)/2, size)
		if err != nil {
			return 0, err
		}
		e, err := log.Decode(line)
		if err != nil {
			return 0, fmt.Errorf("%w: %w", errStateDamaged, err)
		}
		if e.Key.String() < text {
			low = min(to, size)
		} else {
			high = from
		}
	}
	return low, nil
}

// lineAround reads the line that holds the byte at off: its text, where it begins, and where the next one does.
func lineAround(r io.ReaderAt, off, size int64) (line []byte, from, to int64, err error) {
	for width := int64(2048); ; width *= 8 {
		from, to = max(0, off-width), min(size, off+width)
		buf := make([]byte, to-from)
		if _, err := r.ReadAt(buf, from); err != nil {
			return nil, 0, 0, err
		}
		at := off - from
		begin := int64(bytes.LastIndexByte(buf[:at], '\n')) + 1
		end := int64(bytes.IndexByte(buf[at:], '\n'))
		if (begin > 0 || from == 0) && (end >= 0 || to == size) {
			if end < 0 {
				end = int64(len(buf)) - at
			}
			return buf[begin : at+end], from + begin, from + at + end + 1, nil
		}
		if width > log.MaxLine {
			return nil, 0, 0, errStateDamaged
		}
	}
}
