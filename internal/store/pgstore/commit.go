package pgstore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/store/backend"
)

// commitTime is how long the server may take to answer a commit, after the lock.
const commitTime = 20 * time.Second

// Update runs fn on the newest state, with the updates of other goroutines that wait for it, as one
// transaction. The error wraps log.ErrLocked where the wait was in vain, and is a
// *backend.UnknownError where nobody can tell what became of the commit.
func (s *Store) Update(ctx context.Context, c backend.Caller, op string,
	fn func(backend.Tx) error) error {
	if err := s.writable(); err != nil {
		return err
	}
	return s.turns.Run(ctx, c, op, fn, committer{s}.lead)
}

// committer commits the updates of a group.
type committer struct{ *Store }

// lead commits for all turns that wait. It looks at the newest that it knows, without a lock; where
// somebody else wrote since, or is writing, it waits for the space and runs the updates again.
func (s committer) lead(t *backend.Turn) {
	var taken []*backend.Turn
	err := backend.ErrAborted
	// Also where fn ends this goroutine: the others must not wait for ever.
	defer func() { s.turns.Finish(t, taken, err) }()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Ctx),
		max(s.o.LockWait, 0)+commitTime)
	defer cancel()
	runtime.Gosched() // updates that are about to come join this group
	take := func() []*backend.Turn {
		taken = s.turns.Take()
		return taken
	}
	var lost *attempt
	var failed error
	if s.crowd.isThere() {
		lost, failed = s.commitInCrowd(ctx, take)
	} else {
		lost, failed = s.commitAtOnce(ctx, take())
	}
	for try := 1; lost == nil && canRetry(ctx, failed); try++ {
		s.turns.Return(taken)
		taken = nil
		if s.known.forget(); try > 1 {
			pause(t.Ctx, try)
		}
		// A leader that gives up does so alone.
		lost, failed = s.commitLocked(ctx, t.Ctx, take)
	}
	if lost != nil {
		failed = s.resolve(ctx, taken, lost, failed)
	}
	if isOfOne(failed) && len(taken) > 1 {
		failed = s.commitSingly(ctx, taken)
	}
	err = failed
}

// resolve finds out what became of a lost commit, or commits again.
func (s committer) resolve(ctx context.Context, turns []*backend.Turn, lost *attempt,
	err error) error {
	for try := 1; canRetry(ctx, err); try++ {
		s.known.forget()
		pause(ctx, try)
		if lost == nil { // it came to nothing, and so did the next one
			lost, err = s.commitTaken(ctx, turns)
			continue
		}
		lost, err = s.resolveOnce(ctx, turns, lost)
	}
	if lost == nil {
		return err
	}
	lost.reportUnknown(turns, err)
	return nil
}

// canRetry reports whether a commit is to be tried again.
func canRetry(ctx context.Context, err error) bool {
	return ctx.Err() == nil &&
		(errors.Is(err, errMoved) || errors.Is(err, errBusy) || isBroken(err))
}

// commitSingly commits each update of a group on its own: the server refused one.
func (s committer) commitSingly(ctx context.Context, turns []*backend.Turn) error {
	for _, t := range turns {
		lost, err := s.commitAtOnce(ctx, []*backend.Turn{t})
		for lost == nil && canRetry(ctx, err) {
			lost, err = s.commitTaken(ctx, []*backend.Turn{t})
		}
		if lost != nil {
			err = s.resolve(ctx, []*backend.Turn{t}, lost, err)
		}
		if t.Err == nil {
			t.Err = err
		}
	}
	return nil
}

// commitAtOnce is a commit in one round trip, or in two where the updates ask for something. The
// error wraps errMoved where another client wrote meanwhile, and errBusy where somebody does. lost
// is what may be stored or not.
func (s committer) commitAtOnce(ctx context.Context, turns []*backend.Turn) (
	lost *attempt, err error) {
	a, err := s.lookAtHead(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.run(turns); err != nil || len(a.Batch) == 0 {
		if err == nil && a.remembered && a.looked {
			err = errMoved // nothing is put that would tell whether the head is still that one
		}
		return nil, err
	}
	if j := s.joint(); j.takes(a) {
		if lost, err = s.commitJointly(j, a); err != errApart {
			return lost, err
		}
	}
	conn, err := s.acquire(ctx)
	if err != nil {
		return nil, failure(err)
	}
	defer conn.Release()
	next, stored, err := s.putAtOnce(ctx, conn.Conn, a)
	switch {
	case errors.Is(err, backend.ErrConfig):
		return nil, err
	case err != nil && mayBeStored(err, conn.Conn):
		return a, broken(err)
	case isCode(err, codeLocked):
		return nil, errBusy
	case isCode(err, codeTaken), isCode(err, codeSerial):
		return nil, errMoved // under another isolation than read committed
	case err != nil:
		return nil, failure(err)
	case !stored:
		s.crowd.saw(true)
		return nil, errMoved
	}
	s.known.set(next)
	return nil, nil
}

// putAtOnce locks the space and stores what an attempt appended: if nobody else writes or wrote
// since it looked, or after the others where it looked at nothing. The statements are one
// transaction, and one round trip; the end of the batch is the commit.
func (s committer) putAtOnce(ctx context.Context, conn *pgx.Conn, a *attempt) (
	next head, stored bool, err error) {
	var b pgx.Batch
	wait := min(s.o.LockWait, moment)
	s.pool.begin(&b, wait)
	if a.blind() {
		b.Queue(lockSQL, s.place.Space)
		b.Queue(blindSQL, a.blindArgs()...)
	} else {
		b.Queue(lockSQL+" NOWAIT", s.place.Space)
		b.Queue(putSQL, a.putArgs()...)
	}
	var config int64
	err = s.conns.answered(ctx, wait, a.size(), func(ctx context.Context) (err error) {
		answers := conn.SendBatch(ctx, &b)
		if _, err = answers.Exec(); err == nil {
			config, err = scanLock(answers.QueryRow())
		}
		if err == nil {
			next, stored, err = a.answer(answers.QueryRow())
		}
		return errorOr(err, answers.Close())
	})
	if err == nil && !stored && !a.isAt(config) {
		err = backend.ErrConfig
	}
	return next, stored, err
}

// commitLocked waits for the space until the context of the wait ends, and commits the updates that
// take returns then, while no other process writes.
func (s committer) commitLocked(ctx, wait context.Context, take func() []*backend.Turn) (
	lost *attempt, err error) {
	l, err := s.lock(wait, s.o.LockWait)
	if err != nil {
		return nil, ofContext(wait, s.lockFailure(err))
	}
	return s.commitWhile(ctx, l, take())
}

// commitWhile commits updates while no other process writes.
func (s committer) commitWhile(ctx context.Context, l *locked, turns []*backend.Turn) (
	lost *attempt, err error) {
	defer l.release()
	s.crowd.saw(!s.known.was(l.head))
	return s.commitIn(ctx, l, l.attempt(ctx, s.Store), turns)
}

// commitTaken is commitLocked for turns that were taken.
func (s committer) commitTaken(ctx context.Context, turns []*backend.Turn) (*attempt, error) {
	return s.commitLocked(ctx, ctx, func() []*backend.Turn { return turns })
}

// resolveOnce is resolve with one connection: it returns the attempt that is still open. While no
// other process has written, the lost commit may still arrive, so that very commit is made again:
// only one of the two finds the head that it looked at.
func (s committer) resolveOnce(ctx context.Context, turns []*backend.Turn, lost *attempt) (
	*attempt, error) {
	l, err := s.lock(ctx, s.o.LockWait)
	if isCode(err, codeLocked) {
		return lost, errBusy // the lost commit itself may have it
	}
	if err != nil {
		return lost, failure(err)
	}
	defer l.release()
	stored, err := s.isStored(ctx, l.tx, lost)
	switch {
	case err != nil:
		return lost, broken(err)
	case stored:
		return nil, nil
	case l.head.gen == lost.head.gen && !lost.isAt(l.config):
		return nil, backend.ErrConfig // the lost commit finds that, too
	case l.head == lost.head:
		open, err := s.putIn(ctx, l, lost)
		if open == nil && err != nil {
			open = lost
		}
		return open, err
	case lost.mayComeLater(l.head):
		if err := l.fence(ctx, s.place.Space, lost); err != nil {
			return lost, broken(err)
		}
		return nil, errMoved
	case l.head.gen != lost.head.gen:
		return lost, errUnsettled // what it stored may have been purged
	}
	return s.commitIn(ctx, l, l.attempt(ctx, s.Store), turns)
}

// commitIn runs updates and commits what they appended. The attempt is returned where it may be
// stored and may not.
func (s committer) commitIn(ctx context.Context, l *locked, a *attempt, turns []*backend.Turn) (
	*attempt, error) {
	if err := a.run(turns); err != nil || len(a.Batch) == 0 {
		return nil, err
	}
	return s.putIn(ctx, l, a)
}

func (s committer) putIn(ctx context.Context, l *locked, a *attempt) (*attempt, error) {
	if !a.isAt(l.config) {
		return nil, backend.ErrConfig
	}
	rows, err := l.commitWith(ctx, putSQL, a.putArgs()...)
	switch {
	case err != nil && mayBeStored(err, l.tx):
		return a, broken(err)
	case err != nil:
		return nil, s.lockFailure(err)
	case rows == 0:
		return nil, errMoved
	}
	s.known.set(a.next())
	return nil, nil
}

// attempt begins an attempt at the head that nobody else moves.
func (l *locked) attempt(ctx context.Context, s *Store) *attempt {
	a := s.newAttempt(ctx, l.head)
	a.locked = true
	return a
}

// lockSQL waits for the space, and returns the version of its configuration. Its row is locked, and
// not changed.
const lockSQL = `SELECT config_version FROM mem.spaces WHERE name = $1 FOR NO KEY UPDATE`

// scanLock reads the answer to lockSQL; 0 where there is no such space.
func scanLock(row pgx.Row) (config int64, err error) {
	if err = row.Scan(&config); errors.Is(err, pgx.ErrNoRows) {
		return 0, nil // the statement after it finds no space, too
	}
	return config, err
}

// settingsSQL is what lane.begin sets for one transaction, for a pooler may lie between. No commit
// is worth a plan of its own.
const settingsSQL = `, ` + pathSQL + `, set_config('lock_timeout', $2, true),
	set_config('plan_cache_mode', 'force_generic_plan', true), CASE
	WHEN current_setting('synchronous_commit') = 'off'
	THEN set_config('synchronous_commit', 'on', true) END`

// beginSQL lets a statement see the commits during the wait of the one before it, with any default
// of the database.
const beginSQL = "BEGIN ISOLATION LEVEL READ COMMITTED"

// spelled returns how long to wait for a lock, as PostgreSQL spells it; 0 would be for ever.
func spelled(wait time.Duration) string {
	return fmt.Sprintf("%dms", max(wait.Milliseconds(), 1))
}

// locked is a transaction that has the space.
type locked struct {
	conn *laneConn
	tx   *pgx.Conn // in the transaction
	head head

	config int64 // version of the configuration
}

// lock waits for the space at most so long, in a transaction that it begins: one round trip.
func (s *database) lock(ctx context.Context, wait time.Duration) (l *locked, err error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	l = &locked{conn: conn, tx: conn.Conn}
	var b pgx.Batch
	b.Queue(beginSQL)
	s.pool.begin(&b, wait)
	b.Queue(lockSQL, s.place.Space)
	b.Queue(headSQL, s.place.Space)
	answers := l.tx.SendBatch(ctx, &b)
	for range 2 {
		if err == nil {
			_, err = answers.Exec()
		}
	}
	if err == nil {
		l.config, err = scanLock(answers.QueryRow())
	}
	if err == nil {
		l.head, err = s.scanHead(answers.QueryRow())
	}
	if err = errorOr(err, answers.Close()); err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

// commitWith runs one more statement, which returns a number, and commits: one round trip. A crash
// before the commit leaves nothing, and after it all of it.
func (l *locked) commitWith(ctx context.Context, sql string, args ...any) (n int, err error) {
	var b pgx.Batch
	b.Queue(sql, args...)
	b.Queue("COMMIT")
	answers := l.tx.SendBatch(ctx, &b)
	if err = answers.QueryRow().Scan(&n); err == nil {
		_, err = answers.Exec()
	}
	return n, errorOr(err, answers.Close())
}

// commit commits. A crash before it leaves nothing, and after it all of it.
func (l *locked) commit(ctx context.Context) error {
	tag, err := l.tx.Exec(ctx, "COMMIT")
	if err == nil && tag.String() == "ROLLBACK" {
		err = errRolledBack
	}
	return err
}

// errRolledBack is returned where a statement had failed before the commit, and nobody minded.
var errRolledBack = errors.New("the server rolled the transaction back")

// release ends the transaction; after a commit it only returns the connection.
func (l *locked) release() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if !l.tx.IsClosed() && l.tx.PgConn().TxStatus() != 'I' {
		_, _ = l.tx.Exec(ctx, "ROLLBACK") // a connection that is lost has rolled back
	}
	l.conn.Release()
}

// lockFailure returns the error of a commit that was not made.
func (s *database) lockFailure(err error) error {
	if isCode(err, codeLocked) {
		return &lockedError{s.place.Space, max(s.o.LockWait, 0)}
	}
	return failure(err)
}
