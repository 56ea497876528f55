package transfer

import (
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/log"
)

// meetMark takes in the mark of a purge. Its key may have been used again since.
func (p *plan) meetMark(rec log.Record) {
	if old, ok := p.purged[rec.Key]; content.IsPurgeMark(rec) && (!ok || rec.TS > old.TS) {
		p.purged[rec.Key] = rec.Clone().Envelope
	}
}

// dropPurged leaves out the versions from before the purge of their key: under another key they
// would give the erased text back. Keys and times alone decide, for a purge leaves no version to
// compare. A plain number may be another note's, unless the file has the version that the purge saw
// last. A version that the store has under another key, as that of a note with letters, is no
// purged one.
func (p *plan) dropPurged() {
	for key, mark := range p.purged {
		last := content.PurgedTo(mark)
		isLast := func(e log.Envelope) bool { return e.TS == last }
		if note.IsPlain(key) && !p.same && !slices.ContainsFunc(p.file[key], isLast) {
			delete(p.purged, key)
		}
	}
	clear(p.file)
	p.im.writes = slices.DeleteFunc(p.im.writes, func(w mem.Checked) bool {
		e := w.Envelope()
		mark, ok := p.purged[e.Key]
		_, isKnown := p.known[kinOf(e.Key, lineage(e))]
		isGone := ok && (e.TS < mark.TS || content.Takes(mark, e))
		if isGone && !isKnown && w.Imported() && !p.here[e.Key].lines[birth(e)] {
			p.im.rep.Stale++
			p.im.rep.Purged++
			return true
		}
		p.file[e.Key] = append(p.file[e.Key], e)
		return false
	})
}
