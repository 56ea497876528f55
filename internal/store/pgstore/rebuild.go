package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// rebuild makes the copy anew. What the server has not is kept beside it, for a person to look at;
// after a purge nothing is kept. A copy that another process has just made is used.
func (c *localCopy) rebuild(ctx context.Context, s *Store, why error) (*localCopy, *shared, error) {
	lock, err := c.locker.Acquire(ctx, "follow", s.o.Now(), time.Minute)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process unlocks it, too
	there, sh := c.reopen(s)
	if !there.empty() && there.pos.Copy != c.pos.Copy {
		return there, sh, nil
	}
	sh.hold().release()
	if errors.Is(why, errAhead) && !c.empty() {
		err = c.setAside(s)
	} else {
		err = c.clear(s)
	}
	if err != nil {
		return nil, nil, err
	}
	var n news
	err = s.reading(ctx, func() error {
		n, err = s.follow.fetch(maxSeq)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	h := n.head
	fresh := &localCopy{dir: c.dir, locker: c.locker, space: c.space, pos: position{Store: n.store,
		Space: c.space, Copy: strings.ToLower(rand.Text()), Gen: h.gen}}
	// Before there is anything in it: a purge has to know of each copy.
	if err := fresh.confirm(ctx, s, h, c.pos.Copy); err != nil {
		return nil, nil, err
	}
	sh, err = fresh.fill(ctx, s, h)
	return fresh, sh, err
}

// fill writes what an empty copy begins with. The lock is held.
func (c *localCopy) fill(ctx context.Context, s *Store, h head) (*shared, error) {
	var at last
	if h.seq > worthBuilding {
		var err error
		if at, err = s.mark(ctx, h.seq); err != nil {
			return nil, err
		}
	}
	if at.seq > 0 { // else it is little, or all of it was purged
		return c.build(ctx, s, h, at)
	}
	sh := emptyView()
	sh.head.gen, sh.of = h.gen, c.pos.Copy
	return sh, c.startTail()
}

// clear removes the copy. A crash in it leaves a part, of which nothing fits the space as it is.
// Only a person removes copies that were set aside.
func (c *localCopy) clear(s *Store) error {
	entries, err := c.dir.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), asidePrefix) {
			s.o.Warn(c.dir.Join(e.Name()) + " may hold memories that were purged since: remove it")
		}
		if e.IsDir() || isBeside(e.Name()) {
			continue
		}
		if err := disk.IgnoreNotExist(c.dir.Remove(e.Name())); err != nil {
			return err
		}
	}
	return disk.IgnoreNotExist(state.RemoveSidecars(c.dir))
}

// isBeside reports whether a file belongs to no copy.
func isBeside(name string) bool {
	return name == lockName || strings.HasPrefix(name, journalPrefix)
}

// asidePrefix begins the names of the directories of copies that were set aside.
const asidePrefix = "aside-"

// newAside makes the directory for a copy that is set aside now.
func newAside(dir *disk.Dir, now time.Time) (name string, err error) {
	for n := 1; ; n++ {
		name = asidePrefix + now.UTC().Format("20060102T150405.000000Z")
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		if _, err := dir.Lstat(name); err == nil {
			continue
		}
		return name, dir.Mkdir(name)
	}
}

// setAside moves the copy away, into a directory beside it. A crash in it leaves a part of it
// there, and the rest is set aside by the next one.
func (c *localCopy) setAside(s *Store) error {
	name, err := newAside(c.dir, s.o.Now())
	if err != nil {
		return err
	}
	entries, err := c.dir.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || isBeside(e.Name()) {
			continue
		}
		if err := c.dir.Rename(e.Name(), name+"/"+e.Name()); err != nil {
			return err
		}
	}
	path := filepath.Join(c.dir.Path(), name)
	s.o.Warn("the server lacks writes of this machine's copy: the copy is kept in " + path + "; " +
		s.returns(path))
	return disk.IgnoreNotExist(state.RemoveSidecars(c.dir))
}

// returns names the command that stores what a copy has and the server lost.
func (s *database) returns(dir string) string {
	return advice.RunAlone("copy", dir, s.place.shown).Then(" stores what is missing").String()
}

// Identity returns the id of the database with its name, which a clone has not, and the space.
func (s *database) Identity(ctx context.Context) (id string, err error) {
	const sql = "SELECT concat_ws(' ', id, current_database()) FROM mem.store"
	err = s.reading(ctx, func() error { return s.spare().QueryRow(ctx, sql).Scan(&id) })
	return id + " " + s.place.Space, err
}

// build writes a state of the newest envelope of each key as of a head, whose last envelope is at.
// The lock is held.
func (c *localCopy) build(ctx context.Context, s *Store, h head, at last) (*shared, error) {
	about, done := 0, 0
	err := s.reading(ctx, func() error {
		return s.spare().QueryRow(ctx, "SELECT count(*) FROM mem.envelopes WHERE space = $1",
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
	all := sound(allFrom(ctx, s.database, h.seq))
	draft, err := state.WriteSorted(c.dir, all, about, o)
	if err != nil {
		return nil, err
	}
	s.o.Progress("copy of "+s.place.Space, done, done)
	return c.install(s, draft, h, at)
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

// mark returns the identity of the last envelope up to a seq; the zero last for none.
func (s *database) mark(ctx context.Context, upTo int64) (at last, err error) {
	var r row
	err = s.reading(ctx, func() error {
		return s.spare().QueryRow(ctx, `SELECT seq, line FROM mem.envelopes
			WHERE space = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1`, s.place.Space, upTo).
			Scan(&r.seq, &r.line)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return last{}, nil
	}
	return r.mark(), err
}

// oldSQL is the followers that are dropped: their machines make a first copy when they come back.
const oldSQL = "DELETE FROM mem.followers WHERE space = $1 AND copy <> $2" +
	" AND (seen < now() - interval '30 days' OR copy = $3)"

// confirm records that this copy holds no purged record, and removes the one before.
func (c *localCopy) confirm(ctx context.Context, s *Store, h head, old string) error {
	host, _ := os.Hostname()
	return s.reading(ctx, func() error {
		_, err := s.spare().Exec(ctx, "WITH old AS ("+oldSQL+`)
			INSERT INTO mem.followers (space, copy, host, gen, seq)
			VALUES ($1, $2, $4, $5, $6) ON CONFLICT (space, copy) DO UPDATE
			SET host = excluded.host, gen = excluded.gen, seq = excluded.seq, seen = now()`,
			s.place.Space, c.pos.Copy, old, host, h.gen, h.seq)
		if isCode(err, codeReadOnly) { // a standby records nothing
			s.o.Debug("this copy is not among the followers: " + failure(err).Error())
			return nil
		}
		return err
	})
}

// seenEvery is how often a copy that is in use says so to the server.
const seenEvery = time.Hour

// stay notes among the followers that this copy is in use, unless it did so lately. The error wraps
// errForeign where the server has dropped it: a purge since would not have named it.
func (f *follower) stay(sh *shared) error {
	s, c, now := f.store, f.copy, log.StampOf(f.store.o.Clock())
	if f.noted.Copy != c.pos.Copy {
		if f.noted, _ = syncedAt(c, sh); f.noted.Copy != c.pos.Copy {
			f.noted = synced{Copy: c.pos.Copy}
		}
	}
	if now.Time().Sub(f.noted.Seen.Time()).Abs() < seenEvery {
		return nil
	}
	f.noted.Seen = now
	tag, err := s.spare().Exec(f.ctx, "WITH old AS ("+oldSQL+`)
		UPDATE mem.followers SET seen = now(), seq = $4 WHERE space = $1 AND copy = $2`,
		s.place.Space, c.pos.Copy, "", sh.last.seq)
	switch {
	case err != nil: // a standby records nothing; what else it is shows elsewhere
		s.o.Debug("this copy is not among the followers: " + failure(err).Error())
	case tag.RowsAffected() == 0:
		return fmt.Errorf("%w: it was dropped", errForeign)
	}
	return nil
}

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
