package fsck

import (
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/purge"
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
		if mark := x.Checker.marks[log.ShownKey(raw)]; mark.Key.IsZero() ||
			log.ShownTime(raw) > mark.TS {
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

// quarantine keeps the lines that are cut from a segment. Those of purged memories are not among
// them.
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
