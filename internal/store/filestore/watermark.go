package filestore

import (
	"errors"
	"fmt"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// Trust is how far a watermark may be trusted for a log.
type Trust int

// From nothing to everything.
const (
	Stale    Trust = iota // another file, shortened or changed: fold the whole history
	Rebooted              // the log is as it was, but renames since the checkpoint may be lost
	Current               // the index mirrors the log up to Applied
)

// CheckCopiedWatermark is checkWatermark for a log that may be a copy, with its own inode.
func CheckCopiedWatermark(w log.Watermark, seg *log.Segment, boot string) (Trust, error) {
	w.Ino = seg.Ino()
	return checkWatermark(w, true, seg, boot)
}

// checkWatermark compares a watermark with the log. sound is whether the record itself was valid.
func checkWatermark(w log.Watermark, sound bool, seg *log.Segment, boot string) (Trust, error) {
	if !sound || w.Ino != seg.Ino() || w.Applied > seg.Size() {
		return Stale, nil
	}
	last, err := seg.SumBefore(w.Applied)
	if err != nil || last != w.Last {
		return Stale, err
	}
	// Without a boot id every index change is synced, and a reboot takes nothing away.
	if w.Boot != boot {
		return Rebooted, nil
	}
	return Current, nil
}

// isShort reports whether a log of this inode and size has lost lines: it is empty, or the very
// file of which the index mirrors more. Another file in its place may be a backup, which is meant.
func isShort(w log.Watermark, sound bool, ino uint64, size int64) bool {
	return size == 0 || sound && w.Ino == ino && w.Applied > size
}

// IsShort reports whether the log may have lost lines at its end, or is gone.
func IsShort(dir *disk.Dir) (bool, error) {
	w, sound, err := ReadWatermark(dir)
	if err != nil {
		return false, err
	}
	fi, err := dir.Lstat(log.File)
	if disk.IsNotExist(err) {
		return true, nil
	}
	return err == nil && isShort(w, sound, disk.Ino(fi), fi.Size()), err
}

// logFault says that acknowledged lines of the log are gone; "" where nothing shows it. seg is nil
// where there is no log. While a compaction renames files its watermark is of another log; and a
// last newline alone is no loss.
func logFault(dir *disk.Dir, w log.Watermark, sound bool, seg *log.Segment) string {
	switch {
	case w.Gen%2 == 1:
	case seg == nil && hadLog(dir, w):
		return log.File + " is gone"
	case seg != nil && w.Applied-1 > seg.Size() && isShort(w, sound, seg.Ino(), seg.Size()):
		return fmt.Sprintf("%s has %d bytes of %d", log.File, seg.Size(), w.Applied)
	}
	return ""
}

// hadLog reports whether a store that had no log has had one. A first writer may just make it.
func hadLog(dir *disk.Dir, w log.Watermark) bool {
	had := w.Applied > 0
	for _, name := range [...]string{state.FileName, index.DirName} {
		_, err := dir.Lstat(name)
		had = had || err == nil
	}
	_, err := dir.Lstat(log.File)
	return had && disk.IsNotExist(err)
}

// retries is how often a reader starts over because of a compaction. Then it reads once more in an
// order in which a compaction does no harm (log first, archives last).
const retries = 3

// ReadWatermark reads the watermark; sound is false for one that is damaged or being written.
func ReadWatermark(dir *disk.Dir) (w log.Watermark, sound bool, err error) {
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

// horizon is up to where the log is known to be mem's own work, and the newest ts up to there.
type horizon struct {
	off int64
	ts  log.Stamp
}

// furthest returns the horizon of checkpoint or watermark, whichever is further.
func furthest(p position, maxTS log.Stamp, w log.Watermark, trust Trust) horizon {
	if trust == Stale || w.Applied < p.offset {
		return horizon{off: p.offset, ts: maxTS}
	}
	return horizon{off: w.Applied, ts: w.MaxTS}
}

// passed reports whether a record shows an external modification: mem itself only ever appends what
// is newer than all before it (an import of older records is compared with the whole history first,
// and lies below the horizon).
func (h horizon) passed(r log.Record) bool { return r.Pos.Off >= h.off && r.TS <= h.ts }
