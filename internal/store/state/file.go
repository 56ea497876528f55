package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync/atomic"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// errDamaged is returned where a line of state.jsonl is damaged or out of order.
var errDamaged = errors.New("state.jsonl is damaged")

// File is state.jsonl open for reading, with its checkpoint.
type File struct {
	Checkpoint
	dir *disk.Dir
	f   *disk.File

	changed int64 // disk.Changed of it, when it was opened
	refs    atomic.Int32

	sidecars openSidecars
}

// Open opens the state and its checkpoint. The error wraps ErrCheckpoint where the two cannot be
// used together (either is absent, irregular or damaged, or the size is another), log.ErrNewer, or
// is the file system's.
func Open(dir *disk.Dir) (*File, error) {
	cp, err := ReadCheckpoint(dir)
	if errors.Is(err, disk.ErrIrregular) {
		return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	if err != nil {
		return nil, err
	}
	f, err := dir.Open(FileName)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrIrregular) {
		return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && fi.Size() != cp.Size {
		err = fmt.Errorf("%w: %s has %d bytes, the checkpoint says %d",
			ErrCheckpoint, FileName, fi.Size(), cp.Size)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	file := &File{Checkpoint: cp, dir: dir, f: f, changed: disk.Changed(fi)}
	return file.Share(), nil
}

// Untouched reports whether the file is still the one that the checkpoint was written for. Its
// checksum is compared only if it has changed since: the checkpoint is written last.
func (f *File) Untouched() (bool, error) {
	written, err := f.dir.Lstat(CheckpointName)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || f.changed <= disk.Changed(written) {
		return err == nil, err
	}
	return f.Sound()
}

// Sound reports whether the file is to the byte what the checkpoint says.
func (f *File) Sound() (bool, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, f.Reader())
	return err == nil && hex.EncodeToString(sum.Sum(nil)) == f.Sum, err
}

// Share returns the file for one more user: the last Close closes it. A nil file stays nil.
func (f *File) Share() *File {
	if f != nil {
		f.refs.Add(1)
	}
	return f
}

// Close closes the file when nobody else shares it.
func (f *File) Close() error {
	if f.refs.Add(-1) > 0 {
		return nil
	}
	f.sidecars.close()
	return f.f.Close()
}

// Reader returns a reader of the whole state.
func (f *File) Reader() io.Reader { return io.NewSectionReader(f.f, 0, f.Size) }

// Get finds a key by reading O(log n) lines of the sorted file. sure is false where a line cannot
// be read: then only the history can answer.
func (f *File) Get(key keypath.Key) (rec log.Record, found, sure bool, err error) {
	at, err := lowerBound(f.f, 0, f.Size, key.String())
	if errors.Is(err, errDamaged) {
		return rec, false, false, nil
	}
	if err != nil || at == f.Size {
		return rec, false, err == nil, err
	}
	line, _, _, err := lineAround(f.f, at, f.Size)
	if err != nil {
		return rec, false, false, disk.Ignore(err, errDamaged) // its reader is unsure instead
	}
	e, err := log.Decode(line)
	if err != nil {
		return rec, false, false, nil
	}
	return log.Record{Envelope: e, Line: line}, e.Key == key, true, nil
}

// line reads and verifies the line at an offset, into a buffer, which grows as needed; nil: into
// its own. Not ok: it is not the one of ts.
func (f *File) line(buffer *[]byte, offset int64, length int, ts log.Stamp) (
	rec log.Record, ok bool, err error) {
	if offset < 0 || length > log.MaxLine || offset+int64(length) > f.Size {
		return rec, false, nil
	}
	if buffer == nil {
		buffer = new([]byte)
	}
	*buffer = slices.Grow((*buffer)[:0], length)
	line := (*buffer)[:length]
	if _, err := f.f.ReadAt(line, offset); err != nil {
		return rec, false, err
	}
	e, err := log.Decode(line)
	if err != nil || e.TS != ts {
		return rec, false, nil
	}
	return log.Record{Envelope: e, Line: line}, true, nil
}

// span is a range of bytes of the file.
type span struct{ from, to int64 }

// spans returns the ranges that hold a prefix. A namespace is the key itself, and what begins with
// it and a slash: two ranges, since other characters sort before the slash.
func (f *File) spans(prefix keypath.Prefix) (list []span, err error) {
	if prefix == (keypath.Prefix{}) {
		return []span{{0, f.Size}}, nil
	}
	key := prefix.String()
	var at int64
	for _, bounds := range [...][2]string{{key, key + "\x00"}, {key + "/", key + "0"}} {
		var s span
		for i, bound := range [...]*int64{&s.from, &s.to} {
			if at, err = boundFrom(f.f, at, f.Size, bounds[i]); err != nil {
				return nil, err
			}
			*bound = at
		}
		list = append(list, s)
	}
	return list, nil
}

// boundFrom is lowerBound where it is known that no line before low is it. Often it is there.
func boundFrom(r io.ReaderAt, low, size int64, text string) (int64, error) {
	if low == 0 || low == size {
		return lowerBound(r, low, size, text)
	}
	line, _, to, err := lineAround(r, low, size)
	if err != nil {
		return 0, err
	}
	e, err := log.Decode(line)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", errDamaged, err)
	case e.Key.String() >= text:
		return low, nil
	}
	return lowerBound(r, min(to, size), size, text)
}

// lowerBound returns the offset of the first line, of those from low on, whose key is not below
// text. The error wraps errDamaged where a line cannot be read.
func lowerBound(r io.ReaderAt, low, size int64, text string) (int64, error) {
	const window = 8 << 10 // the bytes read at once in the end, in place of several small reads
	high := size           // the line begins in [low, high]
	for low < high {
		if _, here := r.(*bytes.Reader); !here && high-low <= window {
			buf := make([]byte, high-low)
			if _, err := r.ReadAt(buf, low); err == io.EOF {
				return 0, errDamaged
			} else if err != nil {
				return 0, err
			}
			at, err := lowerBound(bytes.NewReader(buf), 0, high-low, text)
			return low + at, err
		}
		line, from, to, err := lineAround(r, low+(high-low)/2, size)
		if err != nil {
			return 0, err
		}
		e, err := log.Decode(line)
		if err != nil {
			return 0, fmt.Errorf("%w: %w", errDamaged, err)
		}
		if e.Key.String() < text {
			low = min(to, size)
		} else {
			high = from
		}
	}
	return low, nil
}

// lineAround reads the line that holds the byte at off: its text, its begin, and the next.
func lineAround(r io.ReaderAt, off, size int64) (line []byte, from, to int64, err error) {
	for width := int64(1024); ; width *= 8 {
		from, to = max(0, off-width), min(size, off+width)
		buf := make([]byte, to-from)
		if _, err := r.ReadAt(buf, from); err == io.EOF {
			return nil, 0, 0, errDamaged // somebody has cut the file
		} else if err != nil {
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
			return nil, 0, 0, errDamaged
		}
	}
}
