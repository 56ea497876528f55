package compact

import (
	"errors"
	"io/fs"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
)

// Health is what can be known of a store at the cost of a few small reads, however much it holds.
type Health struct {
	Log    bool      // there is one
	Lost   bool      // there is none, but there was
	Size   int64     // of it
	Tail   int64     // bytes of it that the last compaction has not seen
	Torn   int       // bytes of a last line that is not whole
	Marked bool      // there is a watermark to trust
	Fit    Fit       // how far it may be believed
	Behind int64     // bytes of the log that the index does not mirror
	Moving bool      // a compaction is renaming files, or was killed while it did
	Newest log.Stamp // newest ts that the watermark knows of
}

// Whole reports whether index and log agree as far as can be seen.
func (h Health) Whole() bool {
	return h.Torn == 0 && !h.Moving && !h.Lost && (!h.Log || h.Marked && h.Fit != FitNone && h.Behind == 0)
}

// LongTail reports whether a compaction is worth it.
func (h Health) LongTail() bool { return h.Tail >= tailWorth.Bytes }

// Examine looks, without a lock. A writer may be at work: where something seems amiss it looks again.
func Examine(dir *disk.Dir, boot string) (h Health, err error) {
	for try := 0; ; try++ {
		if h, err = examine(dir, boot); err != nil || h.Whole() || try == retries {
			return h, err
		}
	}
}

func examine(dir *disk.Dir, boot string) (h Health, err error) {
	w, trusted, err := readMark(dir)
	if err != nil {
		return h, err
	}
	h.Marked, h.Newest, h.Moving = trusted, w.MaxTS, w.Gen%2 == 1
	live, err := log.OpenReader(dir)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = dir.Lstat(StateFile)
		h.Lost = w.Applied > 0 || err == nil
		return h, ignore(err, fs.ErrNotExist)
	}
	if err != nil {
		return h, err
	}
	defer live.Close()
	h.Log, h.Size, h.Tail = true, live.Size(), Tail(dir, live.Size())
	if h.Torn, err = live.Torn(); err != nil {
		return h, err
	}
	h.Fit, err = Judge(w, trusted, live, boot)
	h.Behind = max(live.Size()-int64(h.Torn)-w.Applied, 0)
	return h, err
}
