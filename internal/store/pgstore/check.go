package pgstore

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var (
	_ backend.Located    = (*Store)(nil)
	_ backend.Identified = (*Store)(nil)
	_ backend.Upkeep     = (*Store)(nil)
)

// Location returns the URL of the space, without its secrets.
func (s *database) Location() string { return s.place.shown }

// maxFindings is how many findings of one name are listed.
const maxFindings = 20

type checker struct {
	store  *Store
	ctx    context.Context // of the check
	repair bool
	found  []backend.Finding
	count  map[string]int
	lines  int

	damaged bool // a line of the server cannot be read
	wrong   []wrongRow
}

// wrongRow is a row whose columns are not what its line says.
type wrongRow struct {
	seq int64
	rec log.Record
}

// Check looks at every envelope of the space: its checksum, its columns and its place in the order;
// at the counters and the blobs; and holds this machine's copy against a fresh fold of the log. A
// repair makes counters and copy anew, and columns what the lines say. Where a line is damaged it
// sets the copy aside, which may have the sound one.
func (s *Store) Check(ctx context.Context, _ backend.Caller, o backend.CheckOptions) (
	rep backend.CheckReport, err error) {
	c := &checker{store: s, ctx: ctx, repair: o.Repair, count: map[string]int{}}
	if err := s.online(); err != nil {
		return rep, err
	}
	for _, part := range []func() error{c.log, c.mend, c.counters, c.blobs, c.copy} {
		if err = part(); err != nil {
			err = ofContext(ctx, failure(err))
			break
		}
	}
	rep.Found, rep.Records = c.found, c.lines
	for _, f := range c.found {
		if !f.Mended {
			rep.Left = append(rep.Left, f)
		}
	}
	return rep, err
}

func (c *checker) add(f backend.Finding) {
	if c.count[f.Name]++; c.count[f.Name] <= maxFindings {
		c.found = append(c.found, f)
	}
}

// log checks the envelopes in their order.
func (c *checker) log() error {
	rows, err := c.store.pool.Query(c.ctx, `SELECT seq, line, ts, high, live, key
		FROM mem.envelopes WHERE space = $1 ORDER BY seq`, c.store.place.Space)
	if err != nil {
		return err
	}
	defer rows.Close()
	newest := log.MinStamp
	for rows.Next() {
		var seq int64
		var line []byte
		var ts, high log.Stamp
		var live bool
		var key string
		if err := rows.Scan(&seq, &line, stampOr{&ts}, stampOr{&high}, &live, &key); err != nil {
			return err
		}
		c.lines++
		at := backend.Finding{Check: "P1", File: logName, Line: int(seq), Key: key}
		rec, err := decode(seq, line)
		if err != nil {
			at.Name, at.Detail = "damaged", damageOf(err).Reason.Error()
			c.add(at)
			c.damaged = true
			continue
		}
		newest = max(newest, ts)
		c.columns(at, rec, ts, live)
		// A purge takes envelopes away, so high may be of one that is gone.
		if at.Check = "P2"; high < newest {
			at.Name = "order"
			at.Detail = fmt.Sprintf("high is %s, and %s came before", high, newest)
			c.add(at)
		}
		newest = max(newest, high)
	}
	return rows.Err()
}

// columns checks that what stands beside a line is what the line says.
func (c *checker) columns(at backend.Finding, rec log.Record, ts log.Stamp, live bool) {
	at.Name = "columns"
	switch {
	case rec.Unsealed:
		at.Name, at.Detail = "unsealed", "the line has no checksum"
	case rec.Key.String() != at.Key:
		at.Detail = "the line is of " + rec.Key.String()
	case rec.TS != ts:
		at.Detail = fmt.Sprintf("ts is %s, the line says %s", ts, rec.TS)
	case rec.Valid() != live:
		at.Detail = fmt.Sprintf("live is %t, the line says %t", live, rec.Valid())
	default:
		return
	}
	if at.Name == "columns" {
		c.wrong = append(c.wrong, wrongRow{int64(at.Line), rec})
	}
	c.add(at)
}

// mendSQL writes a row anew: the role of a space may change none.
const mendSQL = `WITH old AS (DELETE FROM mem.envelopes WHERE space = $1 AND seq = $2 AND line = $3
	RETURNING high, line) INSERT INTO mem.envelopes (space, seq, ts, high, live, key, line)
	SELECT $1, $2, $4, high, $5, $6, line FROM old`

// mend makes the columns of rows what their lines say. A crash before the commit changes nothing.
func (c *checker) mend() error {
	if !c.repair || len(c.wrong) == 0 {
		return nil
	}
	l, err := c.store.lock(c.ctx, c.store.o.LockWait)
	if err != nil {
		return c.store.lockFailure(err)
	}
	defer l.release()
	for _, w := range c.wrong {
		if _, err := l.tx.Exec(c.ctx, mendSQL, c.store.place.Space, w.seq, string(w.rec.Line),
			w.rec.TS.Time(), w.rec.Valid(), w.rec.Key.String()); err != nil {
			return err
		}
	}
	if err := l.commit(c.ctx); err != nil {
		return err
	}
	for i := range c.found {
		c.found[i].Mended = c.found[i].Name == "columns"
	}
	return nil
}

// counters checks that no number can be returned again.
func (c *checker) counters() error {
	a := c.store.newAttempt(c.ctx, head{})
	kept, err := a.counted(c.ctx)
	if err != nil {
		return err
	}
	all := kept.Clone()
	keys, err := c.store.keys(c.ctx)
	if err != nil {
		return err
	}
	for _, key := range keys {
		all.AddKey(key)
	}
	have, want := kept.Highest(), all.Highest()
	for _, counter := range keypath.Counters() {
		if have[counter] >= want[counter] {
			continue
		}
		f := backend.Finding{Check: "P3", Name: "counter", File: "mem.counters", Key: counter,
			Detail: fmt.Sprintf("it is at %d, and %d was used", have[counter], want[counter])}
		if c.repair {
			f.Mended = c.setCounter(counter, want[counter]) == nil
		}
		c.add(f)
	}
	return nil
}

func (c *checker) setCounter(counter string, n int64) error {
	_, err := c.store.pool.Exec(c.ctx, `INSERT INTO mem.counters AS c (space, name, highest)
		VALUES ($1, $2, $3) ON CONFLICT (space, name)
		DO UPDATE SET highest = greatest(c.highest, excluded.highest)`,
		c.store.place.Space, counter, n)
	return err
}

// keys returns every key that was ever written and carries a number, in the order of the log.
func (s *database) keys(ctx context.Context) (list []keypath.Key, err error) {
	rows, err := s.pool.Query(ctx, `SELECT key FROM mem.envelopes WHERE space = $1
		AND key ~ '[0-9]$' GROUP BY key ORDER BY min(seq)`, s.place.Space)
	if err != nil {
		return nil, err
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, text := range texts {
		if key, bad := keypath.Parse(text); bad == nil {
			list = append(list, key)
		}
	}
	return list, err
}

// blobs checks that every blob has the bytes of its name.
func (c *checker) blobs() error {
	rows, err := c.store.pool.Query(c.ctx, `SELECT sum FROM mem.blobs WHERE space = $1
		GROUP BY sum HAVING encode(sha256(string_agg(body, ''::bytea ORDER BY part)), 'hex') <> sum`,
		c.store.place.Space)
	if err != nil {
		return err
	}
	sums, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, sum := range sums {
		c.add(backend.Finding{Check: "P4", Name: "blob", File: "mem.blobs", Key: sum,
			Detail: "its bytes are not those of its SHA-256"})
	}
	if err != nil {
		return err
	}
	return c.absent()
}

// absent lists artifacts whose bytes are missing, as after an import of their envelopes alone.
func (c *checker) absent() error {
	rows, err := c.store.pool.Query(c.ctx, `SELECT a.key, a.sha256 FROM mem.artifacts a
		WHERE a.tenant_id = $1 AND a.sha256 IS NOT NULL AND NOT EXISTS (
			SELECT FROM mem.blobs b WHERE b.space = $1 AND b.sum = a.sha256)
		ORDER BY a.key`, c.store.place.Space)
	if err != nil {
		return err
	}
	var key, sum string
	_, err = pgx.ForEachRow(rows, []any{&key, &sum}, func() error {
		c.add(backend.Finding{Check: "P4", Name: "absent", File: "mem.blobs", Key: sum,
			Detail: key + " needs it, and it is missing"})
		return nil
	})
	return err
}

// copy holds the copy of this machine against a fold of the log, both as of one head.
func (c *checker) copy() error {
	snap, err := c.store.snapshot(c.ctx)
	if err != nil {
		return err
	}
	defer snap.Close()
	want := allFrom(c.ctx, c.store.database, snap.at)
	at, err := firstDifference(snap.Live(), sound(want))
	if err != nil || at == "" {
		return err
	}
	f := backend.Finding{Check: "P5", Name: "copy", File: c.store.copyPath(), Key: at,
		Detail: "this machine's copy differs from the log from here on"}
	if c.repair {
		f.Mended = c.store.follow.renew(c.damaged) == nil
	}
	c.add(f)
	return nil
}

// firstDifference returns the key from which on two sorted walks differ; "" for none.
func firstDifference(a, b iter.Seq2[log.Record, error]) (string, error) {
	next, stop := iter.Pull2(b)
	defer stop()
	for rec, err := range a {
		if err != nil {
			return "", err
		}
		other, err, ok := next()
		if err != nil {
			return "", err
		}
		if !ok || !slices.Equal(rec.Line, other.Line) {
			return rec.Key.String(), nil
		}
	}
	other, err, ok := next()
	if err != nil || !ok {
		return "", err
	}
	return other.Key.String(), nil
}

// renew makes the copy anew. One that has what the server has no more is set aside.
func (f *follower) renew(lost bool) error {
	f.asking.Lock()
	defer f.asking.Unlock()
	if f.copy == nil {
		return fmt.Errorf("%w: the store is closed", ErrServer)
	}
	why := errForeign
	if lost {
		why = errAhead
	}
	sh, err := f.rebuild(why)
	if err != nil {
		return err
	}
	return f.catchUp(sh)
}
