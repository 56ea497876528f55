package filestore

import (
	"bytes"
	"iter"
	"slices"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A damaged line never takes away a sound record that may be newer (doc.go, A read). After a sync
// or a merge its place proves nothing alone, nor does the time that it shows.

// ShownTombstones returns the tombstones that the bytes of a damaged line show.
func ShownTombstones(raw []byte, pos log.Pos) (list []log.Record) {
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

// burial decides which damaged tombstones delete a live record.
type burial struct {
	Files
	state  *witness
	opened bool
}

// Buried returns a tombstone in place of each damaged one that deletes a live record, which newest
// returns. One that shows a later time than that record may show a wrong one, so it gets the next
// time after the record.
func (s Files) Buried(damaged []*log.Damage, newest func(keypath.Key) (log.Record, bool, error)) (
	tombstones []log.Record, err error) {
	b := &burial{Files: s}
	defer func() { b.state.Close() }()
	for _, d := range damaged {
		for _, lost := range ShownTombstones(d.Raw, d.Pos) {
			old, known, err := newest(lost.Key)
			if err != nil {
				return nil, err
			}
			if !known || !old.Valid() {
				continue
			}
			e, deletes, err := b.over(d, lost, old)
			if err != nil {
				return nil, err
			}
			if deletes {
				tombstones = append(tombstones,
					log.Record{Envelope: e, Line: e.Line(), Pos: d.Pos})
			}
		}
	}
	return tombstones, nil
}

// over returns the tombstone that deletes a live record in place of a damaged one.
func (b *burial) over(d *log.Damage, lost, old log.Record) (e log.Envelope, ok bool, err error) {
	if mended := log.Mend(d.Raw); mended != nil {
		i := slices.IndexFunc(mended,
			func(e log.Envelope) bool { return e.Key == lost.Key && !e.Valid() })
		if i < 0 {
			return e, false, nil
		}
		e = mended[i]
		return e, log.RecordOf(e).Wins(old), nil
	}
	if lost.TS > old.TS {
		ok, err = b.follows(lost, old)
	}
	return tombstone(lost.Key, old.TS+1), ok, err
}

// follows reports whether a damaged tombstone stands behind a live record, and no sound copy of
// that says otherwise: index/ would not have it, nor a state that was made from both.
func (b *burial) follows(lost, old log.Record) (bool, error) {
	if old.Pos.File == index.DirName || old.Pos.File != state.FileName &&
		lost.Pos.Compare(old.Pos) <= 0 {
		return false, nil
	}
	if err := b.open(); err != nil || b.state == nil {
		return old.Pos.File != state.FileName, err // of what only the state has no place is known
	}
	if !b.state.covers(lost.Pos) {
		return true, nil
	}
	_, held, _, err := b.state.file.Get(old.Key)
	return !held, err
}

// open opens the state, where git has not replaced the history.
func (b *burial) open() error {
	if b.opened || b.Shared {
		return nil
	}
	b.opened = true
	seg, err := log.OpenSegment(b.Dir)
	if disk.IgnoreNotExist(err) != nil {
		return err
	}
	if seg != nil {
		defer seg.Close()
	}
	b.state, err = openWitness(b.Dir, seg)
	return err
}

// NewestOf returns a function that returns the newest records of a fold.
func NewestOf(fold state.Fold) func(keypath.Key) (log.Record, bool, error) {
	return func(key keypath.Key) (log.Record, bool, error) {
		rec, known := fold[key]
		return rec, known, nil
	}
}
