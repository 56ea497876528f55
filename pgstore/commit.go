package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/group"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// commitTime is how long the server may take to say what became of a commit, after the wait for
// the lock.
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

// lead commits for everybody who waits. It looks at the newest that it knows, without a lock; where
// somebody else wrote since, or is writing, it waits for the space and runs the updates again.
func (s committer) lead(t *group.Turn) {
	var taken []*group.Turn
	err := group.ErrAborted
	// Also where fn ends this goroutine: the others must not wait for ever.
	defer func() { s.turns.Finish(t, taken, err) }()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Ctx),
		max(s.o.LockWait, 0)+commitTime)
	defer cancel()
	taken = s.turns.Take()
	lost, failed := s.commitAtOnce(ctx, taken)
	for try := 1; lost == nil && again(ctx, failed); try++ {
		s.turns.Return(taken)
		taken = nil
		lost, failed = s.commitLocked(ctx, t, &taken, try)
	}
	if lost != nil {
		failed = s.settle(ctx, taken, lost, failed)
	}
	if isOfData(failed) && len(taken) > 1 {
		failed = s.commitSingly(ctx, taken)
	}
	err = failed
}

// settle finds out what became of a commit whose answer was lost, and commits again where it came
// to nothing.
func (s committer) settle(ctx context.Context, turns []*group.Turn, lost *attempt,
	err error) error {
	for try := 1; again(ctx, err); try++ {
		s.known.forget()
		pause(ctx, try)
		if lost == nil { // it came to nothing, and so did the next one
			lost, err = s.commitTaken(ctx, turns)
			continue
		}
		lost, err = s.settleOnce(ctx, turns, lost)
	}
	if lost == nil {
		return err
	}
	lost.tell(turns, err)
	return nil
}

// again reports whether a commit is to be tried again.
func again(ctx context.Context, err error) bool {
	return ctx.Err() == nil &&
		(errors.Is(err, errMoved) || errors.Is(err, errBusy) || isBroken(err))
}

// commitSingly commits each update of a group on its own, because the server refused what one of
// them had.
func (s committer) commitSingly(ctx context.Context, turns []*group.Turn) error {
	for _, t := range turns {
		lost, err := s.commitAtOnce(ctx, []*group.Turn{t})
		for lost == nil && again(ctx, err) {
			lost, err = s.commitTaken(ctx, []*group.Turn{t})
		}
		if lost != nil {
			err = s.settle(ctx, []*group.Turn{t}, lost, err)
		}
		if t.Err == nil {
			t.Err = err
		}
	}
	return nil
}

// commitAtOnce is a commit in one round trip, or in two where the updates ask for something. The
// error wraps errMoved where somebody else wrote meanwhile, and errBusy where somebody does. lost
// is what may be stored or not.
func (s committer) commitAtOnce(ctx context.Context, turns []*group.Turn) (
	lost *attempt, err error) {
	a, err := s.lookAtHead(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.run(turns); err != nil || len(a.batch) == 0 {
		if err == nil && a.remembered {
			err = errMoved // nothing is put that would tell whether the head is still that one
		}
		return nil, err
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, failure(err)
	}
	defer conn.Release()
	stored, err := s.putAtOnce(ctx, conn.Conn(), a)
	switch {
	case err != nil && mayBeStored(err, conn.Conn()):
		return a, broken(err)
	case isCode(err, codeLocked):
		return nil, errBusy
	case isCode(err, codeTaken), isCode(err, codeSerial):
		return nil, errMoved // under another isolation than read committed
	case err != nil:
		return nil, failure(err)
	case !stored:
		return nil, errMoved
	}
	s.known.set(a.next())
	return nil, nil
}

// lockSQL waits for the space. Its row is locked, and not changed.
const lockSQL = `SELECT gen FROM mem.spaces WHERE name = $1 FOR NO KEY UPDATE`

// settingsSQL is about one transaction, for a pooler may lie between.
const settingsSQL = `SELECT set_config('lock_timeout', $1, true), CASE
	WHEN current_setting('synchronous_commit') = 'off'
	THEN set_config('synchronous_commit', 'on', true) END`

// putAtOnce locks the space, if it is free, and stores what an attempt appended, if nobody else
// wrote since it looked. The statements are one transaction, and one round trip.
func (s committer) putAtOnce(ctx context.Context, conn *pgx.Conn, a *attempt) (bool, error) {
	var b pgx.Batch
	b.Queue(settingsSQL, s.lockTimeout())
	b.Queue(lockSQL+" NOWAIT", s.place.Space)
	sql, args := a.put()
	b.Queue(sql, args...)
	answers := conn.SendBatch(ctx, &b)
	_, err := answers.Exec()
	if err == nil {
		_, err = answers.Exec()
	}
	rows := 0
	if err == nil {
		err = answers.QueryRow().Scan(&rows)
	}
	// The end of the batch is the commit.
	return rows > 0, errorOr(err, answers.Close())
}

// lockTimeout returns how long a writer waits, as PostgreSQL spells it; 0 would be for ever.
func (s *database) lockTimeout() string {
	return fmt.Sprintf("%dms", max(s.o.LockWait.Milliseconds(), 1))
}

// commitLocked waits for the space, as long as who leads does, takes all who wait by then, and
// commits while nobody else writes. A leader that gives up does so alone.
func (s committer) commitLocked(ctx context.Context, lead *group.Turn, taken *[]*group.Turn,
	try int) (lost *attempt, err error) {
	if s.known.forget(); try > 1 {
		pause(lead.Ctx, try)
	}
	l, err := s.lock(lead.Ctx)
	if err != nil {
		return nil, ofContext(lead.Ctx, s.lockFailure(err))
	}
	defer l.release()
	*taken = s.turns.Take()
	return s.commitIn(ctx, l, s.newAttempt(ctx, l.head, map[keypath.Key]log.Record{}), *taken)
}

// commitTaken is commitLocked for turns that were taken.
func (s committer) commitTaken(ctx context.Context, turns []*group.Turn) (*attempt, error) {
	l, err := s.lock(ctx)
	if err != nil {
		return nil, s.lockFailure(err)
	}
	defer l.release()
	return s.commitIn(ctx, l, s.newAttempt(ctx, l.head, map[keypath.Key]log.Record{}), turns)
}

// settleOnce is settle with one connection: it returns the attempt that is still open. While nobody
// else has written, who sent the lost commit may still be heard, so that very commit is made again:
// only one of the two finds the head that it looked at.
func (s committer) settleOnce(ctx context.Context, turns []*group.Turn, lost *attempt) (
	*attempt, error) {
	l, err := s.lock(ctx)
	if err != nil {
		return lost, s.lockFailure(err)
	}
	defer l.release()
	stored, err := s.isStored(ctx, l.tx, lost)
	switch {
	case err != nil:
		return lost, broken(err)
	case stored:
		return nil, nil
	case l.head.gen != lost.head.gen:
		return lost, errUnsettled // what it stored may have been purged
	case l.head == lost.head:
		open, err := s.putIn(ctx, l, lost)
		if open == nil && err != nil {
			open = lost
		}
		return open, err
	}
	return s.commitIn(ctx, l, s.newAttempt(ctx, l.head, map[keypath.Key]log.Record{}), turns)
}

// commitIn runs updates and commits what they appended. The attempt is returned where it may be
// stored and may not.
func (s committer) commitIn(ctx context.Context, l *locked, a *attempt, turns []*group.Turn) (
	*attempt, error) {
	if err := a.run(turns); err != nil || len(a.batch) == 0 {
		return nil, err
	}
	return s.putIn(ctx, l, a)
}

// putIn stores what an attempt appended, and commits.
func (s committer) putIn(ctx context.Context, l *locked, a *attempt) (*attempt, error) {
	rows := 0
	sql, args := a.put()
	err := l.tx.QueryRow(ctx, sql, args...).Scan(&rows)
	if err != nil || rows == 0 {
		return nil, s.lockFailure(errorOr(err, errMoved))
	}
	// A crash before the commit leaves nothing, and after it all of it.
	if err := l.tx.Commit(ctx); err != nil {
		if mayBeStored(err, l.conn.Conn()) {
			return a, broken(err)
		}
		return nil, s.lockFailure(err)
	}
	s.known.set(a.next())
	return nil, nil
}

// locked is a transaction that has the space.
type locked struct {
	conn *pgxpool.Conn
	tx   pgx.Tx
	head head
}

// release ends the transaction; after a commit it only returns the connection.
func (l *locked) release() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.tx.Rollback(ctx) // a connection that is lost has rolled back
	l.conn.Release()
}

// readCommitted lets a statement see what was committed while the one before it waited, whatever
// the database's default is.
var readCommitted = pgx.TxOptions{IsoLevel: pgx.ReadCommitted}

// lock waits for the space and begins a transaction that has it.
func (s *database) lock(ctx context.Context) (l *locked, err error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := conn.BeginTx(ctx, readCommitted)
	if err != nil {
		conn.Release()
		return nil, err
	}
	l = &locked{conn: conn, tx: tx}
	var b pgx.Batch
	b.Queue(settingsSQL, s.lockTimeout())
	b.Queue(lockSQL, s.place.Space)
	b.Queue(headSQL, s.place.Space)
	answers := tx.SendBatch(ctx, &b)
	_, err = answers.Exec()
	if err == nil {
		_, err = answers.Exec()
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

// isStored reports whether the server has what an attempt appended: the row at its first place is
// its own. Who had the space is gone by now, or finds that somebody else wrote.
func (s *database) isStored(ctx context.Context, q querier, a *attempt) (bool, error) {
	var line []byte
	err := q.QueryRow(ctx, `SELECT line FROM mem.envelopes WHERE space = $1 AND seq = $2`,
		s.place.Space, a.head.seq+1).Scan(&line)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil && string(line) == string(a.batch[0].Line), err
}

// lockFailure returns the error of a commit that was not made.
func (s *database) lockFailure(err error) error {
	if isCode(err, codeLocked) {
		return &lockedError{s.place.Space, max(s.o.LockWait, 0)}
	}
	return failure(err)
}

// mayBeStored reports whether an error leaves open what became of a commit: only one that the
// server sent, and after which it is ready for more, says that nothing was stored. The driver's own
// word that nothing was sent (pgconn.SafeToRetry) is not enough: a connection that breaks while the
// answer is awaited is "closed" too.
func mayBeStored(err error, conn *pgx.Conn) bool {
	return !errors.As(err, new(*pgconn.PgError)) || conn.IsClosed()
}
