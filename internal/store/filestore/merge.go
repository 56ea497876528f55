package filestore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var _ backend.Merger = (*Store)(nil)

// Merge appends lines that another copy of the store has. Where one does not win against all that
// its key ever had, everything is folded: the state no longer has the tombstones.
func (s *Store) Merge(ctx context.Context, c backend.Caller, op string, keys []keypath.Key,
	choose func(map[keypath.Key]log.Record) []log.Envelope) error {
	r, err := rootOrNew(s)
	if err != nil {
		return err
	}
	lock := func() (func() error, error) { return takeLock(ctx, s, r, op) }
	return filesOf(s, r).Locked(lock, s.o.Now(), s.o.Warn, func(wr *Writer) error {
		if wr.fresh() {
			if _, err := s.Create(); err != nil {
				return err
			}
		}
		newest, err := s.many.newest(wr, keys, true)
		if err != nil {
			return err
		}
		lines, winning, err := s.sorted(wr, choose(newest))
		switch {
		case err != nil || len(lines) == 0:
			return err
		case winning:
			return wr.Append(lines)
		}
		// A crash within leaves no line, or lines behind the watermark that are older than it: the
		// next writer folds everything.
		if err := AppendAgain(wr.Log, lines); err != nil {
			return err
		}
		return disk.Ignore(wr.rebuild(), backend.ErrStored)
	})
}

// sorted returns lines in the order of their times, without the newest that their keys have
// already, and whether each wins against what its key has had.
func (s *Store) sorted(wr *Writer, lines []log.Envelope) (
	list []log.Envelope, winning bool, err error) {
	records := make([]log.Record, len(lines))
	keys := make([]keypath.Key, len(lines))
	for i, e := range lines {
		records[i], keys[i] = log.RecordOf(e), e.Key
	}
	slices.SortFunc(records, func(a, b log.Record) int { return log.NewestFirst(b, a) })
	newest, err := s.many.newest(wr, keys, true)
	if err != nil {
		return nil, false, err
	}
	winning = wr.behind == nil
	for _, rec := range records {
		old, known := newest[rec.Key]
		switch {
		case known && string(old.Line) == string(rec.Line):
			continue
		case known && !rec.Wins(old):
			winning = false
		default:
			newest[rec.Key] = rec
		}
		list = append(list, rec.Envelope)
	}
	return list, winning, nil
}

// EraseMarked purges what the marks of purges take. A mark that came with lines of another copy
// says what that copy has purged.
func (s *Store) EraseMarked(ctx context.Context, op string, marks []log.Envelope) (
	backend.Proof, error) {
	return s.erasing(ctx, op, func(wr *Writer) (backend.Proof, error) {
		return eraseMarked(wr, marks...)
	})
}

// eraseMarked purges what marks take, which are in the log.
func eraseMarked(wr *Writer, marks ...log.Envelope) (proof backend.Proof, err error) {
	x := newEraser(wr, purge.MarkedBy(marks...))
	if err := cmp.Or(wr.purgeLeft, wr.behind); err != nil {
		return proof, err
	}
	if err := cmp.Or(x.readmitLost(), x.collect()); err != nil {
		return proof, err
	}
	// Of a version that was damaged here quarantine/ may have the only trace.
	if found, err := (sweeper{x}).hasTraces(); x.versions == 0 && !found || err != nil {
		return proof, err
	}
	x.plan.Anew = slices.ContainsFunc(marks, func(mark log.Envelope) bool {
		return x.last[mark.Key] > mark.TS
	})
	if err := x.writePlan(); err != nil {
		return proof, err
	}
	return newEraser(wr, x.plan).run()
}

// PurgeAgain purges the versions of a key that the mark of its purge takes: they are back. The lock
// is held. The error wraps log.ErrLocked while a compaction runs.
func PurgeAgain(wr *Writer, mark log.Envelope) error {
	only, err := state.LockCompaction(context.Background(), wr.Dir,
		func() time.Time { return wr.now }, 0)
	if err != nil {
		return err
	}
	defer only.Release()
	_, err = eraseMarked(wr, mark)
	return err
}
