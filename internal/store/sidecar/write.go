package sidecar

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/set-memory/mem/internal/base/disk"
)

// Draft is a sidecar under a temporary name.
type Draft struct {
	dir  *disk.Dir
	temp string
	name string
}

// Create writes a sidecar for the state with this size and SHA-256 (in hex). fill writes the
// sections, ends each of them, and sets the numbers. Either Install or Discard ends the draft.
func Create(
	root *disk.Dir, format *Format, stateSize int64, stateSum string, fill func(*Writer) error,
) (*Draft, error) {
	sum, err := parseSum(stateSum)
	if err != nil {
		return nil, err
	}
	dir, err := root.Sub(Dir, true)
	if err != nil {
		return nil, err
	}
	temp, err := dir.TempFile(func(out io.Writer) error {
		buffer := make([]byte, 0, bufferedPages*format.PageSize)
		w := &Writer{format: format, out: out, buffer: buffer}
		if err := fill(w); err != nil {
			return err
		}
		return w.close(uint64(stateSize), sum)
	})
	if err != nil {
		dir.Close()
		return nil, err
	}
	return &Draft{dir: dir, temp: temp, name: format.File}, nil
}

// Install puts the sidecar in place.
func (d *Draft) Install() error {
	defer d.dir.Close()
	return d.dir.Commit(d.temp, d.name)
}

// Discard removes it.
func (d *Draft) Discard() {
	_ = d.dir.Remove(d.temp) // a repair removes the file
	d.dir.Close()
}

// Writer takes the sections of a sidecar, one after the other. The first error stays.
type Writer struct {
	format  *Format
	out     io.Writer
	buffer  []byte // bytes not written yet: whole pages but for the last
	offset  uint64 // of the next byte
	sums    []byte
	ends    []byte
	numbers []byte
	err     error
}

const bufferedPages = 64

// Write takes the next bytes of the current section.
func (w *Writer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), cap(w.buffer)-len(w.buffer))
		w.buffer = append(w.buffer, rest[:n]...)
		if len(w.buffer) == cap(w.buffer) {
			w.flush()
		}
		rest = rest[n:]
	}
	w.offset += uint64(len(p))
	return len(p), w.err
}

// flush writes the buffer, with a sum for each page.
func (w *Writer) flush() {
	for rest := w.buffer; len(rest) > 0; {
		n := min(len(rest), w.format.PageSize)
		sum := crc32.Checksum(rest[:n], castagnoli())
		w.sums = binary.LittleEndian.AppendUint32(w.sums, sum)
		rest = rest[n:]
	}
	if w.err == nil {
		_, w.err = w.out.Write(w.buffer)
	}
	w.buffer = w.buffer[:0]
}

// Uint32 writes a number.
func (w *Writer) Uint32(v uint32) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], v)
	_, _ = w.Write(b[:])
}

// Uint64 writes a number.
func (w *Writer) Uint64(v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	_, _ = w.Write(b[:])
}

// Section writes a whole section.
func (w *Writer) Section(data []byte) {
	_, _ = w.Write(data)
	w.EndSection()
}

// EndSection ends the current section.
func (w *Writer) EndSection() { w.ends = binary.LittleEndian.AppendUint64(w.ends, w.offset) }

// Offset returns the number of bytes written, which is where the next one stands in the file.
func (w *Writer) Offset() uint64 { return w.offset }

// SetNumbers sets the numbers of the footer that are the format's own.
func (w *Writer) SetNumbers(numbers ...uint64) {
	w.numbers = w.numbers[:0]
	for _, n := range numbers {
		w.numbers = binary.LittleEndian.AppendUint64(w.numbers, n)
	}
}

// Err returns the first error.
func (w *Writer) Err() error { return w.err }

var errIncomplete = errors.New("sidecar: sections or numbers are missing")

func (w *Writer) close(stateSize uint64, stateSum []byte) error {
	if len(w.ends) != 8*w.format.Sections || len(w.numbers) != 8*w.format.Numbers {
		return errors.Join(w.err, errIncomplete)
	}
	w.flush()
	le := binary.LittleEndian
	foot := append(w.numbers, w.ends...)
	foot = le.AppendUint64(foot, stateSize)
	foot = append(foot, stateSum...)
	foot = le.AppendUint32(foot, crc32.Checksum(w.sums, castagnoli()))
	foot = le.AppendUint32(foot, crc32.Checksum(foot, castagnoli()))
	foot = append(foot, w.format.Magic...)
	if w.err == nil {
		_, w.err = w.out.Write(append(w.sums, foot...))
	}
	return w.err
}
