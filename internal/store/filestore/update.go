package filestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/overlay"
	"github.com/set-memory/mem/internal/store/state"
)

// Update runs fn on the healed store, under the lock, together with the updates of other goroutines
// that wait for it. If the lock cannot be taken, all of them get the error.
func (s *Store) Update(ctx context.Context, c backend.Caller, op string,
	fn func(backend.Tx) error) error {
	return s.commits.Run(ctx, c, op, fn, s.lead)
}

// lead writes for all waiting callers.
func (s *Store) lead(t *backend.Turn) {
	const tries = 3 // of a root that is replaced again and again
	var taken []*backend.Turn
	err := backend.ErrAborted
	// Also where fn ends this goroutine: the others must not wait for ever.
	defer func() { s.commits.Finish(t, taken, err) }()
	for try := 0; ; try++ {
		err = s.leadOnce(t, &taken)
		if !errors.Is(err, disk.ErrMoved) || try == tries {
			break
		}
	}
}

// leadOnce takes the lock and runs the group: all that wait by then, or the group of an earlier
// try, whose root was replaced.
func (s *Store) leadOnce(t *backend.Turn, taken *[]*backend.Turn) (err error) {
	r, err := rootOrNew(s)
	if err != nil {
		return err
	}
	unlock, err := takeLock(t.Ctx, s, r, t.Op)
	if err != nil {
		return err
	}
	var before, after int64
	defer func() {
		disk.Finish(&err, unlock)
		if s.o.Grown != nil && after > 0 {
			s.o.Grown(before, after)
		}
	}()
	wr, err := filesOf(s, r).OpenWriter(s.o.Now())
	if err != nil {
		return err
	}
	defer wr.Close()
	defer func() { wr.ReportTo(s.o.Warn) }()
	if wr.fresh() { // a crash may have left the root without its README
		if _, err := s.Create(); err != nil {
			return err
		}
	}
	if *taken == nil {
		*taken = s.commits.Take()
	}
	before = wr.Log.Size()
	err = s.runGroup(wr, r, *taken)
	after = wr.Log.Size()
	return err
}

// runGroup runs each update in the order in which they came, and stores what they wrote with one
// append. An update that fails does not affect the others. An error means that nothing was stored;
// after disk.ErrMoved the group is to be run again.
func (s *Store) runGroup(wr *Writer, r *root, taken []*backend.Turn) error {
	g := overlay.NewGroup(stored{s, wr}, s.o.Now, wr.Watermark().MaxTS)
	var wrote []*backend.Turn
	for _, t := range taken {
		tx := g.Begin(t.Ctx, t.Caller)
		if t.Do(tx); t.Err == nil && g.Take(tx) {
			wrote = append(wrote, t)
		}
	}
	if len(g.Batch) == 0 {
		return nil
	}
	if now, err := os.Stat(s.abs); err != nil && !disk.IsNotExist(err) {
		return err
	} else if err != nil || !os.SameFile(now, r.info) {
		return fmt.Errorf("%s: %w", s.path, disk.ErrMoved)
	}
	err := wr.Append(g.Batch)
	if err != nil && !errors.Is(err, backend.ErrStored) {
		wrote = taken // a comparison may have failed because of a record that is not stored now
	} else {
		s.counts.add(g.Numbers)
	}
	for _, t := range wrote {
		t.Err = err
	}
	return nil
}

// Erase removes every version of some keys, with all copies and traces.
func (s *Store) Erase(ctx context.Context, _ backend.Caller, e backend.Erasure) (
	backend.Proof, error) {
	return s.erasing(ctx, "purge", func(wr *Writer) (backend.Proof, error) {
		if err := cmp.Or(wr.purgeLeft, wr.behind); err != nil {
			return backend.Proof{}, err
		}
		return newEraser(wr, e.Plan()).begin(e.Reason)
	})
}

// erasing runs fn under the store's lock from start to end, and that of compactions, whose drafts
// would have copies. Without a store nothing happens.
func (s *Store) erasing(ctx context.Context, op string,
	fn func(*Writer) (backend.Proof, error)) (proof backend.Proof, err error) {
	r, err := s.root()
	if r == nil || err != nil {
		return proof, err
	}
	only, err := state.LockCompaction(ctx, r.Dir, s.o.Now, s.o.LockWait)
	if err != nil {
		return proof, err
	}
	defer only.Release()
	lock := func() (func() error, error) { return takeLock(ctx, s, r, op) }
	err = filesOf(s, r).Locked(lock, s.o.Now(), s.o.Warn, func(wr *Writer) error {
		proof, err = fn(wr)
		return err
	})
	return proof, err
}
