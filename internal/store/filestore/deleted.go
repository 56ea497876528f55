package filestore

import (
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// witness is a sound state, as far as what it covers is at hand. It is one file from first to last:
// a compaction may put another in place meanwhile, which covers what this one is silent about.
type witness struct {
	file     *state.File
	covered  int64           // bytes of the log at hand
	archives map[string]bool // that are whole
}

// openWitness returns nil where there is no sound state. seg may be nil.
func openWitness(dir *disk.Dir, seg *log.Segment) (*witness, error) {
	file, err := state.Open(dir)
	if err != nil {
		return nil, disk.Ignore(err, state.ErrCheckpoint)
	}
	w, err := witnessOf(dir, file, seg)
	if w == nil {
		file.Close()
	}
	return w, err
}

func witnessOf(dir *disk.Dir, file *state.File, seg *log.Segment) (*witness, error) {
	if sound, err := file.Sound(); err != nil || !sound {
		return nil, err
	}
	pos, err := parsePosition(file.Position)
	if err != nil {
		return nil, nil
	}
	w := &witness{file: file, archives: map[string]bool{}}
	if seg != nil {
		ok, err := pos.matchesCopy(seg)
		if err != nil {
			return nil, err
		}
		if ok {
			w.covered = pos.offset
		}
	}
	list, err := pos.archives.list()
	if err != nil {
		return nil, disk.Ignore(err, state.ErrCheckpoint)
	}
	for _, a := range list {
		fault, err := a.Fault(dir)
		if err != nil {
			return nil, err
		}
		w.archives[a.Name] = fault == "" && !a.Away
	}
	return w, nil
}

// Close closes the state.
func (w *witness) Close() {
	if w != nil {
		w.file.Close()
	}
}

// covers reports whether the state was made from the line at a place.
func (w *witness) covers(pos log.Pos) bool {
	return w.archives[pos.File] || pos.File == log.File && pos.Off < w.covered
}

// deleted reports whether the state proves that a live record was deleted.
func (w *witness) deleted(rec log.Record) bool {
	return w.covers(rec.Pos) && rec.Valid() && !rec.Unsealed && rec.TS <= w.file.MaxTS &&
		!content.Expired(rec.Content, w.file.ExpiredBy)
}

// tombstone returns a tombstone in place of the one that is lost.
func tombstone(key keypath.Key, ts log.Stamp) log.Envelope {
	return log.Envelope{Key: key, TS: ts, Content: []byte("null"),
		Source: []byte(`"mem: the line of this deletion is lost"`)}
}

// Deleted returns a tombstone for each record that the state proves to be deleted.
func Deleted(dir *disk.Dir, seg *log.Segment, history state.Fold) ([]log.Envelope, error) {
	w, err := openWitness(dir, seg)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.tombstones(history)
}

// tombstones is Deleted of a witness; none where there is no witness.
func (w *witness) tombstones(history state.Fold) (tombstones []log.Envelope, err error) {
	if w == nil {
		return nil, nil
	}
	deleted := map[keypath.Key]log.Stamp{}
	for key, rec := range history {
		if w.deleted(rec) {
			deleted[key] = rec.TS
		}
	}
	for rec, err := range log.Scan(w.file.Reader(), state.FileName, log.Start{}) {
		if err != nil && !isDamage(err) {
			return nil, err
		}
		delete(deleted, rec.Key)
	}
	for key, ts := range deleted {
		tombstones = append(tombstones, tombstone(key, ts+1))
	}
	return tombstones, nil
}

// newest returns the newest ts that the state covers, be its line at hand or not: later stamps must
// be newer, so that they win when the line comes back.
func (w *witness) newest() log.Stamp {
	if w == nil {
		return log.MinStamp
	}
	return w.file.MaxTS
}
