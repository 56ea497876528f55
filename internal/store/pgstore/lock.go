package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// lockSQL waits for the space. Its row is locked, and not changed.
const lockSQL = `SELECT gen FROM mem.spaces WHERE name = $1 FOR NO KEY UPDATE`

// settingsSQL is about one transaction, for a pooler may lie between. What is stored is never worth
// a plan of its own.
const settingsSQL = `SELECT set_config('lock_timeout', $1, true),
	set_config('plan_cache_mode', 'force_generic_plan', true), CASE
	WHEN current_setting('synchronous_commit') = 'off'
	THEN set_config('synchronous_commit', 'on', true) END`

// beginSQL lets a statement see what was committed while the one before it waited, whatever the
// database's default is.
const beginSQL = "BEGIN ISOLATION LEVEL READ COMMITTED"

// spelled returns how long to wait for a lock, as PostgreSQL spells it; 0 would be for ever.
func spelled(wait time.Duration) string {
	return fmt.Sprintf("%dms", max(wait.Milliseconds(), 1))
}

// locked is a transaction that has the space.
type locked struct {
	conn *pgxpool.Conn
	tx   *pgx.Conn // in the transaction
	head head
}

// lock waits for the space, in a transaction that it begins: one round trip.
func (s *database) lock(ctx context.Context) (l *locked, err error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	l = &locked{conn: conn, tx: conn.Conn()}
	var b pgx.Batch
	b.Queue(beginSQL)
	b.Queue(settingsSQL, spelled(s.o.LockWait))
	b.Queue(lockSQL, s.place.Space)
	b.Queue(headSQL, s.place.Space)
	answers := l.tx.SendBatch(ctx, &b)
	for range b.Len() - 1 {
		if err == nil {
			_, err = answers.Exec()
		}
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
