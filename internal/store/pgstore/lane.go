package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// lane is what one space has of a pool. Every statement that goes through a lane runs in a
// transaction that has taken on the role of a server and named the space (package comment).
type lane struct {
	pool   *pgxpool.Pool
	shared string        // the space, of a server; "": the login role sees this space alone
	turns  chan struct{} // one element for each connection in use
	other  *lane         // taken where this one has none left; nil: that is waited for
}

func newLane(pool *pgxpool.Pool, shared string, most int32) *lane {
	return &lane{pool, shared, make(chan struct{}, most), nil}
}

// orElse returns a lane that takes the connections of another one where it has none left.
func (l *lane) orElse(other *lane) *lane { return &lane{l.pool, l.shared, l.turns, other} }

// full reports whether a caller would have to wait.
func (l *lane) full() bool {
	stat := l.pool.Stat()
	return len(l.turns) == cap(l.turns) || stat.AcquiredConns() >= stat.MaxConns()
}

// pathSQL lets what follows in a transaction find no function and no operator but PostgreSQL's own:
// where everybody may make some in the schema public, as in version 14, the role of a space could
// have its own run as the owner of the tables.
const pathSQL = `CASE WHEN current_setting('search_path') <> 'pg_catalog'
	THEN set_config('search_path', 'pg_catalog', true) END`

// scopeSQL limits what follows in a transaction to a space of a server; the end of it ends that.
const scopeSQL = `SELECT ` + pathSQL + `, set_config('mem.space', $1, true),
	set_config('role', (SELECT coalesce(server, current_setting('role')) FROM mem.store), true)`

// scope begins a batch that is one transaction.
func (l *lane) scope(b *pgx.Batch) {
	if l.shared != "" {
		b.Queue(scopeSQL, l.shared)
	}
}

// begin adds settings for a commit, which waits at most so long for the space, and the scope: one
// statement, in one transaction with those that follow.
func (l *lane) begin(b *pgx.Batch, wait time.Duration) {
	if l.shared != "" {
		b.Queue(scopeSQL+settingsSQL, l.shared, spelled(wait))
	} else {
		b.Queue("SELECT $1::text"+settingsSQL, "", spelled(wait))
	}
}

// enter is scope for a transaction that has begun.
func (l *lane) enter(ctx context.Context, tx pgx.Tx) (err error) {
	if l.shared != "" {
		_, err = tx.Exec(ctx, scopeSQL, l.shared)
	}
	return err
}

// skip reads what scope answered.
func (l *lane) skip(answers pgx.BatchResults) (err error) {
	if l.shared != "" {
		_, err = answers.Exec()
	}
	return err
}

type laneConn struct {
	*pgx.Conn
	pooled *pgxpool.Conn
	of     *lane
}

// Release returns it.
func (c *laneConn) Release() {
	c.pooled.Release()
	<-c.of.turns
}

// acquire returns a connection. It waits for one of the lane, and some seconds for one of the pool:
// then the error wraps errFull.
func (l *lane) acquire(ctx context.Context) (*laneConn, error) {
	if l.other != nil {
		if l.full() || !l.tryTurn() {
			return l.other.acquire(ctx)
		}
		return l.connect(ctx)
	}
	select {
	case l.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return l.connect(ctx)
}

// tryTurn takes a turn, if there is one.
func (l *lane) tryTurn() bool {
	select {
	case l.turns <- struct{}{}:
		return true
	default:
		return false
	}
}

// connect returns a connection for a turn that was taken.
func (l *lane) connect(ctx context.Context) (*laneConn, error) {
	within, cancel := context.WithTimeout(ctx, restartTime)
	defer cancel()
	conn, err := l.pool.Acquire(within)
	if err == nil {
		return &laneConn{conn.Conn(), conn, l}, nil
	}
	<-l.turns
	if within.Err() != nil && ctx.Err() == nil && l.pool.Stat().ConstructingConns() == 0 {
		err = errFull
	}
	return nil, err
}

// Query runs a statement, as a transaction of its own.
func (l *lane) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	conn, err := l.acquire(ctx)
	if err != nil {
		return nil, err
	}
	var b pgx.Batch
	l.scope(&b)
	b.Queue(sql, args...)
	r := &laneRows{conn: conn, answers: conn.SendBatch(ctx, &b)}
	if err = l.skip(r.answers); err == nil {
		r.Rows, err = r.answers.Query()
	}
	if err != nil {
		r.end()
		return nil, err
	}
	return r, nil
}

// laneRows are rows whose end is that of the transaction.
type laneRows struct {
	pgx.Rows
	answers pgx.BatchResults
	conn    *laneConn // nil: it was returned
	err     error
}

// end reads the end of the transaction, and returns the connection.
func (r *laneRows) end() {
	if r.conn != nil {
		r.err = r.answers.Close()
		r.conn.Release()
		r.conn = nil
	}
}

// Close ends the rows.
func (r *laneRows) Close() {
	r.Rows.Close()
	r.end()
}

// Next goes to the next row.
func (r *laneRows) Next() bool {
	more := r.Rows.Next()
	if !more {
		r.end()
	}
	return more
}

// Err returns why the rows ended early.
func (r *laneRows) Err() error { return errorOr(r.Rows.Err(), r.err) }

// Exec runs a statement whose rows nobody wants.
func (l *lane) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	rows, err := l.Query(ctx, sql, args...)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	rows.Close()
	return rows.CommandTag(), rows.Err()
}

// QueryRow runs a statement that returns one row.
func (l *lane) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := l.Query(ctx, sql, args...)
	return laneRow{rows, err}
}

// laneRow is the first of some rows.
type laneRow struct {
	pgx.Rows
	err error
}

// Scan reads it. The error wraps pgx.ErrNoRows where there is none.
func (r laneRow) Scan(to ...any) error {
	if r.err != nil {
		return r.err
	}
	err := pgx.ErrNoRows
	if r.Next() {
		err = r.Rows.Scan(to...)
	}
	r.Close()
	return errorOr(r.Err(), err)
}
