package pgstore

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/store/backend"
)

// Blind attempts of several spaces that come while another is being committed wait together, and
// are one statement, one transaction and one flush. It runs as the owner of the tables, and names
// the space of each row and of each lock.
//
// The statement waits for no lock. A space that somebody else is writing to is left out, and its
// attempt is committed by itself, as is each one where the server refuses the statement.
//
// It takes its snapshot before the locks. What others have appended between the two it does not
// see; then the places after the head that it saw are taken, and the primary key refuses them. The
// rows of the spaces are read as of the lock, so a purge, a configuration and a fence do count.

// jointSQL stores the envelopes of several spaces, each after the head of its space, if the first
// of them is newer and the configuration is that of its attempt. It returns the place of each
// attempt, the head before it, and whether it was stored; nothing of a space that is locked.
const jointSQL = `WITH l AS MATERIALIZED (
	SELECT n.i, n.first, n.config, s.name, s.gen, s.seq, s.high, s.config_version
	FROM unnest($1::text[], $2::timestamptz[], $3::bigint[]) WITH ORDINALITY
		AS n(name, first, config, i),
		LATERAL (SELECT name, gen, seq, high, config_version FROM mem.spaces
			WHERE name = n.name FOR NO KEY UPDATE SKIP LOCKED) s
), h AS MATERIALIZED (
	SELECT l.i, l.name, l.gen, l.config_version, greatest(l.seq, e.seq) AS seq,
		coalesce(greatest(l.high, e.high) < l.first, true)
			AND l.config_version = coalesce(l.config, l.config_version) AS stored
	FROM l LEFT JOIN LATERAL (SELECT seq, high FROM mem.envelopes
		WHERE space = l.name ORDER BY space DESC, seq DESC LIMIT 1) e ON true
), put AS (
	INSERT INTO mem.envelopes (space, seq, ts, high, live, key, line)
	SELECT h.name, h.seq + r.n, r.ts, r.ts, r.live, r.key, r.line
	FROM h JOIN unnest($4::bigint[], $5::bigint[], $6::timestamptz[], $7::bool[], $8::text[],
		$9::text[]) AS r(i, n, ts, live, key, line) USING (i) WHERE h.stored
) SELECT h.i, h.gen, h.seq, h.config_version, h.stored FROM h`

// jointSize is how many bytes an attempt has at most that shares a statement: others wait for it.
const jointSize = 64 << 10

// errApart is why an attempt is committed by itself: nothing of it is stored.
var errApart = errors.New("the space is locked, or the server refused the statement")

// joint commits blind attempts together.
type joint struct {
	conns *conns
	lane  *lane // of one connection, as the owner of the tables

	mu      sync.Mutex
	running bool
	waiting []*sharer
}

// sharer is an attempt that waits for the statement that it shares.
type sharer struct {
	a    *attempt
	done chan struct{}

	next   head  // after it was stored
	config int64 // that the space has
	stored bool
	open   bool  // with an error: it may be stored
	err    error // errApart or, where it may be stored, that of the way
}

func newJoint(c *conns) *joint { return &joint{conns: c, lane: newLane(c.first, "", 1)} }

// takes reports whether an attempt can share a statement.
func (j *joint) takes(a *attempt) bool { return j != nil && a.blind() && a.size() <= jointSize }

// put commits an attempt with those that come at the same time.
func (j *joint) put(a *attempt) *sharer {
	s := &sharer{a: a, done: make(chan struct{}), err: errApart}
	j.mu.Lock()
	j.waiting = append(j.waiting, s)
	if !j.running {
		j.running = true
		go j.run()
	}
	j.mu.Unlock()
	<-s.done // the statement has a time in which it is answered
	return s
}

// run commits until nobody waits.
func (j *joint) run() {
	for {
		runtime.Gosched() // attempts that are about to come share this statement
		group := j.take()
		if group == nil {
			return
		}
		j.commit(group)
		for _, s := range group {
			close(s.done)
		}
	}
}

// take returns those that wait, one of each space.
func (j *joint) take() (group []*sharer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	taken := map[string]bool{}
	var later []*sharer
	for _, s := range j.waiting {
		if space := s.a.store.place.Space; taken[space] {
			later = append(later, s)
		} else {
			taken[space] = true
			group = append(group, s)
		}
	}
	j.waiting, j.running = later, group != nil
	return group
}

// commit commits attempts of different spaces in one round trip. A crash before the end of the
// statement leaves nothing, and after it all of what it returns as stored.
func (j *joint) commit(group []*sharer) {
	if j.lane.full() {
		return // each waits for a connection by itself
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	soon, cancelSoon := context.WithTimeout(ctx, pingTime)
	defer cancelSoon()
	conn, err := j.lane.acquire(soon)
	if err != nil {
		return // each waits by itself, and says why it fails
	}
	defer conn.Release()
	var b pgx.Batch
	j.lane.begin(&b, moment)
	args, size := jointArgs(group)
	b.Queue(jointSQL, args...)
	err = j.conns.answered(ctx, moment, size, func(ctx context.Context) error {
		answers := conn.SendBatch(ctx, &b)
		_, err := answers.Exec()
		if err == nil {
			err = readJoint(answers, group)
		}
		return errorOr(err, answers.Close())
	})
	if err == nil {
		return
	}
	open := mayBeStored(err, conn.Conn)
	for _, s := range group {
		if s.open, s.stored, s.err = open, false, errApart; open {
			s.err = broken(err)
		}
	}
}

// jointArgs returns the arguments of jointSQL, and how many bytes they have, about.
func jointArgs(group []*sharer) (args []any, size int) {
	var names []string
	var first []time.Time
	var configs []*int64
	var of, at []int64
	var r columns
	for i, s := range group {
		names, configs = append(names, s.a.store.place.Space), append(configs, s.a.config)
		rows := s.a.rows()
		first = append(first, rows.ts[0])
		for n := range rows.ts {
			of, at = append(of, int64(i+1)), append(at, int64(n+1))
		}
		r.ts, r.live = append(r.ts, rows.ts...), append(r.live, rows.live...)
		r.keys, r.lines = append(r.keys, rows.keys...), append(r.lines, rows.lines...)
		size += s.a.size()
	}
	return []any{names, first, configs, of, at, r.ts, r.live, r.keys, r.lines}, size
}

// readJoint reads the answer to jointSQL.
func readJoint(answers pgx.BatchResults, group []*sharer) error {
	rows, err := answers.Query()
	if err != nil {
		return err
	}
	var i, gen, seq, config int64
	var stored bool
	_, err = pgx.ForEachRow(rows, []any{&i, &gen, &seq, &config, &stored}, func() error {
		s := group[i-1]
		s.next = head{seq + int64(len(s.a.Batch)), s.a.Last, gen}
		s.config, s.stored, s.err = config, stored, nil
		return nil
	})
	return err
}

// commitJointly is the end of commitAtOnce for an attempt that shares a statement. The error is
// errApart where it is to be committed by itself.
func (s committer) commitJointly(j *joint, a *attempt) (lost *attempt, err error) {
	switch p := j.put(a); {
	case p.open:
		return a, p.err
	case p.err != nil:
		return nil, p.err
	case p.stored:
		s.known.set(p.next)
		return nil, nil
	case !a.isAt(p.config):
		return nil, backend.ErrConfig
	}
	s.crowd.saw(true)
	return nil, errMoved
}
