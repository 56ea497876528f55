package pgstore

import (
	"context"
	"errors"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// Compact folds the tail of the copy into its state, if it is long enough or always. Other
// processes read on meanwhile.
func (s *Store) Compact(ctx context.Context, _ backend.Caller, o backend.CompactOptions) (
	backend.CompactReport, error) {
	rep := backend.CompactReport{Copy: true}
	if o.DryRun {
		rep.Why = "a dry run looks at no copy"
		return rep, nil
	}
	release, err := s.excludeCompactions(ctx, o.IfNeeded)
	if o.IfNeeded && errors.Is(err, log.ErrLocked) {
		rep.Why = "another compaction is running"
		return rep, nil
	}
	if err != nil {
		return rep, err
	}
	defer release()
	sh, err := s.follow.current(ctx)
	if err != nil {
		return rep, err
	}
	defer sh.release()
	rep.Done, err = s.compact(ctx, sh, o.IfNeeded)
	if err == nil && !rep.Done {
		rep.Why = "this machine's copy has all it needs"
	}
	return rep, err
}

// excludeCompactions takes the right to compact the copy, as for a store of files. With tryOnly it
// does not wait. While it is held, nothing that the copy gains makes another compaction due.
func (s *Store) excludeCompactions(ctx context.Context, tryOnly bool) (release func(), err error) {
	wait := max(s.o.LockWait, 0)
	if tryOnly {
		wait = 0
	}
	dir, err := s.dir()
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	c, err := state.LockCompaction(ctx, dir, s.o.Clock, wait)
	if err != nil {
		return nil, err
	}
	return func() { _ = c.Release() }, nil // the end of the process releases it, too
}

// compact is Compact for a view, which may be an old one by now. Reads of this process wait
// meanwhile; those of others do not.
func (s *Store) compact(ctx context.Context, sh *shared, ifNeeded bool) (done bool, err error) {
	f := &s.follow
	f.asking.Lock()
	defer f.asking.Unlock()
	c := f.copy
	if c == nil || c.pos.Copy != sh.of || sh.last.seq == 0 || ifNeeded && c.tailBytes <= tailWorth {
		return false, nil
	}
	next, err := c.fold(ctx, s, sh)
	if err != nil || next == nil {
		c.stale = true
		return false, err
	}
	return true, f.catchUp(next.hold())
}

// fold replaces the state by one of a view. A purge that another process follows waits for it, so
// that nothing is written after it that was purged. It returns nil if another process was here.
func (c *localCopy) fold(ctx context.Context, s *Store, sh *shared) (*shared, error) {
	lock, err := c.locker.Acquire(ctx, "compact", s.o.Now(), max(s.o.LockWait, 0))
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process unlocks it, too
	if !c.isBelow(sh) {
		return nil, nil
	}
	view := sh.view.Fork(func() (state.Fold, error) { return s.whole(ctx, sh.head.seq) })
	defer view.Close()
	draft, err := state.Write(c.dir, view, state.DraftOptions{Sidecars: true, Debug: s.o.Debug})
	if err != nil {
		return nil, err
	}
	return c.install(s, draft, sh.head, sh.last)
}

// isBelow reports whether the copy on the disk is older than a view, and the same copy.
func (c *localCopy) isBelow(sh *shared) bool {
	there := c.held()
	return there.Copy == sh.of && there.Gen == sh.head.gen && there.Seq <= sh.last.seq
}

// install puts a state in place that covers the log up to an envelope, with an empty tail, and
// opens it. The lock is held.
func (c *localCopy) install(s *Store, draft *state.Draft, h head, at last) (*shared, error) {
	old := c.pos.Seq
	pos := c.pos
	pos.Gen, pos.Seq, pos.Sum = h.gen, at.seq, at.sum
	draft.Position, draft.MaxTS = pos.members(), h.high
	// A crash in this leaves the old state with its tail, or the new one without.
	if err := draft.Install(log.StampOf(s.o.Now())); err != nil {
		draft.Discard()
		return nil, err
	}
	c.pos, c.after, c.unsaved, c.unsavedSize = pos, pos.Seq, nil, 0
	if err := c.startTail(); err != nil {
		return nil, err
	}
	if old != pos.Seq {
		// A crash before this leaves the tail of a state that is gone, for the next one to remove.
		_ = c.dir.Remove(tailName(old))
	}
	sh, err := c.load()
	if err == nil {
		sh.head = h
	}
	return sh, err
}
