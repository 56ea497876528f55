package pgstore

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// What the server cannot read any more this machine's copy may have: the newest version of each
// key that was live when it was last read.

// damagedRow is a row whose line cannot be read.
type damagedRow struct {
	seq   int64
	raw   []byte
	ts    log.Stamp
	key   string
	found int // which finding tells of it; -1: none does
}

// mend looks in this machine's copy for the lines of damaged rows, and puts them back where that is
// wanted. What could not be put back is not to be taken out of the copy either.
func (c *checker) mend() error {
	if len(c.damaged) == 0 {
		return nil
	}
	snap, err := c.store.snapshot(c.ctx)
	if err != nil {
		return err
	}
	defer snap.Close()
	for _, d := range c.damaged {
		key, err := keypath.Parse(d.key)
		if err != nil {
			continue
		}
		rec, ok, err := snap.Get(c.ctx, key)
		if err != nil {
			return err
		}
		if !ok || rec.TS != d.ts || rec.Unsealed {
			continue
		}
		mended := c.repair && c.putBack(d, rec.Line) == nil
		if c.lost = c.lost || !mended; d.found < 0 {
			continue
		}
		c.found[d.found].Mended = mended
		c.found[d.found].Detail += "; this machine's copy has the line"
	}
	return nil
}

// putBack puts a line in the place of a damaged one. A crash before the commit leaves the damaged
// one, and after it the sound one.
func (c *checker) putBack(d damagedRow, line []byte) error {
	space := c.store.place.Space
	return c.store.excluding(c.ctx, exclusive{
		run: func(t *pgx.Conn, _ head) error {
			var high time.Time
			err := t.QueryRow(c.ctx, `DELETE FROM mem.envelopes
				WHERE space = $1 AND seq = $2 AND line = $3 RETURNING high`, space, d.seq,
				string(d.raw)).Scan(&high)
			if err != nil {
				return err
			}
			_, err = t.Exec(c.ctx, `INSERT INTO mem.envelopes
				(space, seq, ts, high, live, key, line) VALUES ($1, $2, $3, $4, true, $5, $6)`,
				space, d.seq, d.ts.Time(), high, d.key, string(line))
			return err
		},
		isDone: func(ctx context.Context, t *pgx.Conn, _ head) (done bool, err error) {
			err = t.QueryRow(ctx, `SELECT EXISTS (SELECT FROM mem.envelopes
				WHERE space = $1 AND seq = $2 AND line = $3)`, space, d.seq, string(line)).Scan(&done)
			return done, err
		},
	})
}

// sawDamage notes a row whose line cannot be read, and tells of it.
func (c *checker) sawDamage(at backend.Finding, d damagedRow) {
	c.add(at)
	d.raw, d.found = slices.Clone(d.raw), -1
	if c.count[at.Name] <= maxFindings {
		d.found = len(c.found) - 1
	}
	c.damaged = append(c.damaged, d)
}
