package log

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// MaxLine is the longest line a reader holds: content and source at their limits, escaped, fit
// several times.
const MaxLine = 8 << 20

// Pos is the position of a line.
type Pos struct {
	File string // name below the root
	Line int    // from 1
	Off  int64  // of its first byte
	Len  int64  // with its line ending
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d (byte %d)", p.File, p.Line, p.Off) }

// Compare orders places by age, as far as a history is in the order of its writes.
func (p Pos) Compare(other Pos) int {
	return cmp.Or(CompareFiles(p.File, other.File), cmp.Compare(p.Off, other.Off))
}

// After returns where a scan continues after the line.
func (p Pos) After() Start { return Start{Off: p.Off + p.Len, Line: p.Line} }

// Record is an envelope and its position. Line and the envelope share the scanner's buffer until
// the next step: Clone a record to keep it.
type Record struct {
	Envelope
	Line      []byte // canonical line, without newline
	Canonical bool   // the file holds exactly Line
	Unsealed  bool   // the line in the file has no checksum; Line has one all the same
	Pos       Pos
	Layer     string // which of several stores that are read together it is from; "": the only one
}

// Clone returns a copy that may be kept. If the line is canonical, source and content share its
// bytes, which saves memory: a fold may keep a million records.
func (r Record) Clone() Record {
	r.Line = bytes.Clone(r.Line)
	content := len(r.Line) - sealLen - len(r.Content)
	source := content - len(`,"content":`) - len(r.Source)
	if source < 0 || !bytes.HasPrefix(r.Line[content:], r.Content) ||
		!bytes.HasPrefix(r.Line[source:], r.Source) {
		r.Envelope = r.Envelope.Clone()
		return r
	}
	r.Content = slices.Clip(r.Line[content : content+len(r.Content)])
	r.Source = slices.Clip(r.Line[source : source+len(r.Source)])
	return r
}

// Wins reports whether r replaces old by LWW: newer ts; for equal ts a line with a checksum before
// one without, because the latter cannot be verified; then the greater line bytes. So the result of
// a fold does not depend on the order of the records, nor on how often each comes.
func (r Record) Wins(old Record) bool {
	if r.TS != old.TS {
		return r.TS > old.TS
	}
	if r.Unsealed != old.Unsealed {
		return old.Unsealed
	}
	return bytes.Compare(r.Line, old.Line) > 0
}

// RecordOf returns an envelope with its line.
func RecordOf(e Envelope) Record { return Record{Envelope: e, Line: e.Line()} }

// Wins is [Record.Wins] for lines that are as they are written.
func (e Envelope) Wins(old Envelope) bool { return RecordOf(e).Wins(RecordOf(old)) }

// NewestFirst orders records for slices.SortFunc: what wins comes first.
func NewestFirst(a, b Record) int {
	switch {
	case a.Wins(b):
		return -1
	case b.Wins(a):
		return 1
	}
	return 0
}

// Damage is a line that cannot be read. It is an error of one line: the scan continues after it.
type Damage struct {
	Pos Pos
	Raw []byte // shares the scanner's buffer; cut at MaxLine
	// Reason is jsontext.ErrJSON, ErrEnvelope, ErrChecksum, ErrTorn, keypath.ErrKey or
	// ErrLineTooLong.
	Reason error
}

func (d *Damage) Error() string { return fmt.Sprintf("%s: %s", d.Pos, d.Reason) }

// Unwrap returns the reason.
func (d *Damage) Unwrap() error { return d.Reason }

// LeftOut returns the warning that an answer is without the line. program is how mem is typed, like
// "mem --root DIR"; "" is mem.
func (d *Damage) LeftOut(program string) string {
	return d.Error() + ": left out, " + cmp.Or(program, "mem") + " fsck lists them"
}

// Start is where a scan begins. The zero Start is the beginning of a file.
type Start struct {
	Off  int64 // offset of the reader's first byte in its file
	Line int   // lines before it
}

// Scan yields the records of a file whose reader stands at start. A line that cannot be read comes
// as a *Damage and the scan goes on; any other error is the reader's, and the last. Blank lines and
// a byte order mark are skipped. A last line without a newline is a record if it is whole (an
// editor may drop it), else a Damage with ErrTorn.
func Scan(r io.Reader, file string, start Start) iter.Seq2[Record, error] {
	return scan(r, file, start, decode)
}

// ScanStrict is Scan with DecodeStrict.
func ScanStrict(r io.Reader, file string, start Start) iter.Seq2[Record, error] {
	return scan(r, file, start, decodeStrict)
}

func scan(r io.Reader, file string, start Start,
	dec func([]byte) (decoded, error)) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		in := lines{r: bufio.NewReaderSize(r, bufferFor(r)),
			pos: Pos{File: file, Line: start.Line, Off: start.Off}}
		for in.next() {
			if text := trim(in.raw); len(text) > 0 && !yield(in.record(text, dec)) {
				return
			}
		}
		if in.err != io.EOF {
			yield(Record{}, in.err)
		}
	}
}

// bufferFor returns the size of a scan's buffer. Most scans are of a tail that is empty or short,
// by a process that does little else: a large buffer's page faults would cost more than they read.
func bufferFor(r io.Reader) int {
	const most = 256 << 10
	if sized, ok := r.(interface{ Size() int64 }); ok {
		return int(min(sized.Size()+1, most))
	}
	return most
}

// lines splits a reader into lines.
type lines struct {
	r    *bufio.Reader
	pos  Pos
	raw  []byte // the current line, with its ending
	long []byte // buffer for lines longer than the reader's
	err  error
}

// next moves to the next line; false at the end or at an error.
func (l *lines) next() bool {
	if l.err != nil {
		return false
	}
	l.pos.Off, l.pos.Len = l.pos.Off+l.pos.Len, 0
	l.pos.Line++
	l.raw, l.err = l.r.ReadSlice('\n')
	l.pos.Len = int64(len(l.raw))
	if errors.Is(l.err, bufio.ErrBufferFull) {
		l.assemble()
	}
	return len(l.raw) > 0 && (l.err == nil || l.err == io.EOF)
}

// assemble collects a line that the buffer does not hold, to MaxLine.
func (l *lines) assemble() {
	l.long = append(l.long[:0], l.raw...)
	for errors.Is(l.err, bufio.ErrBufferFull) {
		l.raw, l.err = l.r.ReadSlice('\n')
		l.pos.Len += int64(len(l.raw))
		l.long = append(l.long, l.raw[:min(len(l.raw), MaxLine-len(l.long))]...)
	}
	l.raw = l.long
}

// byteOrderMark begins a file that some editors saved, and stands in the middle after such files
// were joined.
const byteOrderMark = "\ufeff"

// trim takes the ending off a line, and what only editors put there.
func trim(raw []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(raw, []byte(byteOrderMark)))
}

func (l *lines) record(text []byte, dec func([]byte) (decoded, error)) (Record, error) {
	if l.pos.Len > MaxLine {
		return Record{}, &Damage{Pos: l.pos, Raw: l.raw, Reason: ErrLineTooLong}
	}
	d, err := dec(text)
	if err != nil {
		if l.err == io.EOF {
			err = fmt.Errorf("%w: %w", ErrTorn, err)
		}
		return Record{}, &Damage{Pos: l.pos, Raw: l.raw, Reason: err}
	}
	rec := Record{Envelope: d.Envelope, Line: text, Canonical: d.canonical,
		Unsealed: d.unsealed, Pos: l.pos}
	if !d.canonical {
		rec.Line = d.Line()
	}
	return rec, nil
}
