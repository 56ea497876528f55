package purge

import (
	"bytes"
	"io"
	"math/bits"

	"github.com/set-memory/mem/log"
)

// nextSeam returns where the first envelope of a text ends and the next begins, with nothing but a
// line break between of which a bit has flipped, or not even that; ok is false where there is none.
// In one sound line no seam can stand: quotes within strings are escaped.
func nextSeam(text []byte) (end, next int, ok bool) {
	for {
		i := bytes.Index(text[next:], []byte(`{"key"`))
		if i < 0 {
			return 0, 0, false
		}
		next += i
		before := text[:next]
		if n := len(before) - 1; n > 0 && bits.OnesCount8(before[n]^'\n') == 1 {
			before = before[:n]
		}
		if bytes.HasSuffix(before, []byte{'}'}) {
			return len(before), next, true
		}
		next++
	}
}

// Glued returns the lines in which several are joined. Each belongs to all its keys.
func Glued(r io.Reader) (lines []Doubt, err error) {
	at := int64(0)
	err = eachChunk(r, func(text []byte) {
		for from := 0; ; {
			i, _, found := nextSeam(text[from:])
			if !found {
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
		end, next, found := nextSeam(line)
		if !found {
			return append(pieces, line)
		}
		pieces, line = append(pieces, line[:end]), line[next:]
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
