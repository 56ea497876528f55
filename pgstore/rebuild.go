package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/state"
)

// rebuild makes the copy anew, because the one that is there is not of the space as it is now. What
// the server has not is kept beside it, for a person to look at; after a purge nothing is kept.
func (c *localCopy) rebuild(ctx context.Context, s *Store, why error) (*localCopy, *shared, error) {
	lock, err := c.locker.Acquire(ctx, "follow", s.o.Now(), time.Minute)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process unlocks it, too
	if errors.Is(why, errAhead) && !c.empty() {
		err = c.setAside(s)
	} else {
		err = c.clear()
	}
	if err != nil {
		return nil, nil, err
	}
	h, id, err := s.identity(ctx)
	if err != nil {
		return nil, nil, err
	}
	fresh := &localCopy{dir: c.dir, locker: c.locker,
		pos: position{Store: id, Copy: strings.ToLower(rand.Text()), Gen: h.gen}}
	sh := emptyView()
	sh.head.gen = h.gen
	if h.seq > worthBuilding {
		if sh, err = fresh.build(ctx, s, h); err != nil {
			return nil, nil, err
		}
	} else if err := fresh.startTail(); err != nil {
		return nil, nil, err
	}
	return fresh, sh, fresh.confirm(ctx, s, h)
}

// clear removes the copy. A crash in it leaves a part, of which nothing fits the space as it is.
func (c *localCopy) clear() error {
	entries, err := c.dir.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch {
		case e.Name() == lockName, e.IsDir():
			continue
		}
		if err := disk.IgnoreNotExist(c.dir.Remove(e.Name())); err != nil {
			return err
		}
	}
	return disk.IgnoreNotExist(state.RemoveSidecars(c.dir, ""))
}

// setAside moves the copy away, into a directory beside it. A crash in it leaves a part of it
// there, and the rest is set aside by the next one.
func (c *localCopy) setAside(s *Store) error {
	name := "aside-" + s.o.Now().UTC().Format("20060102T150405.000000Z")
	if err := c.dir.Mkdir(name); err != nil {
		return err
	}
	entries, err := c.dir.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || e.Name() == lockName {
			continue
		}
		if err := c.dir.Rename(e.Name(), name+"/"+e.Name()); err != nil {
			return err
		}
	}
	s.o.Warn(fmt.Sprintf("the server has not all that this machine's copy had: the copy is kept "+
		"in %s", filepath.Join(c.dir.Path(), name)))
	return disk.IgnoreNotExist(state.RemoveSidecars(c.dir, ""))
}

// identity asks which database this is, and for the head.
func (s *database) identity(ctx context.Context) (h head, id string, err error) {
	h, err = s.askHead(ctx)
	if err == nil {
		err = s.reading(ctx, func() error {
			return s.pool.QueryRow(ctx, "SELECT id::text FROM mem.store").Scan(&id)
		})
	}
	return h, id, err
}

// build writes a state of the newest envelope of each key as of a head. The lock is held.
func (c *localCopy) build(ctx context.Context, s *Store, h head) (*shared, error) {
	about, done := 0, 0
	err := s.reading(ctx, func() error {
		return s.pool.QueryRow(ctx, "SELECT count(*) FROM mem.envelopes WHERE space = $1",
			s.place.Space).Scan(&about)
	})
	if err != nil {
		return nil, err
	}
	o := state.DraftOptions{Sidecars: true, Debug: s.o.Debug, Tick: func(n int) {
		if done = n; n%1000 == 0 {
			s.o.Progress("copy of "+s.place.Space, n, about)
		}
	}}
	draft, err := state.WriteSorted(c.dir, sound(s.stream(ctx, allSQL, s.place.Space, h.seq)),
		about, o)
	if err != nil {
		return nil, err
	}
	s.o.Progress("copy of "+s.place.Space, done, done)
	return c.install(ctx, s, draft, h)
}

// sound leaves out lines that cannot be read.
func sound(all iter.Seq2[log.Record, error]) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		for rec, err := range all {
			if !isDamage(err) && !yield(rec, err) {
				return
			}
		}
	}
}

// install puts a state in place that covers the log up to a head, with an empty tail, and opens it.
// The lock is held.
func (c *localCopy) install(ctx context.Context, s *Store, draft *state.Draft, h head) (
	*shared, error) {
	at, err := s.mark(ctx, h.seq)
	if err != nil {
		draft.Discard()
		return nil, err
	}
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

// mark returns what tells the last envelope up to a seq from others.
func (s *database) mark(ctx context.Context, upTo int64) (at last, err error) {
	var r row
	err = s.reading(ctx, func() error {
		return s.pool.QueryRow(ctx, `SELECT seq, line FROM mem.envelopes
			WHERE space = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1`, s.place.Space, upTo).
			Scan(&r.seq, &r.line)
	})
	return r.mark(), err
}

// confirm tells the server that this copy holds nothing that was purged before.
func (c *localCopy) confirm(ctx context.Context, s *Store, h head) error {
	host, _ := os.Hostname()
	return s.reading(ctx, func() error {
		_, err := s.pool.Exec(ctx, `INSERT INTO mem.followers (space, copy, host, gen, seq)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT (space, copy) DO UPDATE
			SET host = excluded.host, gen = excluded.gen, seq = excluded.seq, seen = now()`,
			s.place.Space, c.pos.Copy, host, h.gen, h.seq)
		return err
	})
}

// Compact folds the tail of the copy into its state, if it is long enough or always. It reports
// whether it did. Other processes read on meanwhile.
func (s *Store) Compact(ctx context.Context, ifNeeded bool) (done bool, err error) {
	sh, err := s.follow.current(ctx)
	if err != nil {
		return false, err
	}
	defer sh.release()
	c := s.follow.copied()
	if ifNeeded && c.tailBytes <= tailWorth || sh.last.seq == 0 {
		return false, nil
	}
	lock, err := c.locker.Acquire(ctx, "compact", s.o.Now(), max(s.o.LockWait, 0))
	if err != nil {
		return false, err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process unlocks it, too
	view := sh.view.Fork(func() (state.Fold, error) { return s.whole(ctx, sh.head.seq) })
	defer view.Close()
	draft, err := state.Write(c.dir, view, state.DraftOptions{Sidecars: true, Debug: s.o.Debug})
	if err != nil {
		return false, err
	}
	return true, s.follow.replace(ctx, draft, sh.head)
}

// replace puts a new state of the view in place, unless the copy was made anew meanwhile.
func (f *follower) replace(ctx context.Context, draft *state.Draft, h head) error {
	f.asking.Lock()
	defer f.asking.Unlock()
	if f.copy.pos.Gen != h.gen {
		draft.Discard()
		return nil
	}
	next, err := f.copy.install(ctx, f.store, draft, h)
	if err != nil {
		return err
	}
	return f.catchUp(next.hold())
}

// copied returns the copy as it is now.
func (f *follower) copied() localCopy {
	f.asking.Lock()
	defer f.asking.Unlock()
	return *f.copy
}
