package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// lane is what one space has of a pool. The spaces of a server share the pools, whose login role
// sees all: so every statement that goes through a lane runs in a transaction that has taken on the
// role of a server and named the space, by which the policies of the rows go. The role is the same
// for all spaces, so that the plans of prepared statements stay.
type lane struct {
	pool   *pgxpool.Pool
	shared string        // the space, of a server; "": the login role sees this space alone
	turns  chan struct{} // one element for each connection in use
	other  *lane         // taken where this one has none left; nil: that is waited for
}

// newLane returns a lane of so many connections.
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

// scopeSQL limits what follows in a transaction to a space of a server; the end of it ends that.
const scopeSQL = `SELECT set_config('mem.space', $1, true),
	set_config('role', (SELECT coalesce(server, 'none') FROM mem.store), true)`

// scope begins a batch that is one transaction.
func (l *lane) scope(b *pgx.Batch) {
	if l.shared != "" {
		b.Queue(scopeSQL, l.shared)
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

// laneConn is a connection in use.
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

// send sends one statement as a transaction of its own.
func (l *lane) send(ctx context.Context, sql string, args []any) (*sent, error) {
	conn, err := l.acquire(ctx)
	if err != nil {
		return nil, err
	}
	var b pgx.Batch
	l.scope(&b)
	b.Queue(sql, args...)
	s := &sent{answers: conn.SendBatch(ctx, &b), conn: conn}
	if err := l.skip(s.answers); err != nil {
		return nil, errorOr(err, s.end())
	}
	return s, nil
}

// sent is a statement on its way.
type sent struct {
	answers pgx.BatchResults
	conn    *laneConn // nil: it is over
}

// end reads the end of the transaction, and returns the connection.
func (s *sent) end() (err error) {
	if s.conn != nil {
		err = s.answers.Close()
		s.conn.Release()
		s.conn = nil
	}
	return err
}

// Exec runs a statement.
func (l *lane) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	s, err := l.send(ctx, sql, args)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := s.answers.Exec()
	return tag, errorOr(err, s.end())
}

// Query runs a statement that returns rows.
func (l *lane) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	s, err := l.send(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	rows, err := s.answers.Query()
	if err != nil {
		return nil, errorOr(err, s.end())
	}
	return &laneRows{Rows: rows, of: s}, nil
}

// laneRows are rows whose end is that of the transaction.
type laneRows struct {
	pgx.Rows
	of  *sent
	err error
}

// Close ends the rows.
func (r *laneRows) Close() {
	r.Rows.Close()
	r.err = errorOr(r.err, r.of.end())
}

// Next goes to the next row.
func (r *laneRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

// Err returns why the rows ended early.
func (r *laneRows) Err() error { return errorOr(r.Rows.Err(), r.err) }

// QueryRow runs a statement that returns one row.
func (l *lane) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := l.Query(ctx, sql, args...)
	return laneRow{rows, err}
}

// laneRow is the first of some rows.
type laneRow struct {
	rows pgx.Rows
	err  error
}

// Scan reads it. The error wraps pgx.ErrNoRows where there is none.
func (r laneRow) Scan(to ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		return errorOr(r.rows.Err(), pgx.ErrNoRows)
	}
	err := r.rows.Scan(to...)
	r.rows.Close()
	return errorOr(err, r.rows.Err())
}
