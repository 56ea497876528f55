package pgstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/log"
)

// Erase removes every version of some keys, with their blobs, in one transaction, and then their
// lines from this machine's journals. The package comment has the rest.
func (s *Store) Erase(ctx context.Context, c backend.Caller, e backend.Erasure) (
	proof backend.Proof, err error) {
	x := &eraser{store: s, caller: c, erasure: e}
	err = s.excluding(ctx, exclusive{
		run:    func(t *pgx.Conn, h head) error { return x.run(ctx, t, h) },
		isDone: x.isDone,
	})
	if err != nil {
		return backend.Proof{}, err
	}
	if x.proof.Versions == 0 {
		return x.proof, nil
	}
	x.proof.Remains = s.journals.purged(s, x)
	s.known.saw(x.gen)
	x.proof.Short = x.values.Short()
	if err := x.prove(ctx); err != nil {
		return x.proof, err
	}
	// This machine's copy confirms at once, if it can be had.
	if sh, err := s.follow.current(ctx); err == nil {
		sh.release()
	}
	x.nameUnsearched(ctx)
	return x.proof, nil
}

type eraser struct {
	store   *Store
	caller  backend.Caller
	erasure backend.Erasure
	plan    *purge.Plan
	values  *purge.Values
	proof   backend.Proof
	gen     int64 // after it
}

// isDone reports whether the purge was committed: gen was raised, and none of it is there.
func (x *eraser) isDone(ctx context.Context, t *pgx.Conn, before head) (done bool, err error) {
	err = t.QueryRow(ctx, `SELECT s.gen > $2 AND NOT EXISTS (SELECT FROM mem.envelopes e
		WHERE e.space = s.name AND e.key = ANY ($3::text[]) AND e.live AND e.ts <= $4)
		FROM mem.spaces s WHERE s.name = $1`, x.store.place.Space, before.gen, x.keys(),
		x.plan.Horizon.Time()).Scan(&done)
	return done, err
}

// run does everything that is one transaction.
func (x *eraser) run(ctx context.Context, t *pgx.Conn, h head) error {
	// A table that a later step drops may have what goes.
	if err := migrated(ctx, t, x.store.place); err != nil {
		return err
	}
	x.values, x.gen = purge.NewValues(), h.gen+1
	x.proof = backend.Proof{Looked: "the server's tables and this machine's copy"}
	x.plan = x.erasure.Plan()
	if err := x.collect(ctx, t); err != nil || x.proof.Versions == 0 {
		return errorOr(err, errNothing)
	}
	if x.values.MatchFold(x.erasure.Reason) {
		return callersError{backend.ErrReason}
	}
	a, err := x.tombstones(h)
	if err != nil {
		return err
	}
	if _, err := t.Exec(ctx, `DELETE FROM mem.envelopes WHERE space = $1
		AND key = ANY ($2::text[])`, x.store.place.Space, x.keys()); err != nil {
		return err
	}
	if !x.erasure.Forget {
		rows := 0
		// The deletion may have lowered the head: the rows go to its old place.
		if err := t.QueryRow(ctx, placeSQL, a.rowArgs()...).Scan(&rows); err != nil {
			return err
		}
	}
	if _, err := t.Exec(ctx, `UPDATE mem.spaces SET gen = gen + 1, seq = $2, high = $3
		WHERE name = $1`, x.store.place.Space, a.next().seq, a.Last.Time()); err != nil {
		return err
	}
	return x.blobs(ctx, t)
}

// placeSQL is putSQL while nobody else writes, whatever the head is.
const placeSQL = `WITH put AS (
	INSERT INTO mem.envelopes (space, seq, ts, high, live, key, line)
	SELECT $1, $2 + r.n, r.ts, r.high, r.live, r.key, r.line
	FROM unnest($4::timestamptz[], $5::timestamptz[], $6::bool[], $7::text[], $8::text[])
		WITH ORDINALITY AS r(ts, high, live, key, line, n)
	WHERE $3::bigint >= 0 RETURNING 1
) SELECT count(*)::int FROM put`

func (x *eraser) keys() []string {
	texts := make([]string, len(x.erasure.Keys))
	for i, key := range x.erasure.Keys {
		texts[i] = key.String()
	}
	return texts
}

// collect counts the versions that go, and adds their values.
func (x *eraser) collect(ctx context.Context, t *pgx.Conn) error {
	rows, err := t.Query(ctx, `SELECT seq, line FROM mem.envelopes WHERE space = $1
		AND key = ANY ($2::text[])`, x.store.place.Space, x.keys())
	if err != nil {
		return err
	}
	return eachLine(rows, func(rec log.Record, err error) error {
		if isDamage(err) {
			x.proof.Versions++
			return nil
		}
		if x.plan.Takes(rec) {
			x.proof.Versions++
			x.values.Add(rec)
			x.plan.Saw(rec)
		}
		return err
	})
}

// tombstones returns the attempt that deletes the keys, and sets the horizon.
func (x *eraser) tombstones(h head) (*attempt, error) {
	a := x.store.newAttempt(context.Background(), h)
	tx := a.Begin(a.ctx, x.caller)
	if err := x.erasure.Bury(tx, x.plan); err != nil {
		return nil, err
	}
	x.proof.Horizon, x.proof.Stones = x.plan.Horizon, x.plan.Stones()
	a.Take(tx)
	return a, nil
}

// usedSQL asks for the newest live envelopes that have a text anywhere.
const usedSQL = `SELECT seq, line FROM mem.envelopes e WHERE space = $1 AND live
	AND strpos(line, $2) > 0 AND NOT EXISTS (SELECT FROM mem.envelopes n
		WHERE n.space = e.space AND n.key = e.key AND n.seq > e.seq)`

// blobs removes what the artifacts were about, but for what a live one is about too.
func (x *eraser) blobs(ctx context.Context, t *pgx.Conn) error {
	for _, sum := range x.values.Blobs() {
		used := false
		rows, err := t.Query(ctx, usedSQL, x.store.place.Space, sum)
		if err != nil {
			return err
		}
		err = eachLine(rows, func(rec log.Record, err error) error {
			used = used || err == nil && content.BlobOf(rec.Key, rec.Content) == sum
			return nil
		})
		if err != nil {
			return err
		}
		if used {
			x.proof.Kept = append(x.proof.Kept, sum)
			continue
		}
		if _, err := t.Exec(ctx, "DELETE FROM mem.blobs WHERE space = $1 AND sum = $2",
			x.store.place.Space, sum); err != nil {
			return err
		}
	}
	return nil
}

// prove looks for the values in all that the space has.
func (x *eraser) prove(ctx context.Context) error {
	search := purge.NewSearch(x.plan, x.values)
	for rec, err := range x.store.stream(ctx, historySQL, x.store.place.Space) {
		line := rec.Line
		if damage := damageOf(err); damage != nil {
			line, err = damage.Raw, nil
		}
		if err != nil {
			return err
		}
		search.Lines(line, logName)
	}
	search.ResolveUnkeyed()
	x.proof.Remains = append(x.proof.Remains, search.Remains()...)
	x.proof.Others = search.OtherPlaces()
	x.proof.Beyond = append(x.proof.Beyond, search.Unclear()...)
	return nil
}

// nameUnsearched vacuums, where the space has its own connections and the role may, and names the
// places that nobody can look into from here.
func (x *eraser) nameUnsearched(ctx context.Context) {
	s := x.store
	for _, table := range []string{"mem.envelopes", "mem.blobs"} {
		if s.o.Server != nil {
			break // a vacuum of all tables is not for one space of many to ask for
		}
		if _, err := s.conns.first.Exec(ctx, "VACUUM "+table); err != nil {
			s.o.Debug("VACUUM " + table + ": " + failure(err).Error())
		}
	}
	x.proof.Beyond = append(x.proof.Beyond,
		"the server's free space and index pages until VACUUM FULL, its WAL, replicas, backups "+
			"and logs",
		"journals on other machines, and copies on those that were not seen for 30 days, until "+
			"mem is next used there")
	rows, err := s.pool.Query(ctx, `SELECT host FROM mem.followers f JOIN mem.spaces s
		ON s.name = f.space WHERE f.space = $1 AND f.gen < s.gen ORDER BY host`, s.place.Space)
	if err != nil {
		return
	}
	hosts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return
	}
	for _, host := range slices.Compact(hosts) {
		x.proof.Beyond = append(x.proof.Beyond,
			fmt.Sprintf("the copy on %s, until it is next used", host))
	}
}
