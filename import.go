package mem

import (
	"bytes"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// importer knows, for the keys of an import, the newest that the whole history holds: archives, log, and the tombstones that
// no longer stand in the state. Without it a record older than its tombstone would rise from the dead.
type importer struct {
	store *Store
	known map[keypath.Key]log.Record // only keys of the batch; a zero record: nothing is known of it
	ino   uint64                     // of the log that known was read from
	gen   uint64
	pos   int64 // up to where
}

// catchUp brings known up to date under the lock. It reads the history only when the group holds an envelope that is not
// newer than everything stored.
func (im *importer) catchUp(wr *compact.Writer, group []prepared) error {
	if !im.needed(wr, group) {
		return nil
	}
	if im.known == nil || im.ino != wr.Live.Ino() || im.gen != wr.Gen() {
		im.known, im.pos, im.ino, im.gen = map[keypath.Key]log.Record{}, 0, wr.Live.Ino(), wr.Gen()
	}
	before := len(im.known)
	for _, p := range group {
		if _, ok := im.known[p.Key]; p.imported && !ok {
			im.known[p.Key] = log.Record{}
		}
	}
	if len(im.known) > before {
		im.pos = 0
		if err := compact.EachArchived(wr.Dir, im.see); err != nil {
			return err
		}
	}
	for rec, err := range log.Scan(wr.Live.From(im.pos), log.File, log.Start{Off: im.pos}) {
		if err := im.see(rec, err); err != nil {
			return err
		}
	}
	return nil
}

// needed reports whether the history has a say.
func (im *importer) needed(wr *compact.Writer, group []prepared) bool {
	newest := wr.MaxTS()
	for _, p := range group {
		if p.imported && p.TS <= newest {
			return true
		}
		newest = max(newest, p.TS)
	}
	return false
}

func (im *importer) see(rec log.Record, err error) error {
	if err != nil {
		return harmless(err)
	}
	if old, ok := im.known[rec.Key]; ok && (old.Key.IsZero() || rec.Wins(old)) {
		im.known[rec.Key] = rec.Clone()
	}
	return nil
}

// wanted reports whether an imported envelope is news, and counts it if not. Within the batch it counts as stored.
func (im *importer) wanted(e log.Envelope, rep *BatchReport) bool {
	if im.known == nil {
		return true
	}
	rec := log.Record{Envelope: e, Line: e.Line()}
	old := im.known[e.Key]
	switch {
	case old.Key.IsZero() || rec.Wins(old):
		im.known[e.Key] = rec
		return true
	case bytes.Equal(old.Line, rec.Line):
		rep.Unchanged++
	default:
		rep.Stale++
	}
	return false
}

// passed notes that what stands in the log now is known.
func (im *importer) passed(wr *compact.Writer) { im.pos = wr.Live.Size() }
