package purge

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/set-memory/mem/log"
)

// Span is a range of bytes of a file, whole lines.
type Span struct{ Off, Len int64 }

// Doubt is a damaged line that shows no key: whether it goes, the values say that are known once
// the whole history was read.
type Doubt struct {
	Span
	Raw []byte // at most log.MaxLine
}

// Lines returns the lines of a segment that go, those of records that the plan takes and damaged
// ones that show a key of the plan, and those that are in doubt. A line of which one bit flipped is
// the record that it was. take is called with each record that goes, before the next line is read.
// An error is the file system's.
func (p *Plan) Lines(r io.Reader, file string, take func(log.Record)) (
	spans []Span, doubts []Doubt, err error) {
	for rec, err := range log.FindFlipped(r, file, log.Start{}, p.Wanted()) {
		var damage *log.Damage
		switch {
		case errors.As(err, &damage):
			at := Span{damage.Pos.Off, damage.Pos.Len}
			rec, mended := mend(damage.Raw)
			switch key := log.ShownKey(damage.Raw); {
			case mended && p.Takes(rec):
				spans = append(spans, at)
				take(rec)
			case mended:
			case key.IsZero():
				doubts = append(doubts, Doubt{at, bytes.Clone(damage.Raw)})
			case p.Wanted().Has(key):
				spans = append(spans, at)
			}
		case err != nil:
			return nil, nil, err
		case p.Takes(rec):
			spans = append(spans, Span{rec.Pos.Off, rec.Pos.Len})
			take(rec)
		}
	}
	return spans, doubts, nil
}

// AddDoubtful adds to the lines that go those in doubt that hold a value, in their order.
func AddDoubtful(spans []Span, doubts []Doubt, v *Values) []Span {
	for _, d := range doubts {
		if v.foundIn(d.Raw, true) {
			spans = append(spans, d.Span)
		}
	}
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.Off, b.Off) })
	return slices.Compact(spans)
}

// mend returns the record that a damaged line was before one bit of it flipped.
func mend(raw []byte) (rec log.Record, ok bool) {
	list := log.Mend(raw)
	if len(list) != 1 {
		return rec, false
	}
	return log.Record{Envelope: list[0], Line: list[0].Line()}, true
}

// claims reports whether bytes that are no envelope go.
func (p *Plan) claims(raw []byte, v *Values) bool {
	if rec, mended := mend(raw); mended {
		return p.takesCopy(rec)
	}
	if key := log.ShownKey(raw); !key.IsZero() {
		return p.Wanted().Has(key)
	}
	return v.foundIn(raw, true)
}

// Copy copies a file but for some spans, which are in order.
func Copy(w io.Writer, src io.ReaderAt, size int64, without []Span) error {
	at := int64(0)
	for _, s := range without {
		if _, err := io.Copy(w, io.NewSectionReader(src, at, s.Off-at)); err != nil {
			return err
		}
		at = s.Off + s.Len
	}
	_, err := io.Copy(w, io.NewSectionReader(src, at, size-at))
	return err
}

// Before returns how many bytes of the spans lie before an offset of the source.
func Before(spans []Span, off int64) (bytes int64) {
	for _, s := range spans {
		if s.Off < off {
			bytes += s.Len
		}
	}
	return bytes
}
