package filestore

import (
	"bytes"
	"cmp"
	"iter"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A state has no tombstones, but it proves them: what its checkpoint covers and it does not hold
// was deleted, or had expired. So a deletion outlives the loss of its own line, be that damaged or
// in an archive that is not at hand. Without a state it does as long as the damaged line shows its
// key, and that it is a tombstone.

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

// deleted reports whether a live record that the state does not hold was deleted after it was
// written.
func (w *witness) deleted(rec log.Record) bool {
	covered := w.archives[rec.Pos.File] || rec.Pos.File == log.File && rec.Pos.Off < w.covered
	return covered && rec.Valid() && !rec.Unsealed && rec.TS <= w.file.MaxTS &&
		!content.Expired(rec.Content, w.file.ExpiredBy)
}

// tombstone returns a tombstone in place of the one that is lost.
func tombstone(key keypath.Key, ts log.Stamp) log.Envelope {
	return log.Envelope{Key: key, TS: ts, Content: []byte("null"),
		Source: []byte(`"mem: the line of this deletion is lost"`)}
}

// shownTombstones returns the tombstones that the bytes of a damaged line show.
func shownTombstones(raw []byte, pos log.Pos) (list []log.Record) {
	for piece := range pieces(raw) {
		key := log.ShownKey(piece)
		if valid, shown := log.ShownValid(piece); shown && !valid && !key.IsZero() {
			list = append(list,
				log.Record{Envelope: tombstone(key, log.ShownTime(piece)), Pos: pos})
		}
	}
	return list
}

// pieces yields the lines that a damaged one was: where a line break was damaged they are several,
// and each ends with its checksum.
func pieces(raw []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(raw) > 0 {
			end := len(raw)
			if sum := log.SumIn(raw); sum != "" {
				end = bytes.Index(raw, []byte(sum)) + len(sum)
			}
			if !yield(raw[:end]) {
				return
			}
			raw = raw[end:]
		}
	}
}

// buries reports whether a damaged tombstone is later than the newest sound record of its key: by
// its place, or by the time that it shows. Either may be wrong, in a log that was merged or a line
// that is damaged, and a deletion holds where one of them is right.
func buries(tombstone, newest log.Record) bool {
	at, old := tombstone.Pos, newest.Pos
	follows := cmp.Or(cmp.Compare(at.File, old.File), cmp.Compare(at.Off, old.Off)) > 0
	return newest.Valid() && (follows || tombstone.TS > newest.TS)
}

// Buried returns a tombstone in place of each damaged one that deletes a live record, which newest
// returns. The line may show a wrong time, so it gets the next one after that record.
func Buried(damaged []*log.Damage, newest func(keypath.Key) (log.Record, bool, error)) (
	tombstones []log.Record, err error) {
	for _, d := range damaged {
		for _, lost := range shownTombstones(d.Raw, d.Pos) {
			old, known, err := newest(lost.Key)
			if err != nil {
				return nil, err
			}
			if known && buries(lost, old) {
				e := tombstone(lost.Key, old.TS+1)
				tombstones = append(tombstones,
					log.Record{Envelope: e, Line: e.Line(), Pos: d.Pos})
			}
		}
	}
	return tombstones, nil
}

// NewestOf returns a function that returns the newest records of a fold.
func NewestOf(fold state.Fold) func(keypath.Key) (log.Record, bool, error) {
	return func(key keypath.Key) (log.Record, bool, error) {
		rec, known := fold[key]
		return rec, known, nil
	}
}

// Deleted returns a tombstone for each record of a history that its state proves to be deleted. seg
// may be nil.
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
