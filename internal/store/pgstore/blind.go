package pgstore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/log"
)

// An attempt whose updates looked at nothing is blind: what they append is right wherever the space
// has come meanwhile, as long as it is newer than all that is there. It waits for the space like
// everybody else, takes the places after the head that it finds, and costs one round trip however
// many others write.
//
// It is stored once, though an answer may be lost and the same be sent again: after the first time
// its stamps are not newer than all that is there.

// moment is how long a blind attempt waits for the space before its updates wait each on its own.
const moment = 100 * time.Millisecond

// blindSQL stores envelopes after the head if the first of them is newer, and returns the place of
// the last, and gen.
const blindSQL = `WITH h AS MATERIALIZED (SELECT h.gen, h.seq FROM (` + headSQL + `)
	AS h(gen, seq, high) WHERE h.high IS NULL OR h.high < $2), put AS (
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

// blindArgs returns the arguments of blindSQL.
func (a *attempt) blindArgs() []any {
	r := a.rows()
	return []any{a.store.place.Space, r.ts[0], r.ts, r.live, r.keys, r.lines}
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

// mayComeLater reports whether a blind attempt that was sent, and is not stored at this head, may
// be stored yet.
func (a *attempt) mayComeLater(h head) bool { return a.blind() && a.Batch[0].TS > h.high }

// fence keeps a blind attempt that was sent from being stored later: nothing as old is, after this
// is committed.
func (l *locked) fence(ctx context.Context, space string, a *attempt) error {
	_, err := l.tx.Exec(ctx, "UPDATE mem.spaces SET high = $2 WHERE name = $1", space,
		a.Batch[0].TS.Time())
	if err == nil {
		err = l.commit(ctx)
	}
	return err
}
