package log

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
)

// FormatVersion is the version of the format of everything below a root.
//
//	1  the first
const FormatVersion = 1

// WatermarkFile is its name below the root.
const WatermarkFile = "watermark"

// Watermark records how far the index has followed the log. It is a hint with a checksum: where it
// is absent, damaged or does not match the log, the index is healed from the log (see the package
// comment).
type Watermark struct {
	Gen     uint64 // grows with every compaction, rotation and purge: readers then start over
	Applied int64  // bytes of log.jsonl already mirrored into index/
	MaxTS   Stamp  // the newest ts ever stamped or imported
	Ino     uint64 // inode of log.jsonl
	Boot    string // boot id under which the index was written
	Last    string // Sum of the last line below Applied; empty for none
}

const bootWidth = disk.MaxBootID

// encode returns the fixed-width record: numbers are padded on the left, the boot id on the right,
// so that one write at offset 0 replaces the old record exactly.
func (w Watermark) encode() []byte {
	rec := fmt.Appendf(nil, `{"v":%d,"gen":%20d,"applied":%20d,"max_ts":"%s","ino":%20d,`+
		`"boot":"%s","last":"sha256:%s"`,
		FormatVersion, w.Gen, w.Applied, min(max(w.MaxTS, MinStamp), MaxStamp), w.Ino,
		fixed(w.Boot, ' ', bootWidth), fixed(w.Last, '0', 2*sha256.Size))
	return append(seal(rec, 0), '\n')
}

func fixed(s string, pad byte, width int) []byte {
	return append([]byte(s), bytes.Repeat([]byte{pad}, width)...)[:width]
}

// watermarkSize is the length of the record with its newline. It is a constant so that no process
// has to encode a record at its start.
const watermarkSize = 372

// ReadWatermark reads the record. The error wraps ErrWatermark where there is no valid one,
// ErrNewer where a later format wrote it, or is that of the file system.
func ReadWatermark(dir *disk.Dir) (Watermark, error) {
	f, err := dir.Open(WatermarkFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Watermark{}, fmt.Errorf("%w: none written yet", ErrWatermark)
	}
	if err != nil {
		return Watermark{}, err
	}
	defer f.Close()
	w, _, err := readWatermark(f)
	return w, err
}

// readWatermark also returns how many bytes it read, which is more than a record has if the file is
// too long.
func readWatermark(f io.ReaderAt) (w Watermark, n int, err error) {
	buf := make([]byte, 2*watermarkSize)
	if n, err = f.ReadAt(buf, 0); err != nil && err != io.EOF {
		return w, n, err
	}
	w, err = parseWatermark(buf[:n])
	return w, n, err
}

// parseWatermark reads the whole of the file. It refuses what encode would write in another way.
func parseWatermark(text []byte) (w Watermark, err error) {
	rec := bytes.TrimSuffix(text, []byte{'\n'})
	if !Sealed(rec) {
		return w, fmt.Errorf("%w: damaged", ErrWatermark)
	}
	got := paddedMembers(rec)
	if v, _ := strconv.Atoi(got["v"]); v > FormatVersion {
		return w, fmt.Errorf("%w: format %d, this mem reads up to %d", ErrNewer, v, FormatVersion)
	}
	gen, err1 := strconv.ParseUint(got["gen"], 10, 64)
	applied, err2 := strconv.ParseInt(got["applied"], 10, 64)
	ino, err3 := strconv.ParseUint(got["ino"], 10, 64)
	maxTS, err4 := ParseTime(got["max_ts"])
	last := strings.TrimPrefix(got["last"], "sha256:")
	if strings.Trim(last, "0") == "" {
		last = ""
	}
	w = Watermark{Gen: gen, Applied: applied, MaxTS: maxTS, Ino: ino, Boot: got["boot"], Last: last}
	if errors.Join(err1, err2, err3, err4) != nil || applied < 0 || !bytes.Equal(text, w.encode()) {
		return Watermark{}, fmt.Errorf("%w: malformed", ErrWatermark)
	}
	return w, nil
}

// paddedMembers returns the members without their padding and quotes.
func paddedMembers(rec []byte) map[string]string {
	got := map[string]string{}
	if text, err := jsontext.Compact(nil, rec); err == nil {
		for name, value := range jsontext.Members(text) {
			got[name] = strings.Trim(string(value), `" `)
		}
	}
	return got
}

// WatermarkWriter is the watermark file open for writing; the lock must be held.
type WatermarkWriter struct {
	f     *disk.File
	extra bool // there are bytes after the record, by an external modification
}

// OpenWatermark opens the file, creates it if absent, and reads the record. A record that cannot
// be trusted comes as the zero Watermark with sound false; ErrNewer stays an error.
func OpenWatermark(dir *disk.Dir) (m *WatermarkWriter, w Watermark, sound bool, err error) {
	f, err := dir.Edit(WatermarkFile)
	if err != nil {
		return nil, w, false, err
	}
	w, n, err := readWatermark(f)
	if err != nil && !errors.Is(err, ErrWatermark) {
		f.Close()
		return nil, Watermark{}, false, err
	}
	return &WatermarkWriter{f: f, extra: n > watermarkSize}, w, err == nil, nil
}

// Write rewrites the record in place. It is not synced: after a reboot it is not trusted anyway.
func (m *WatermarkWriter) Write(w Watermark) error {
	// A crash within this write leaves a record whose checksum fails, which readers retry and the
	// next writer heals.
	if _, err := m.f.WriteAt(w.encode(), 0); err != nil {
		return err
	}
	if !m.extra {
		return nil
	}
	m.extra = false
	// A crash before this leaves a record that is too long, which reads as damaged.
	return m.f.Truncate(int64(watermarkSize))
}

// Close closes the file.
func (m *WatermarkWriter) Close() error { return m.f.Close() }
