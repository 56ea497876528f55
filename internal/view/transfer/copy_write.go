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

// write copies what the last survey has found.
func (r *copying) write() error {
	b, late := &batch{}, false
	_, err := walk(r.ctx, r.From.Store, func(rec log.Record) error {
		c := r.found.keys[r.found.hash(rec.Key)]
		if late = late || c.late; c.late || !c.wants(rec) {
			return nil
		}
		return r.add(b, rec)
	})
	for late && err == nil {
		late, err = r.addLate(b)
	}
	if err != nil {
		return err
	}
	r.found.copied()
	return r.flush(b)
}

// add copies a version, with the batch that it fills.
func (r *copying) add(b *batch, rec log.Record) error {
	b.versions = append(b.versions, rec.Envelope.Clone())
	if b.bytes += len(rec.Line); len(b.versions) < batchVersions && b.bytes < batchBytes {
		return nil
	}
	return r.flush(b)
}

// flush stores a batch; a dry run only counts it.
func (r *copying) flush(b *batch) error {
	if len(b.versions) == 0 {
		return nil
	}
	if !r.DryRun {
		if err := r.replay(b); err != nil {
			return err
		}
	}
	r.rep.Versions += len(b.versions)
	*b = batch{}
	if r.Progress != nil && !r.DryRun {
		r.Progress("copy", r.rep.Versions, r.found.total)
	}
	return nil
}

// addLate copies some of the keys that are out of order, and reports whether there may be more.
func (r *copying) addLate(b *batch) (more bool, err error) {
	list, err := r.lateVersions()
	for _, rec := range inOrder(list) {
		if err == nil {
			err = r.add(b, rec)
		}
	}
	return len(list) > 0, err
}

// lateVersions returns the new versions of some keys that are out of order, and takes the keys off
// the list. It is nil where there are no more.
func (r *copying) lateVersions() (list []log.Record, err error) {
	bytes, chosen := 0, map[uint64]course{}
	_, err = walk(r.ctx, r.From.Store, func(rec log.Record) error {
		hash := r.found.hash(rec.Key)
		c := r.found.keys[hash]
		if _, again := chosen[hash]; c.late && c.wants(rec) && (again || bytes < lateBytes) {
			chosen[hash] = c
			list = append(list, rec.Clone())
			bytes += len(rec.Line)
		}
		return nil
	})
	for hash, c := range chosen {
		r.found.keys[hash] = course{copied: c.newest, newest: c.newest}
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
