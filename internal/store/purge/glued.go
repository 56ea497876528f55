package purge

import (
	"bytes"
	"io"

	"github.com/set-memory/mem/log"
)

// seam is what stands where the newline between two envelopes was lost. In one sound line it cannot
// stand: quotes within strings are escaped.
var seam = []byte(`}{"key"`)

// Glued returns the lines of a segment in which several are joined. Each belongs to the keys of all
// its pieces.
func Glued(r io.Reader) (lines []Doubt, err error) {
	at := int64(0)
	err = eachChunk(r, func(text []byte) {
		for from := 0; ; {
			i := bytes.Index(text[from:], seam)
			if i < 0 {
				break
			}
			start := bytes.LastIndexByte(text[:from+i], '\n') + 1
			end := len(text)
			if n := bytes.IndexByte(text[from+i:], '\n'); n >= 0 {
				end = from + i + n + 1
			}
			lines = append(lines, Doubt{Span{at + int64(start), int64(end - start)},
				bytes.Clone(text[start:end])})
			from = end
		}
		at += int64(len(text))
	})
	return lines, err
}

// Pieces returns the parts of a joined line, each from the beginning of an envelope on.
func Pieces(line []byte) (pieces [][]byte) {
	for {
		i := bytes.Index(line, seam)
		if i < 0 {
			return append(pieces, line)
		}
		pieces, line = append(pieces, line[:i+1]), line[i+1:]
	}
}

// OtherRecords returns what a joined line holds of other keys than the plan's: sound envelopes, and
// the bytes of pieces that cannot be read. shows is whether it has a piece of the plan's.
func (p *Plan) OtherRecords(line []byte) (sound []log.Envelope, rest [][]byte, shows bool) {
	for _, piece := range Pieces(line) {
		if p.Wanted().Has(log.ShownKey(piece)) {
			shows = true
			continue
		}
		if e, err := log.Decode(bytes.TrimSpace(piece)); err == nil {
			sound = append(sound, e.Clone())
		} else {
			rest = append(rest, bytes.Clone(piece))
		}
	}
	return sound, rest, shows
}

// eachChunk calls fn with the parts of a file, each of whole lines, as far as the file has them.
func eachChunk(r io.Reader, fn func(text []byte)) error {
	buf, from := make([]byte, 64<<10), 0
	for {
		n, err := io.ReadFull(r, buf[from:])
		end := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !end {
			return err
		}
		text := buf[:from+n]
		whole := len(text)
		if !end {
			whole = bytes.LastIndexByte(text, '\n') + 1
		}
		fn(text[:whole])
		if end {
			return nil
		}
		if from = copy(buf, text[whole:]); from == len(buf) {
			buf = append(buf, make([]byte, len(buf))...) // a line that the buffer does not hold
		}
	}
}
