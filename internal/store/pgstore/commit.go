package pgstore

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/set-memory/mem/internal/store/backend"
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
func (s committer) lead(t *backend.Turn) {
	var taken []*backend.Turn
	err := backend.ErrAborted
	// Also where fn ends this goroutine: the others must not wait for ever.
	defer func() { s.turns.Finish(t, taken, err) }()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Ctx),
		max(s.o.LockWait, 0)+commitTime)
	defer cancel()
	runtime.Gosched() // who is about to write comes with this group
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
func (s committer) settle(ctx context.Context, turns []*backend.Turn, lost *attempt,
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
func (s committer) commitSingly(ctx context.Context, turns []*backend.Turn) error {
	for _, t := range turns {
		lost, err := s.commitAtOnce(ctx, []*backend.Turn{t})
		for lost == nil && again(ctx, err) {
			lost, err = s.commitTaken(ctx, []*backend.Turn{t})
		}
		if lost != nil {
			err = s.settle(ctx, []*backend.Turn{t}, lost, err)
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
	conn, err := s.acquire(ctx)
	if err != nil {
		return nil, failure(err)
	}
	defer conn.Release()
	next, stored, err := s.putAtOnce(ctx, conn.Conn(), a)
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
	s.known.set(next)
	return nil, nil
}

// putAtOnce locks the space and stores what an attempt appended: if nobody else writes or wrote
// since it looked, or after the others where it looked at nothing. The statements are one
// transaction, and one round trip; the end of the batch is the commit.
func (s committer) putAtOnce(ctx context.Context, conn *pgx.Conn, a *attempt) (
	next head, stored bool, err error) {
	var b pgx.Batch
	wait := s.o.LockWait
	if a.blind() {
		wait = min(wait, moment)
	}
	b.Queue(settingsSQL, spelled(wait))
	if a.blind() {
		b.Queue(lockSQL, s.place.Space)
		b.Queue(blindSQL, a.blindArgs()...)
	} else {
		b.Queue(lockSQL+" NOWAIT", s.place.Space)
		sql, args := a.put()
		b.Queue(sql, args...)
	}
	answers := conn.SendBatch(ctx, &b)
	for range b.Len() - 1 {
		if err == nil {
			_, err = answers.Exec()
		}
	}
	if err == nil {
		next, stored, err = a.answer(answers.QueryRow())
	}
	return next, stored, errorOr(err, answers.Close())
}

// commitLocked waits for the space, as long as who leads does, takes all who wait by then, and
// commits while nobody else writes. A leader that gives up does so alone.
func (s committer) commitLocked(ctx context.Context, lead *backend.Turn, taken *[]*backend.Turn,
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
	return s.commitIn(ctx, l, l.attempt(ctx, s.Store), *taken)
}

// commitTaken is commitLocked for turns that were taken.
func (s committer) commitTaken(ctx context.Context, turns []*backend.Turn) (*attempt, error) {
	l, err := s.lock(ctx)
	if err != nil {
		return nil, s.lockFailure(err)
	}
	defer l.release()
	return s.commitIn(ctx, l, l.attempt(ctx, s.Store), turns)
}

// settleOnce is settle with one connection: it returns the attempt that is still open. While nobody
// else has written, who sent the lost commit may still be heard, so that very commit is made again:
// only one of the two finds the head that it looked at.
func (s committer) settleOnce(ctx context.Context, turns []*backend.Turn, lost *attempt) (
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

// putIn stores what an attempt appended, and commits.
func (s committer) putIn(ctx context.Context, l *locked, a *attempt) (*attempt, error) {
	sql, args := a.put()
	rows, err := l.commitWith(ctx, sql, args...)
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
	a := s.newAttempt(ctx, l.head, map[keypath.Key]log.Record{})
	a.locked = true
	return a
}

// isStored reports whether the server has what an attempt appended: the first of its lines is
// there. Who had the space is gone by now, or finds that somebody else wrote.
func (s *database) isStored(ctx context.Context, q querier, a *attempt) (bool, error) {
	first, stored := a.Batch[0], false
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM mem.envelopes
		WHERE space = $1 AND key = $2 AND line = $3)`,
		s.place.Space, first.Key.String(), string(first.Line())).Scan(&stored)
	return stored, err
}

// mayBeStored reports whether an error leaves open what became of a commit: only one that the
// server sent, and after which it is ready for more, says that nothing was stored. The driver's own
// word that nothing was sent (pgconn.SafeToRetry) is not enough: a connection that breaks while the
// answer is awaited is "closed" too.
func mayBeStored(err error, conn *pgx.Conn) bool {
	return !errors.As(err, new(*pgconn.PgError)) || conn.IsClosed()
}
