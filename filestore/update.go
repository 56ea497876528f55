package filestore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Update runs fn on the healed store, under the lock, together with the updates of other goroutines
// that wait for it. If the lock cannot be taken, all of them get the error.
func (s *Store) Update(ctx context.Context, c backend.Caller, op string,
	fn func(backend.Tx) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t := &turn{ctx: ctx, caller: c, op: op, fn: fn, wake: make(chan bool, 1)}
	lead := s.commits.join(t)
	if !lead {
		var err error
		if lead, err = s.commits.wait(t); !lead && t.panic == nil {
			return err
		}
	}
	if lead {
		s.lead(t)
	}
	if t.panic != nil {
		panic(t.panic)
	}
	return t.err
}

// lead writes for everybody who waits.
func (s *Store) lead(t *turn) {
	const tries = 3 // of a root that is replaced again and again
	var group []*turn
	err := errAborted
	// Also where fn ends this goroutine: the others must not wait for ever.
	defer func() { s.finish(t, group, err) }()
	for try := 0; ; try++ {
		err = s.leadOnce(t, &group)
		if !errors.Is(err, disk.ErrMoved) || try == tries {
			break
		}
	}
}

// finish sets the error that is everybody's in each turn of a group, and passes the lead on.
func (s *Store) finish(t *turn, group []*turn, err error) {
	if len(group) == 0 {
		// A leader that gave up does so alone; the lock is for the others to wait for.
		if t.ctx.Err() != nil {
			group = s.commits.takeFirst()
		} else {
			group = s.commits.take()
		}
	}
	for _, t := range group {
		if t.err == nil {
			t.err = err
		}
	}
	s.commits.pass(group)
}

// leadOnce takes the lock and runs the group: all that wait by then, or the group of an earlier
// try, whose root was replaced.
func (s *Store) leadOnce(t *turn, group *[]*turn) (err error) {
	r, err := rootOrNew(s)
	if err != nil {
		return err
	}
	unlock, err := takeLock(t.ctx, s, r, t.op)
	if err != nil {
		return err
	}
	var before, after int64
	defer func() {
		if unlocked := unlock(); err == nil {
			err = unlocked
		}
		if s.o.Grown != nil && after > 0 {
			s.o.Grown(before, after)
		}
	}()
	wr, err := filesOf(s, r).OpenWriter(s.o.Now())
	if err != nil {
		return err
	}
	defer wr.Close()
	defer func() { wr.Tell(s.o.Warn) }()
	if wr.Fresh() {
		if _, err := s.Create(); err != nil {
			return err
		}
	}
	if *group == nil {
		*group = s.commits.take()
	}
	before = wr.Log.Size()
	err = s.runGroup(wr, r, *group)
	after = wr.Log.Size()
	return err
}

// runGroup runs each update in the order in which they came, and stores what they wrote with one
// append. An update that fails does not affect the others. An error means that nothing was stored;
// after disk.ErrMoved the group is to be run again.
func (s *Store) runGroup(wr *Writer, r *root, group []*turn) error {
	g := &groupTx{store: s, wr: wr, root: r, newest: wr.Watermark().MaxTS}
	var stored []*turn
	for _, t := range group {
		tx := &tx{group: g, caller: t.caller}
		if t.run(tx); t.err == nil && len(tx.batch) > 0 {
			g.take(tx)
			stored = append(stored, t)
		}
	}
	if len(g.batch) == 0 {
		return nil
	}
	if now, err := os.Stat(s.abs); err != nil && !isNotExist(err) {
		return err
	} else if err != nil || !os.SameFile(now, r.info) {
		return fmt.Errorf("%s: %w", s.path, disk.ErrMoved)
	}
	err := wr.Append(g.batch)
	if err != nil && !errors.Is(err, backend.ErrStored) {
		stored = group // a comparison may have failed because of what is not stored now
	} else {
		s.counts.stored(g)
	}
	for _, t := range stored {
		t.err = err
	}
	return nil
}

// groupTx is what the updates of a group have in common.
type groupTx struct {
	store  *Store
	wr     *Writer
	root   *root
	newest log.Stamp
	batch  []log.Envelope
	writes overlay

	numbers keypath.Counts
}

// take adds what an update wrote to the group.
func (g *groupTx) take(t *tx) {
	g.batch = append(g.batch, t.batch...)
	g.newest = t.newest()
	for _, rec := range t.writes {
		g.writes.put(rec.Envelope)
	}
	g.numbers.Merge(t.numbers)
}
