package filestore

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// Health describes a store as far as a few small reads show it, however large it is.
type Health struct {
	Log    bool      // there is a log
	Fault  string    // how the log shows that acknowledged lines of it are gone; "": it does not
	Size   int64     // of the log
	Tail   Tail      // what the log has after the checkpoint
	Torn   int       // bytes of a last line that is not whole
	Marked bool      // there is a valid watermark
	Copied bool      // the log is a whole copy of the one that the watermark speaks of
	Trust  Trust     // how far the watermark may be trusted
	Behind int64     // bytes of the log that the index does not mirror
	Moving bool      // a compaction is renaming files, or was killed while it did
	Newest log.Stamp // newest ts in the watermark
	Purge  bool      // one is running, or was killed: what it was to take may still be there
}

// Whole reports whether index and log agree as far as can be seen.
func (h Health) Whole() bool {
	return h.Torn == 0 && !h.Moving && h.Fault == "" &&
		(!h.Log || h.Marked && h.Trust != Stale && h.Behind == 0)
}

// LongTail reports whether somebody should begin a compaction. Where writes begin them the tail may
// have passed its limit all the same, if the last one was a short time ago.
func (h Health) LongTail() bool { return h.Tail.Long() && h.Tail.Bytes >= 4<<20 }

// Examine examines a store without the lock. If something seems wrong it looks again.
func Examine(dir *disk.Dir, boot string) (h Health, err error) {
	for try := 0; ; try++ {
		if h, err = examine(dir, boot); err != nil || h.Whole() || try == retries {
			return h, err
		}
	}
}

func examine(dir *disk.Dir, boot string) (h Health, err error) {
	w, sound, err := ReadWatermark(dir)
	if err != nil {
		return h, err
	}
	h.Marked, h.Newest, h.Moving = sound, w.MaxTS, w.Gen%2 == 1
	_, none := dir.Lstat(purge.File)
	h.Purge = none == nil
	seg, err := log.OpenSegment(dir)
	if errors.Is(err, fs.ErrNotExist) {
		h.Fault = logFault(dir, w, sound, nil)
		return h, nil
	}
	if err != nil {
		return h, err
	}
	defer seg.Close()
	h.Log, h.Size, h.Tail = true, seg.Size(), TailOf(dir, seg.Size())
	h.Fault = logFault(dir, w, sound, seg)
	if h.Torn, err = seg.Torn(); err != nil {
		return h, err
	}
	if h.Trust, err = checkWatermark(w, sound, seg, boot); err == nil && sound && h.Trust == Stale {
		var trust Trust
		trust, err = CheckCopiedWatermark(w, seg, boot)
		h.Copied = trust != Stale
	}
	h.Behind = max(seg.Size()-int64(h.Torn)-w.Applied, 0)
	return h, err
}

// Tail is the part of a log after the checkpoint.
type Tail struct {
	Bytes, Limit int64     // its length, and the length that it may have
	From         log.Stamp // before that time, readers do without the state
}

// TailOf returns the tail of a log of this size.
func TailOf(dir *disk.Dir, size int64) Tail {
	cp, err := state.ReadCheckpoint(dir)
	if err != nil {
		return Tail{size, tailLimit(0), log.MinStamp}
	}
	t := Tail{size, tailLimit(cp.Size), cp.ExpiredBy}
	if pos, err := parsePosition(cp.Position); err == nil && pos.offset <= size {
		t.Bytes -= pos.offset
	}
	return t
}

// tailLimit returns how long a tail may become for a state of this size (see package compact).
func tailLimit(stateSize int64) int64 { return min(max(stateSize/8, 256<<10), 16<<20) }

// Long reports whether a compaction is worth it.
func (t Tail) Long() bool { return t.Bytes >= t.Limit }

// IsWhole reports whether all of the log is tail to a reader: the last compaction has left out what
// has not expired.
func (t Tail) IsWhole(now time.Time) bool { return !now.IsZero() && log.StampOf(now) < t.From }

// CompactionDue reports whether a compaction is due in a store whose log has this size: the tail is
// long, and the last compaction long enough ago. now is of the clock that measures compactions;
// zero leaves out the latter.
func CompactionDue(dir *disk.Dir, size int64, now time.Time) bool {
	t := TailOf(dir, size)
	return (t.Long() || t.IsWhole(now)) && (now.IsZero() || !state.IsResting(dir, now))
}

// IsCold reports whether a store has a long history and no state with sidecars of it, as one whose
// derived files were removed: each read goes through all of it then. It looks at a few files.
func IsCold(dir *disk.Dir) bool {
	if historySize(dir) < tailLimit(0) {
		return false
	}
	_, absent := dir.Lstat(state.FileName)
	_, unknown := state.ReadCheckpoint(dir)
	sidecars, err := state.HasSidecars(dir)
	return absent != nil || unknown != nil || err != nil || !sidecars
}

// historySize returns how many bytes log and archives have; of what cannot be looked at, none.
func historySize(dir *disk.Dir) (size int64) {
	names, err := log.Archives(dir)
	if err != nil {
		names = nil
	}
	for _, name := range append(names, log.File) {
		if fi, err := dir.Lstat(name); err == nil {
			size += fi.Size()
		}
	}
	return size
}

// CoveredBytes returns how much of the log the state covers; negative where there is no usable
// state, and the whole history must be folded.
func CoveredBytes(dir *disk.Dir, seg *log.Segment) (int64, error) {
	file, pos, err := openState(dir, seg)
	if err != nil {
		return -1, err
	}
	if file != nil {
		file.Close()
		return pos.offset, nil
	}
	if _, err := state.ReadCheckpoint(dir); !errors.Is(err, state.ErrCheckpoint) {
		return -1, nil
	}
	names, err := log.Archives(dir)
	if err != nil || len(names) > 0 {
		return -1, err
	}
	return 0, nil
}

// CountLog counts the lines of the live log. It reads only what lies after the checkpoint.
func CountLog(dir *disk.Dir, seg *log.Segment) (lines int, err error) {
	var pos position
	if cp, err := state.ReadCheckpoint(dir); err == nil {
		pos, err = parsePosition(cp.Position)
		if err != nil || pos.ino != seg.Ino() || pos.offset > seg.Size() {
			pos = position{}
		}
	}
	n, err := countLines(seg.From(pos.offset))
	return pos.lines + n, err
}

// Sizes measures the store's files. A file that is absent has size 0.
func (s *Store) Sizes(context.Context) (z backend.Sizes, err error) {
	z.Folded = true
	r, err := s.root()
	if r == nil || err != nil {
		return z, err
	}
	sh, err := s.views.current(filesOf(s, r))
	if err != nil {
		return z, err
	}
	z.LogLines, z.LogBytes = sh.view.Lines, sh.view.Size()
	sh.release()
	if z.StateBytes, err = sizeOf(r.Dir, state.FileName); err != nil {
		return z, err
	}
	names, err := log.Archives(r.Dir)
	for _, name := range names {
		n, err := sizeOf(r.Dir, name)
		if err != nil {
			return z, err
		}
		z.Archives++
		z.ArchiveBytes += n
	}
	if err == nil {
		err = addBlobs(&z, r.Dir)
	}
	return z, err
}

// addBlobs measures artifacts/.
func addBlobs(z *backend.Sizes, dir *disk.Dir) error {
	names, err := dir.Names(ArtifactsDir)
	if err != nil {
		return disk.Ignore(disk.IgnoreNotExist(err), disk.ErrIrregular)
	}
	for _, name := range names {
		if !content.IsBlobSum(name) {
			continue
		}
		n, err := sizeOf(dir, ArtifactsDir+"/"+name)
		if err != nil {
			return err
		}
		z.Blobs++
		z.BlobBytes += n
	}
	return nil
}
