package filestore

import (
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/state"
)

// A state has no tombstones, but it proves them: what its checkpoint covers and it does not hold
// was deleted, or had expired. So a deletion outlives the loss of its own line, be that damaged or
// in an archive that is not at hand.

// witness is a sound state, as far as what it covers is at hand.
type witness struct {
	cp       state.Checkpoint
	covered  int64           // bytes of the log at hand
	archives map[string]bool // that are whole
}

// readWitness returns nil where there is no sound state. seg may be nil.
func readWitness(dir *disk.Dir, seg *log.Segment) (*witness, error) {
	file, err := state.Open(dir)
	if err != nil {
		return nil, ignore(err, state.ErrCheckpoint)
	}
	defer file.Close()
	if sound, err := file.Sound(); err != nil || !sound {
		return nil, err
	}
	pos, err := parsePosition(file.Position)
	if err != nil {
		return nil, nil
	}
	w := &witness{cp: file.Checkpoint, archives: map[string]bool{}}
	if seg != nil {
		ok, err := pos.matchesCopy(seg)
		if err != nil {
			return nil, err
		}
		if ok {
			w.covered = pos.offset
		}
	}
	list, err := ListedIn(dir, file.Checkpoint)
	if err != nil {
		return nil, err
	}
	for _, a := range list {
		fault, err := a.FaultNow(dir)
		if err != nil {
			return nil, err
		}
		w.archives[a.Name] = fault == "" && !a.Away
	}
	return w, nil
}

// deleted reports whether a live record that the state does not hold was deleted after it was
// written.
func (w *witness) deleted(rec log.Record) bool {
	covered := w.archives[rec.Pos.File] || rec.Pos.File == log.File && rec.Pos.Off < w.covered
	return covered && rec.Valid() && !rec.Unsealed && rec.TS <= w.cp.MaxTS &&
		!content.Expired(rec.Content, w.cp.ExpiredBy)
}

// tombstone returns a tombstone in place of the one that is lost.
func tombstone(key keypath.Key, ts log.Stamp) log.Envelope {
	return log.Envelope{Key: key, TS: ts, Content: []byte("null"),
		Source: []byte(`"mem: the line of this deletion is lost, state.jsonl proves it"`)}
}

// Deleted returns a tombstone for each record of a history that its state proves to be deleted.
// live is the keys of the state.
func Deleted(dir *disk.Dir, seg *log.Segment, history state.Fold, live map[keypath.Key]bool) (
	[]log.Envelope, error) {
	w, err := readWitness(dir, seg)
	if err != nil {
		return nil, err
	}
	return w.tombstones(history, live), nil
}

// tombstones is Deleted of a witness that has been read; nil for none.
func (w *witness) tombstones(history state.Fold, live map[keypath.Key]bool) []log.Envelope {
	if w == nil {
		return nil
	}
	var tombstones []log.Envelope
	for key, rec := range history {
		if !live[key] && w.deleted(rec) {
			tombstones = append(tombstones, tombstone(key, rec.TS+1))
		}
	}
	return tombstones
}

// newest returns the newest ts that the state covers, be its line at hand or not: what is stamped
// from now on must be newer, for it has to win when the line comes back.
func (w *witness) newest() log.Stamp {
	if w == nil {
		return log.MinStamp
	}
	return w.cp.MaxTS
}

// StateKeys returns the keys that state.jsonl holds.
func StateKeys(dir *disk.Dir) (map[keypath.Key]bool, error) {
	keys := map[keypath.Key]bool{}
	for rec, err := range stateLines(dir) {
		if err != nil {
			return nil, err
		}
		keys[rec.Key] = true
	}
	return keys, nil
}
