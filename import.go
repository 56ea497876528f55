package mem

import (
	"bytes"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// importer knows, for the keys of an import, what the store holds. Where envelopes with a time come, that is the newest of the whole history: archives, log,
// and the tombstones that no longer stand in the state. Without it a record older than its tombstone would rise from the dead.
type importer struct {
	known   map[keypath.Key]log.Record // of every key that is asked for; a zero record: nothing is known of it
	history bool                       // the live memories do not suffice
	boot    string
	loaded  bool
	ino     uint64 // of the log that known was read from
	gen     uint64
	pos     int64 // up to where
}

// newImporter notes which keys of a batch are asked for.
func newImporter(writes []prepared, boot string) *importer {
	im := &importer{known: map[keypath.Key]log.Record{}, boot: boot}
	for _, p := range writes {
		if p.imported || p.once {
			im.known[p.Key] = log.Record{}
		}
		im.history = im.history || p.imported
	}
	return im
}

// catchUp brings known up to what the store holds now, under the lock: everything the first time and after a compaction, in one pass, for
// to look each key up by itself would read the log once for each that is new; else only what others have appended since the last group.
func (im *importer) catchUp(wr *compact.Writer) error {
	if len(im.known) == 0 {
		return nil
	}
	if !im.loaded || im.ino != wr.Live.Ino() || im.gen != wr.Gen() {
		im.loaded, im.pos, im.ino, im.gen = true, 0, wr.Live.Ino(), wr.Gen()
		if err := im.load(wr); err != nil {
			return err
		}
	}
	for rec, err := range log.Scan(wr.Live.From(im.pos), log.File, log.Start{Off: im.pos}) {
		if err := im.see(rec, err); err != nil {
			return err
		}
	}
	im.pos = wr.Live.Size()
	return nil
}

// load reads what lies before pos: the archives, or for live memories all there is.
func (im *importer) load(wr *compact.Writer) error {
	if im.history {
		return compact.EachArchived(wr.Dir, im.see)
	}
	im.pos = wr.Live.Size()
	v, err := compact.Load(wr.Dir, im.boot)
	if err != nil {
		return err
	}
	defer v.Close()
	return im.look(v)
}

// look takes over what a view has, and nothing else.
func (im *importer) look(v *compact.View) error {
	for key := range im.known {
		im.known[key] = log.Record{}
	}
	for rec, err := range v.Live() {
		if err != nil {
			return err
		}
		im.stored(rec)
	}
	return nil
}

func (im *importer) see(rec log.Record, err error) error {
	if err != nil {
		return harmless(err)
	}
	im.stored(rec)
	return nil
}

// stored notes a record that the store has, or will have with this group.
func (im *importer) stored(rec log.Record) {
	if old, ok := im.known[rec.Key]; ok && (old.Key.IsZero() || rec.Wins(old)) {
		im.known[rec.Key] = rec.Clone()
	}
}

// wanted reports whether an imported envelope is news, and counts it if not.
func (im *importer) wanted(e log.Envelope, rep *BatchReport) bool {
	rec := log.Record{Envelope: e, Line: e.Line()}
	old := im.known[e.Key]
	switch {
	case old.Key.IsZero() || rec.Wins(old):
		im.stored(rec)
		return true
	case bytes.Equal(old.Line, rec.Line):
		rep.Unchanged++
	default:
		rep.Stale++
	}
	return false
}
