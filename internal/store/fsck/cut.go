package fsck

import (
	"slices"

	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// cut rewrites a segment without some lines, after it has copied them to quarantine/.
func (x *Repairer) cut(name string, lines []Finding) error {
	var bad []byte
	for _, f := range lines {
		raw, err := filestore.BytesAt(x.Checker.Dir, name, f.Offset, f.Length)
		if err != nil {
			return err
		}
		if !x.isPurged(raw) {
			bad = append(bad, raw...)
		}
	}
	if err := x.quarantine(name, bad); err != nil {
		return err
	}
	// A crash before the rename within this leaves the damaged segment in place; after the next
	// repair quarantine/ has the copy twice.
	return filestore.Cut(x.Checker.Dir, name, spansOf(lines))
}

// isPurged reports whether a line that is cut is older than the mark of a purge of its key, as it
// was before one bit flipped, or else as it shows.
func (x *Repairer) isPurged(raw []byte) bool {
	isBefore := func(key keypath.Key, ts log.Stamp) bool {
		mark, ok := x.Checker.marks[key]
		return ok && ts <= mark.TS
	}
	if mended := log.Mend(raw); mended != nil {
		return slices.ContainsFunc(mended,
			func(e log.Envelope) bool { return isBefore(e.Key, e.TS) })
	}
	return isBefore(log.ShownKey(raw), log.ShownTime(raw))
}

// quarantine keeps the lines that are cut from a segment, but for those of purges.
func (x *Repairer) quarantine(name string, bad []byte) error {
	if len(bad) == 0 {
		return nil
	}
	if err := filestore.MakeQuarantine(x.Checker.Dir); err != nil {
		return err
	}
	_, err := log.Quarantine(x.Checker.Dir, name+"-lines", bad, x.Checker.Now)
	return err
}

// spansOf returns where findings are, which are in order.
func spansOf(lines []Finding) []purge.Span {
	spans := make([]purge.Span, len(lines))
	for i, f := range lines {
		spans[i] = purge.Span{Off: f.Offset, Len: f.Length}
	}
	return spans
}
