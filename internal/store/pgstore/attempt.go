package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/overlay"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func (s *Store) newAttempt(ctx context.Context, h head) *attempt {
	a := &attempt{store: s, ctx: ctx, head: h, seen: map[keypath.Key]log.Record{}}
	a.Group = overlay.NewGroup(stored{a}, s.o.Now, h.high)
	return a
}

// lookAtHead begins an attempt at the head that this process knows, or at that of the server.
func (s committer) lookAtHead(ctx context.Context) (*attempt, error) {
	if h, ok := s.known.get(); ok {
		a := s.newAttempt(ctx, h)
		a.remembered = true
		return a, nil
	}
	h, err := s.askHead(ctx)
	if err != nil {
		return nil, err
	}
	return s.newAttempt(ctx, h), nil
}

// stampOr scans a time; log.MinStamp for none.
type stampOr struct{ to *log.Stamp }

// ScanTimestamptz takes a value from the server.
func (s stampOr) ScanTimestamptz(v pgtype.Timestamptz) error {
	if *s.to = log.MinStamp; v.Valid {
		*s.to = log.StampOf(v.Time)
	}
	return nil
}

// putSQL stores envelopes after the head, if that is still the one that the attempt looked at, and
// the configuration too, and with them how far a counter has come; it returns their number.
const putSQL = `WITH put AS (
	INSERT INTO mem.envelopes (space, seq, ts, high, live, key, line)
	SELECT $1, $2 + r.n, r.ts, r.high, r.live, r.key, r.line
	FROM unnest($4::timestamptz[], $5::timestamptz[], $6::bool[], $7::text[], $8::text[])
		WITH ORDINALITY AS r(ts, high, live, key, line, n)
	WHERE (SELECT h.gen = $3 AND h.seq = $2 AND h.high IS NOT DISTINCT FROM $9::timestamptz
		AND h.config = coalesce($13::bigint, h.config)
		FROM (` + headSQL + `) AS h(gen, seq, high, config))
	RETURNING 1
), counted AS (
	INSERT INTO mem.counters (space, name, highest, far)
	SELECT $1, $10::text, $11::bigint, coalesce($12::bigint[], '{}')
	WHERE $10::text <> '' AND EXISTS (SELECT FROM put)
	ON CONFLICT (space, name) DO UPDATE SET highest = excluded.highest, far = excluded.far
) SELECT count(*)::int FROM put`

// answer reads the answer to a commit of one round trip: the head after it, if it was stored.
func (a *attempt) answer(row pgx.Row) (next head, stored bool, err error) {
	if a.blind() {
		return a.blindAnswer(row)
	}
	rows := 0
	err = row.Scan(&rows)
	return a.next(), rows > 0, err
}

// putArgs returns the arguments of putSQL.
func (a *attempt) putArgs() []any {
	counter, highest, far := a.counter()
	return append(a.rowArgs(), a.head.stored(), counter, highest, far, a.config)
}

// rowArgs returns the arguments for the rows and their place.
func (a *attempt) rowArgs() []any {
	r := a.rows()
	return []any{a.store.place.Space, a.head.seq, a.head.gen, r.ts, r.high, r.live, r.keys, r.lines}
}

// size returns how many bytes the lines have, about.
func (a *attempt) size() (n int) {
	for _, e := range a.Batch {
		n += len(e.Content) + len(e.Source)
	}
	return n
}

// columns are rows of mem.envelopes.
type columns struct {
	ts, high    []time.Time
	live        []bool
	keys, lines []string
}

// rows returns the appended envelopes.
func (a *attempt) rows() columns {
	n := len(a.Batch)
	r := columns{make([]time.Time, n), make([]time.Time, n), make([]bool, n), make([]string, n),
		make([]string, n)}
	newest := a.head.high
	for i, e := range a.Batch {
		newest = max(newest, e.TS)
		r.ts[i], r.high[i] = e.TS.Time(), newest.Time()
		r.live[i], r.keys[i], r.lines[i] = e.Valid(), e.Key.String(), string(e.Line())
	}
	return r
}

// counter returns how far the one counter comes with the attempt; "" for none.
func (a *attempt) counter() (name string, highest int64, far []int64) {
	if a.counts == nil {
		return "", 0, nil
	}
	all := a.counts.Clone()
	for _, e := range a.Batch {
		all.AddKey(e.Key)
	}
	name = keypath.Counters()[0]
	highest, far = all.Highest()[name], all.Far(name)
	if highest == a.counts.Highest()[name] && slices.Equal(far, a.counts.Far(name)) {
		return "", 0, nil
	}
	return name, highest, far
}

// counted returns how far the counters have come as of the attempt. What moves them moves the head.
func (a *attempt) counted(ctx context.Context) (keypath.Counts, error) {
	a.looked = true
	if a.counts != nil {
		return *a.counts, nil
	}
	var counts keypath.Counts
	err := a.store.reading(ctx, func() error {
		rows, err := a.pool().Query(ctx,
			"SELECT name, highest, far FROM mem.counters WHERE space = $1", a.store.place.Space)
		if err != nil {
			return err
		}
		highest, far := map[string]int64{}, map[string][]int64{}
		var name string
		var n int64
		var beyond []int64
		_, err = pgx.ForEachRow(rows, []any{&name, &n, &beyond}, func() error {
			highest[name], far[name] = n, beyond
			return nil
		})
		counts = keypath.CountsOf(highest)
		for name, list := range far {
			for _, n := range list {
				counts.Add(name, n)
			}
		}
		return err
	})
	if err == nil {
		a.counts = &counts
	}
	return counts, err
}

// next returns the head after the attempt was committed.
func (a *attempt) next() head {
	return head{a.head.seq + int64(len(a.Batch)), a.Last, a.head.gen}
}

// isStored reports whether the server has what an attempt appended: the first of its lines is
// there. Its lost transaction has ended by now, or will find a later head.
func (s *database) isStored(ctx context.Context, q querier, a *attempt) (bool, error) {
	first, stored := a.Batch[0], false
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM mem.envelopes
		WHERE space = $1 AND key = $2 AND line = $3)`,
		s.place.Space, first.Key.String(), string(first.Line())).Scan(&stored)
	return stored, err
}

// mayBeStored reports whether an error leaves open what became of a commit. The driver's own word
// that nothing was sent (pgconn.SafeToRetry) is not enough: a connection that breaks while the
// answer is awaited is "closed" too.
func mayBeStored(err error, conn *pgx.Conn) bool {
	return !errors.As(err, new(*pgconn.PgError)) || conn.IsClosed()
}

// reportUnknown sets the error of the updates that may or may not be stored.
func (a *attempt) reportUnknown(turns []*backend.Turn, err error) {
	for _, t := range turns {
		var stamps []log.Stamp
		for i, e := range a.Batch {
			if a.of[i] == t {
				stamps = append(stamps, e.TS)
			}
		}
		switch {
		case len(stamps) > 0:
			t.Err = &backend.UnknownError{Stamps: stamps, Err: err}
		case t.Err == nil:
			t.Err = err
		}
	}
}

// errUnsettled is why it stays open what became of a commit.
var errUnsettled = errors.New("the answer was lost, and memories were purged since")

// brokenError is an error of the way to the server: the same call may succeed later.
type brokenError struct{ error }

// Unwrap returns what happened.
func (e brokenError) Unwrap() error { return e.error }

func broken(err error) error {
	if err == nil {
		return nil
	}
	return brokenError{failure(err)}
}

// isBroken reports whether the way to the server broke, or the server is being restarted; or it
// chose the transaction to end a deadlock, as with a migration.
func isBroken(err error) bool {
	var server *pgconn.PgError
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		isFull(err):
		return false
	case errors.As(err, &server):
		return len(server.Code) == 5 && (server.Code[:3] == classOfDisaster ||
			server.Code[:2] == classOfConnection || server.Code == codeDeadlock)
	case errors.As(err, new(brokenError)):
		return true
	}
	return isOfWay(err)
}

// isOfData reports whether the server refused what it was given.
func isOfData(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && len(server.Code) == 5 && server.Code[:2] == classOfData
}

// isOfOne reports whether a commit failed for what one of its updates had, or went by.
func isOfOne(err error) bool { return isOfData(err) || errors.Is(err, backend.ErrConfig) }

// errorOr returns an error, or where there is none another.
func errorOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// lockedError is the error of a wait for other writers; errors.Is(err, log.ErrLocked) holds.
type lockedError struct {
	space string
	wait  time.Duration
}

func (e *lockedError) Error() string {
	return fmt.Sprintf("lock: %s is held by another writer, waited %s", e.space, e.wait)
}

// Is makes every lockedError a log.ErrLocked.
func (e *lockedError) Is(target error) bool { return target == log.ErrLocked }

// An attempt whose updates looked at nothing is blind: what they append is right wherever the space
// has come meanwhile, as long as it is newer than all that is there. It is stored once, though an
// answer may be lost and the same be sent again: then its stamps are not newer any more.

// moment is how long a blind attempt waits for the space before its updates wait each on its own.
const moment = 100 * time.Millisecond

// blindSQL stores envelopes after the head if the first of them is newer, and the configuration is
// that of the attempt, and returns the place of the last, and gen.
const blindSQL = `WITH h AS MATERIALIZED (SELECT h.gen, h.seq FROM (` + headSQL + `)
	AS h(gen, seq, high, config) WHERE (h.high IS NULL OR h.high < $2)
	AND h.config = coalesce($7::bigint, h.config)), put AS (
	INSERT INTO mem.envelopes (space, seq, ts, high, live, key, line)
	SELECT $1, h.seq + r.n, r.ts, r.ts, r.live, r.key, r.line
	FROM h, unnest($3::timestamptz[], $4::bool[], $5::text[], $6::text[])
		WITH ORDINALITY AS r(ts, live, key, line, n)
	RETURNING 1
) SELECT h.seq + (SELECT count(*) FROM put), h.gen FROM h`

// blind reports whether an attempt looked at nothing, and each envelope is newer than those before
// it.
func (a *attempt) blind() bool {
	return !a.looked && len(a.Batch) > 0 && slices.IsSortedFunc(a.Batch,
		func(e, before log.Envelope) int { return cmp.Compare(e.TS, before.TS) })
}

func (a *attempt) blindArgs() []any {
	r := a.rows()
	return []any{a.store.place.Space, r.ts[0], r.ts, r.live, r.keys, r.lines, a.config}
}

// blindAnswer reads the answer to blindSQL: the head that it left, if it was stored.
func (a *attempt) blindAnswer(row pgx.Row) (next head, stored bool, err error) {
	next.high = a.Last
	err = row.Scan(&next.seq, &next.gen)
	if errors.Is(err, pgx.ErrNoRows) {
		return next, false, nil
	}
	return next, err == nil, err
}

// mayComeLater reports whether a blind attempt that was sent may be stored yet.
func (a *attempt) mayComeLater(h head) bool { return a.blind() && a.Batch[0].TS > h.high }

// fence prevents a blind attempt, already sent, from being stored later: it commits the attempt's
// own first stamp as the newest, and blindSQL stores nothing that is not newer than what it finds.
func (l *locked) fence(ctx context.Context, space string, a *attempt) error {
	_, err := l.tx.Exec(ctx, "UPDATE mem.spaces SET high = $2 WHERE name = $1", space,
		a.Batch[0].TS.Time())
	if err == nil {
		err = l.commit(ctx)
	}
	return err
}
