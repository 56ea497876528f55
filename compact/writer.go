package compact

import (
	"errors"
	"fmt"
	"time"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// ErrIndexBehind is returned when a write is in the log, on disk, but the index could not follow it. The next writer tries again.
var ErrIndexBehind = errors.New("stored in the log, but the index could not follow")

// Writer is a healed store in the hands of whoever holds its lock: log, index and watermark agree, and Append keeps them so.
type Writer struct {
	Dir  *disk.Dir
	Tree *index.Tree
	Live *log.Live

	mark   *log.Mark
	w      log.Watermark
	boot   string
	now    time.Time
	behind error // why the index could not be healed; the log takes writes all the same
}

// OpenWriter opens a store for writing and heals what a crash, a reboot or other hands left. The lock must be held.
func OpenWriter(dir *disk.Dir, now time.Time, boot string) (*Writer, error) {
	wr := &Writer{Dir: dir, now: now, boot: boot}
	if err := wr.open(); err != nil {
		wr.Close()
		return nil, err
	}
	return wr, nil
}

func (wr *Writer) open() (err error) {
	if wr.Live, err = log.OpenLive(wr.Dir); err != nil {
		return err
	}
	if wr.Tree, err = index.Open(wr.Dir, wr.boot == ""); err != nil {
		return err
	}
	var trusted bool
	if wr.mark, wr.w, trusted, err = log.OpenMark(wr.Dir); err != nil {
		return err
	}
	// Somebody may have deleted index/ as a whole: it is derived, and comes back.
	trusted = trusted && (wr.Tree.Exists() || wr.w.Applied == 0)
	fit, err := Judge(wr.w, trusted, wr.Live, wr.boot)
	if err != nil || fit == FitExact && wr.w.Applied == wr.Live.Size() && !wr.midway() {
		return err
	}
	return wr.heal(fit)
}

// midway reports whether a compaction began to rename and did not come to its end: the generation is odd meanwhile.
func (wr *Writer) midway() bool { return wr.w.Gen%2 == 1 }

// Close closes what OpenWriter opened; the lock is the caller's.
func (wr *Writer) Close() {
	if wr.Live != nil {
		wr.Live.Close()
	}
	if wr.Tree != nil {
		wr.Tree.Close()
	}
	if wr.mark != nil {
		wr.mark.Close()
	}
}

// Fresh reports whether nothing has ever been written here.
func (wr *Writer) Fresh() bool { return wr.Live.Size() == 0 && wr.w.Gen == 0 }

// MaxTS is the newest ts the store knows.
func (wr *Writer) MaxTS() log.Stamp { return wr.w.MaxTS }

// Gen is the store's generation: it grows with every compaction, rotation and purge.
func (wr *Writer) Gen() uint64 { return wr.w.Gen }

// Newest gives the newest live record of a key, expired or not.
func (wr *Writer) Newest(key keypath.Key) (log.Record, bool, error) {
	if wr.behind == nil {
		rec, err := wr.Tree.Get(key)
		if err == nil {
			return rec, true, nil
		}
		if absentKey(err) {
			if rec, found, sure, err := fromStateAndTail(wr.Dir, wr.Live, wr.w, FitExact, key); sure || err != nil {
				return rec, found, err
			}
		}
	}
	v, err := Load(wr.Dir, wr.boot)
	if err != nil {
		return log.Record{}, false, err
	}
	defer v.Close()
	return v.Get(key)
}

// Append stores envelopes with one write and one fsync, then brings the index to each key's last one, then the watermark. When
// the error wraps ErrIndexBehind they are stored all the same; on any other error nothing is.
func (wr *Writer) Append(envelopes []log.Envelope) error {
	var buf []byte
	ends := make([]int, len(envelopes))
	newest := wr.w.MaxTS
	for i, e := range envelopes {
		buf = append(e.AppendLine(buf), '\n')
		ends[i] = len(buf)
		newest = max(newest, e.TS)
	}
	if err := wr.Live.Append(buf); err != nil {
		return err
	}
	if wr.behind != nil {
		return wr.behind
	}
	if err := wr.follow(envelopes, buf, ends); err != nil {
		return err
	}
	wr.w.MaxTS = newest
	return wr.advance(log.Sum(lineAt(buf, ends, len(ends)-1)))
}

func lineAt(buf []byte, ends []int, i int) []byte {
	from := 0
	if i > 0 {
		from = ends[i-1]
	}
	return buf[from : ends[i]-1]
}

// follow brings the index to what was appended: of a key that comes more than once, to its newest.
func (wr *Writer) follow(envelopes []log.Envelope, buf []byte, ends []int) error {
	last := make(map[keypath.Key]int, len(envelopes))
	for i, e := range envelopes {
		if j, ok := last[e.Key]; !ok || e.TS >= envelopes[j].TS {
			last[e.Key] = i
		}
	}
	for i, e := range envelopes {
		if last[e.Key] != i {
			continue
		}
		if err := wr.mirror(e, lineAt(buf, ends, i)); err != nil {
			return err
		}
	}
	return nil
}

// mirror brings one index file to an envelope.
func (wr *Writer) mirror(e log.Envelope, line []byte) (err error) {
	if e.Valid() {
		err = wr.Tree.Put(e.Key, line)
	} else {
		err = wr.Tree.Remove(e.Key)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrIndexBehind, err)
	}
	return nil
}

// advance says in the watermark that the index mirrors the whole log, whose last line has the sum last.
func (wr *Writer) advance(last string) error {
	wr.w.Applied, wr.w.Ino, wr.w.Boot, wr.w.Last = wr.Live.Size(), wr.Live.Ino(), wr.boot, last
	if err := wr.mark.Write(wr.w); err != nil {
		return fmt.Errorf("%w: %w", ErrIndexBehind, err)
	}
	return nil
}

// settle is advance where the last line is not at hand.
func (wr *Writer) settle() error {
	last, err := wr.Live.SumBefore(wr.Live.Size())
	if err != nil {
		return err
	}
	return wr.advance(last)
}
