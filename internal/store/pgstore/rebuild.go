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
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// rebuild makes the copy anew, because the one that is there is not of the space as it is now. What
// the server has not is kept beside it, for a person to look at; after a purge nothing is kept.
// Where another process has just done it, that copy is used.
func (c *localCopy) rebuild(ctx context.Context, s *Store, why error) (*localCopy, *shared, error) {
	lock, err := c.locker.Acquire(ctx, "follow", s.o.Now(), time.Minute)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process unlocks it, too
	there, sh := c.again(s)
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
	h, id, err := s.identity(ctx)
	if err != nil {
		return nil, nil, err
	}
	fresh := &localCopy{dir: c.dir, locker: c.locker, space: c.space, pos: position{Store: id,
		Space: c.space, Copy: strings.ToLower(rand.Text()), Gen: h.gen}}
	// Before there is anything in it: a purge has to know who has a copy.
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
// What was set aside is a person's to remove.
func (c *localCopy) clear(s *Store) error {
	entries, err := c.dir.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), asidePrefix) {
			s.o.Warn(c.dir.Join(e.Name()) + " may hold what was purged since: remove it")
		}
		if e.IsDir() || e.Name() == lockName {
			continue
		}
		if err := disk.IgnoreNotExist(c.dir.Remove(e.Name())); err != nil {
			return err
		}
	}
	return disk.IgnoreNotExist(state.RemoveSidecars(c.dir))
}

// asidePrefix begins the names of the directories of what was set aside.
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
		if e.IsDir() || e.Name() == lockName {
			continue
		}
		if err := c.dir.Rename(e.Name(), name+"/"+e.Name()); err != nil {
			return err
		}
	}
	s.o.Warn(fmt.Sprintf("the server has not all that this machine's copy had: the copy is kept "+
		"in %s", filepath.Join(c.dir.Path(), name)))
	return disk.IgnoreNotExist(state.RemoveSidecars(c.dir))
}

// identity asks which database this is, and for the head.
func (s *database) identity(ctx context.Context) (h head, id string, err error) {
	h, err = s.askHead(ctx)
	if err == nil {
		err = s.reading(ctx, func() error {
			return s.spare().QueryRow(ctx, "SELECT id::text FROM mem.store").Scan(&id)
		})
	}
	return h, id, err
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
	all := streamFrom(ctx, s.spare(), allSQL, s.place.Space, h.seq)
	draft, err := state.WriteSorted(c.dir, sound(all), about, o)
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

// mark returns what tells the last envelope up to a seq from others; the zero last for none.
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

// confirm tells the server that this copy holds nothing that was purged before, and that there is
// none any more of which it has taken the place.
func (c *localCopy) confirm(ctx context.Context, s *Store, h head, old string) error {
	host, _ := os.Hostname()
	return s.reading(ctx, func() error {
		_, err := s.spare().Exec(ctx, `WITH gone AS (
				DELETE FROM mem.followers WHERE space = $1 AND copy = $6)
			INSERT INTO mem.followers (space, copy, host, gen, seq)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT (space, copy) DO UPDATE
			SET host = excluded.host, gen = excluded.gen, seq = excluded.seq, seen = now()`,
			s.place.Space, c.pos.Copy, host, h.gen, h.seq, old)
		if isCode(err, codeReadOnly) { // a standby, which the URL wants: nobody can be told there
			s.o.Debug("this copy is not among the followers: " + failure(err).Error())
			return nil
		}
		return err
	})
}
