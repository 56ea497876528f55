package transfer

import (
	"slices"

	"github.com/set-memory/mem/log"
)

// A batch is one update of the target, with one sync; one batch is in memory at a time.
var (
	batchVersions = 10_000
	batchBytes    = 4 << 20
	// lateBytes is how much of the keys that are out of order is sorted at once.
	lateBytes = 16 << 20
)

// batch holds the versions that the next update stores.
type batch struct {
	versions []log.Envelope
	bytes    int
}

// write copies what the last scan has found.
func (r *copying) write() error {
	if r.known.wanted == 0 {
		return nil
	}
	b, late := &batch{}, false
	_, err := walk(r.ctx, r.From.Store, func(rec log.Record) error {
		d := digestOf(rec)
		if !r.known.wants(d) {
			return nil
		}
		if r.known.keys[r.known.hash(rec.Key)].late {
			late = true
			return nil
		}
		return r.add(b, rec, d)
	})
	if err == nil {
		err = r.flush(b)
	}
	if err != nil || !late {
		return err
	}
	return r.writeLate()
}

// add copies a version, with the batch that it fills.
func (r *copying) add(b *batch, rec log.Record, d digest) error {
	r.known.arrived(d) // or the run is over; its line may come once more
	b.versions = append(b.versions, rec.Envelope.Clone())
	if b.bytes += len(rec.Line); len(b.versions) < batchVersions && b.bytes < batchBytes {
		return nil
	}
	return r.flush(b)
}

// flush stores a batch.
func (r *copying) flush(b *batch) error {
	if len(b.versions) == 0 {
		return nil
	}
	if err := r.replay(b); err != nil {
		return err
	}
	r.rep.Versions += len(b.versions)
	*b = batch{}
	if r.Progress != nil {
		r.Progress("copy", r.rep.Versions, r.known.met-r.rep.Known)
	}
	return nil
}

// writeLate copies the keys whose versions are out of order, some at a time. A purge of the source
// may leave nothing of them.
func (r *copying) writeLate() error {
	for {
		list, err := r.lateVersions()
		if err != nil || len(list) == 0 {
			return err
		}
		b := &batch{}
		for _, rec := range inOrder(list) {
			if d := digestOf(rec); r.known.wants(d) {
				if err := r.add(b, rec, d); err != nil {
					return err
				}
			}
		}
		if err := r.flush(b); err != nil {
			return err
		}
	}
}

// lateVersions returns all versions of some keys that are out of order, and takes them off the
// list. It is nil where there are no more.
func (r *copying) lateVersions() (list []log.Record, err error) {
	bytes, chosen := 0, map[uint64]bool{}
	_, err = walk(r.ctx, r.From.Store, func(rec log.Record) error {
		hash := r.known.hash(rec.Key)
		key := r.known.keys[hash]
		at, known := r.known.versions[digestOf(rec)]
		switch {
		case !key.late || !key.wanted || !known || at.scan != r.known.scan:
		case chosen[hash] || bytes < lateBytes:
			chosen[hash] = true
			list = append(list, rec.Clone())
			bytes += len(rec.Line)
		}
		return nil
	})
	for hash := range chosen {
		delete(r.known.keys, hash)
	}
	return list, err
}

// inOrder returns versions in an order in which each wins against those of its key before it, and
// wins as it did in the source: where a line without a checksum would win, once it has one, against
// a line of the same time that had one, it is left out. So is what comes twice.
func inOrder(list []log.Record) (sorted []log.Record) {
	slices.SortFunc(list, log.NewestFirst)
	after := map[string]log.Record{}
	for _, rec := range list {
		rec.Unsealed = false
		if newer, ok := after[rec.Key.String()]; ok && !newer.Wins(rec) {
			continue
		}
		after[rec.Key.String()] = rec
		sorted = append(sorted, rec)
	}
	slices.Reverse(sorted)
	return sorted
}
