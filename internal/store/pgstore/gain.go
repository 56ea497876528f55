package pgstore

import (
	"errors"
	"fmt"
)

// errForeign is returned where a copy is not one of this space as it is now.
var errForeign = errors.New("not of this space as it is now")

// batchRows is how many envelopes are fetched at once. In gainSQL it is a literal, for a plan that
// knows how few that are.
const batchRows = 10_000

// gainSQL asks for the head and what comes from a seq on, at one moment.
const gainSQL = `SELECT (SELECT id::text FROM mem.store), h.gen, h.seq, h.high, n.seq, n.line
FROM (` + headSQL + `) AS h(gen, seq, high)
LEFT JOIN LATERAL (SELECT seq, line FROM mem.envelopes
	WHERE space = $1 AND seq >= $2 ORDER BY seq LIMIT 10000) n ON true`

// gain returns the view with what the log has gained since, and whether there is more. The error
// wraps errForeign where the view is not one of the space as it is now.
func (f *follower) gain(sh *shared) (next *shared, more bool, err error) {
	var n news
	err = f.store.reading(f.ctx, func() error {
		n, err = f.fetch(max(sh.last.seq, 1))
		return err
	})
	if err == nil {
		err = f.fits(sh, n)
	}
	if err != nil {
		return nil, false, err
	}
	if sh.last.seq > 0 {
		n.rows = n.rows[1:]
	}
	return f.extend(sh, n.head, n.rows), len(n.rows) >= batchRows-1, nil
}

// news is what the server has, from a seq on.
type news struct {
	store string // which database
	head  head
	rows  []row
}

// fits returns why a view is not one of the space as it is now.
func (f *follower) fits(sh *shared, n news) error {
	pos, last := f.copy.pos, sh.last
	switch {
	case f.copy.empty():
		return errForeign
	case pos.Store == n.store && n.head.gen > sh.head.gen:
		return fmt.Errorf("%w: something was purged", errForeign)
	case last.seq > 0 && (pos.Store != n.store || n.head.gen != sh.head.gen ||
		len(n.rows) == 0 || n.rows[0].mark() != last):
		return fmt.Errorf("%w: %w", errForeign, errAhead)
	case pos.Store != n.store, n.head.gen != sh.head.gen,
		last.seq == 0 && len(n.rows) > 0 && n.head.seq > worthBuilding:
		return errForeign
	}
	return nil
}

// errAhead is why a copy is set aside: it has what the server has not.
var errAhead = errors.New("the server has not what the copy has")

// fetch asks for the head and some rows.
func (f *follower) fetch(from int64) (n news, err error) {
	s := f.store
	rows, err := s.spare().Query(f.ctx, gainSQL, s.place.Space, from)
	if err != nil {
		return n, err
	}
	defer rows.Close()
	found, h := false, &n.head
	for rows.Next() {
		var seq *int64
		var line *string
		if err := rows.Scan(&n.store, &h.gen, &h.seq, stampOr{&h.high}, &seq, &line); err != nil {
			return n, err
		}
		if found = true; seq != nil {
			n.rows = append(n.rows, row{*seq, *line})
		}
	}
	if err := rows.Err(); err != nil || found {
		s.known.saw(h.gen)
		return n, err
	}
	return n, s.noSpace()
}
