package log

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
)

// Names below the root.
const (
	File          = "log.jsonl"
	ArchiveDir    = "archive"
	QuarantineDir = "quarantine"
)

// Segment is log.jsonl open for reading, as long as it was when it was opened.
type Segment struct {
	f    *disk.File
	size int64
	ino  uint64
}

// Appender is log.jsonl open for reading and appending. The lock must be held for every call that
// writes.
type Appender struct {
	Segment
	dir    *disk.Dir
	broken error // why nothing may be appended through this descriptor any more
}

// OpenAppender opens the log, and makes it, durably, where absent.
func OpenAppender(dir *disk.Dir) (*Appender, error) {
	_, err := dir.Lstat(File)
	fresh := errors.Is(err, fs.ErrNotExist)
	f, err := dir.Append(File)
	if err != nil {
		return nil, err
	}
	if fresh {
		// A crash before this sync may lose the empty file; nothing has been acknowledged in it.
		if err := dir.Sync(); err != nil {
			f.Close()
			return nil, err
		}
	}
	seg, err := newSegment(f)
	if err != nil {
		return nil, err
	}
	return &Appender{Segment: *seg, dir: dir}, nil
}

// OpenSegment opens the log for reading only. The error wraps fs.ErrNotExist where there is none.
func OpenSegment(dir *disk.Dir) (*Segment, error) {
	f, err := dir.Open(File)
	if err != nil {
		return nil, err
	}
	return newSegment(f)
}

func newSegment(f *disk.File) (*Segment, error) {
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Segment{f: f, size: fi.Size(), ino: disk.Ino(fi)}, nil
}

// Close closes the file.
func (s *Segment) Close() error { return s.f.Close() }

// Size returns the log's length when it was opened, plus the bytes appended since.
func (s *Segment) Size() int64 { return s.size }

// Limit makes the segment end at size.
func (s *Segment) Limit(size int64) { s.size = min(s.size, size) }

// Ino identifies the file: a copy, or one that an editor saved, has another.
func (s *Segment) Ino() uint64 { return s.ino }

// Append writes complete lines, each ended by a newline, with one write and one fsync; when it
// returns nil they are on disk. When it fails, what it wrote is cut off again and nothing
// has been stored. After a failed fsync or cut the log must be opened anew.
func (l *Appender) Append(buf []byte) error {
	if l.broken != nil {
		return fmt.Errorf("the log must be opened anew after: %w", l.broken)
	}
	if _, err := l.f.Write(buf); err != nil {
		// A crash between the short write and the cut leaves a torn tail, which the next writer
		// quarantines.
		return l.cutBack(err)
	}
	// A crash before this sync leaves any part of buf, or none; it has not been acknowledged yet.
	if err := l.f.Sync(); err != nil {
		// Final: a second fsync on this descriptor may succeed without having written anything.
		l.broken = err
		return l.cutBack(err)
	}
	l.size += int64(len(buf))
	return nil
}

// cutBack cuts off what a failed Append wrote, and returns why it failed.
func (l *Appender) cutBack(cause error) error {
	// A crash before this cut leaves the written bytes, as a crash within the write or the sync
	// does.
	if err := l.f.Truncate(l.size); err != nil {
		// Another line would grow onto the torn one and be lost with it.
		l.broken = fmt.Errorf("%w (%w: %w)", cause, ErrUncut, err)
		return l.broken
	}
	return cause
}

// From returns a reader of the bytes from off to the end.
func (s *Segment) From(off int64) io.Reader { return io.NewSectionReader(s.f, off, s.size-off) }

// ReadAt reads as [io.ReaderAt] does.
func (s *Segment) ReadAt(b []byte, off int64) (int, error) { return s.f.ReadAt(b, off) }

// SumBefore returns the Sum of the last line that ends at off; "" at the beginning of the log, or
// when no line ends there.
func (s *Segment) SumBefore(off int64) (string, error) {
	if off > s.size {
		return "", nil
	}
	return LastSum(s.f, off)
}

// LastSum returns the Sum of the last line of a file of this size; "" without one.
func LastSum(r io.ReaderAt, off int64) (string, error) {
	if off == 0 {
		return "", nil
	}
	for width := int64(sealLen + 1); ; width *= 16 {
		from := max(0, off-min(width, MaxLine+1))
		buf := make([]byte, off-from)
		if _, err := r.ReadAt(buf, from); err == io.EOF {
			return "", nil // what a failed append wrote was cut off since
		} else if err != nil {
			return "", err
		}
		if sum, ok := lastSum(buf, from == 0 || width > MaxLine); ok {
			return sum, nil
		}
	}
}

// LastWhole reports whether the last line of a file of this size can be read.
func LastWhole(r io.ReaderAt, size int64) (bool, error) {
	line, _, err := tailOf(r, max(0, size-1))
	return err == nil && whole(line), err
}

// lastSum reads the sum at the end of buf, whose last byte must be a newline. Not ok: buf holds too
// little of the line.
func lastSum(buf []byte, all bool) (string, bool) {
	line, ended := bytes.CutSuffix(buf, []byte{'\n'})
	if !ended {
		return "", true
	}
	if _, sum, ok := unseal(line); ok && isHex(sum) {
		return string(sum), true
	}
	if i := bytes.LastIndexByte(line, '\n'); i >= 0 {
		return Sum(bytes.TrimSpace(line[i+1:])), true
	}
	return Sum(bytes.TrimSpace(line)), all
}

// RepairTail makes the log end in a newline. A last line that is whole or blank gets one, and so
// does one of which a bit has flipped, for it was never torn; a torn one is copied to quarantine/
// and cut off. It returns the name of the quarantine file, if
// any.
func (l *Appender) RepairTail(now time.Time) (string, error) {
	tail, from, err := l.tail()
	if err != nil || len(tail) == 0 {
		return "", err
	}
	if whole(tail) || Mend(tail) != nil {
		return "", l.Append([]byte{'\n'})
	}
	name, err := Quarantine(l.dir, fmt.Sprintf("%s-%d-torn", File, from), tail, now)
	if err != nil {
		return "", err
	}
	// A crash before the cut leaves the torn tail in both places; one right after it may bring it
	// back after a power cut. Either way the next writer does the same again.
	if err := l.f.Truncate(from); err != nil {
		return "", err
	}
	l.size = from
	// A power cut before this sync is described above.
	return name, l.f.Sync()
}

// Torn returns the length of a last line that RepairTail would cut off; 0 for a sound end.
func (s *Segment) Torn() (int, error) {
	tail, _, err := s.tail()
	if err != nil || whole(tail) {
		return 0, err
	}
	return len(tail), nil
}

// whole reports whether a last line lacks only its newline.
func whole(tail []byte) bool {
	line := trim(tail)
	if len(line) == 0 {
		return true
	}
	_, err := Decode(line)
	return err == nil
}

// tail returns what follows the last newline, and its offset.
func (s *Segment) tail() ([]byte, int64, error) { return tailOf(s.f, s.size) }

func tailOf(r io.ReaderAt, size int64) ([]byte, int64, error) {
	for width := int64(1); ; width *= 64 {
		from := max(0, size-width)
		buf := make([]byte, size-from)
		if _, err := r.ReadAt(buf, from); err != nil && len(buf) > 0 {
			return nil, 0, err
		}
		if i := bytes.LastIndexByte(buf, '\n'); i >= 0 {
			return buf[i+1:], from + int64(i) + 1, nil
		}
		if from == 0 {
			return buf, 0, nil
		}
	}
}

// Sync makes durable what a crashed writer may have left unsynced: the index must not hold what a
// power cut could still take from the log.
func (l *Appender) Sync() error {
	// A crash here leaves the log as it was found.
	return l.f.Sync()
}

// Quarantine writes damaged bytes to a file in quarantine/, durably, before a repair removes them
// from where they were; nothing is ever thrown away. It returns the file's name below the root.
func Quarantine(dir *disk.Dir, what string, data []byte, now time.Time) (string, error) {
	sub, err := dir.Sub(QuarantineDir, true)
	if err != nil {
		return "", err
	}
	defer sub.Close()
	name, err := QuarantineName(sub, what, now)
	if err != nil {
		return "", err
	}
	// A crash within this leaves a temporary file, or a copy of bytes that are still in place.
	if err := sub.WriteBytesSync(name, data); err != nil {
		return "", err
	}
	// A crash before this sync may lose the directory's own name, and with it the copy; the damaged
	// bytes are still in place then.
	return QuarantineDir + "/" + name, dir.Sync()
}

// QuarantineName returns a free name below quarantine/ for something whose name was what. It is the
// path with its slashes replaced; a name that is too long is cut, and the hash of the whole takes
// the place of the rest.
func QuarantineName(quarantine *disk.Dir, what string, now time.Time) (string, error) {
	stem := now.UTC().Format("20060102T150405Z") + "-" + FlatName(what)
	return freeName(quarantine, func(n int) string { return stem + numbered(n) })
}

// FlatName returns a path as it stands in the names of files in quarantine/.
func FlatName(what string) string {
	const most = 150
	flat := strings.NewReplacer("/", "_", "\\", "_").Replace(what)
	if len(flat) <= most {
		return flat
	}
	sum := sha256.Sum256([]byte(what))
	return strings.ToValidUTF8(flat[:most], "") + "~" + hex.EncodeToString(sum[:8])
}

// numbered returns what makes the n-th choice of a name differ: nothing for the first.
func numbered(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("-%d", n+1)
}

// freeName returns the first of some names that nothing below dir has.
func freeName(dir *disk.Dir, name func(n int) string) (string, error) {
	for n := 0; ; n++ {
		_, err := dir.Lstat(name(n))
		if errors.Is(err, fs.ErrNotExist) {
			return name(n), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// NextStamp returns the ts of a write: now, or one microsecond after the newest ts known, so that a
// clock that steps back never makes an older write win. The error wraps ErrTime for a clock past
// LastClock, and ErrNoLater too when four digits of a year do not suffice.
func NextStamp(now time.Time, newest Stamp) (Stamp, error) {
	if StampOf(now) > LastClock {
		return 0, fmt.Errorf("%w: the clock says %s, which leaves no room for later writes",
			ErrTime, now.UTC().Format(time.RFC3339))
	}
	ts := max(StampOf(now), min(newest, MaxStamp)+1)
	if ts > MaxStamp || ts < MinStamp {
		return 0, fmt.Errorf("%w: the clock says %s and the newest record %s: %w", ErrTime,
			now.UTC().Format(time.RFC3339), newest, ErrNoLater)
	}
	return ts, nil
}
