package pgstore

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DefaultConns is how many connections a server has at most, for all of its spaces together.
const DefaultConns = 40

const (
	spaceConns = 2 // of those, of one space, beside insideConns
	// idleTime is how long a connection is kept that nobody uses, and idleLook how often a pool
	// looks for those.
	idleTime, idleLook = 30 * time.Second, 5 * time.Second
)

// errFull is returned where a process has as many connections as it may.
var errFull = errors.New("all connections of this process are in use")

// conns are the connections of a process to a database, in two pools: callers that may hold one of
// the first have the second, else all could wait for one more.
type conns struct {
	first, inside *pgxpool.Pool

	way    watcher
	clock  func() time.Time
	fullAt atomic.Int64 // when a caller was last refused, as Unix time
}

// newConns returns pools of so many connections. They connect when they are first used.
func newConns(place *Address, first, inside int32, clock func() time.Time) (*conns, error) {
	c := &conns{clock: clock, way: watcher{mode: place.mode}}
	config := place.conn.Copy()
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (
		net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return keepAlive(conn), err
	}
	c.way.watch(config)
	config.PingTimeout, config.ShouldPing = pingTime, isIdle(c.reset)
	config.MaxConns = first
	var err error
	if c.first, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		return nil, failure(err)
	}
	config = config.Copy()
	config.MaxConns, config.MinConns, config.MinIdleConns = inside, 0, 0
	if c.inside, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		c.first.Close()
		return nil, failure(err)
	}
	return c, nil
}

// reset drops the connections that there are.
func (c *conns) reset() {
	c.first.Reset()
	c.inside.Reset()
}

func (c *conns) close() {
	c.first.Close()
	c.inside.Close()
}

// retry runs fn again for some seconds while there is no connection to be had, of this process or
// of the server.
func (c *conns) retry(ctx context.Context, fn func() error) error {
	until := c.clock().Add(restartTime)
	for try := 1; ; try++ {
		err := fn()
		if !isFull(err) {
			return err
		}
		if now := c.clock(); ctx.Err() != nil || !now.Before(until) {
			c.fullAt.Store(now.Unix())
			return err
		}
		pause(ctx, try)
	}
}

// check returns an error where a caller was refused some seconds ago.
func (c *conns) check() error {
	if ago := c.clock().Unix() - c.fullAt.Load(); ago >= 0 && ago < int64(restartTime.Seconds()) {
		return failure(errFull)
	}
	return nil
}

// isFull reports whether there was no connection left, of this process or of the server.
func isFull(err error) bool {
	return errors.Is(err, errFull) || isCode(err, codeTooMany)
}

// Prepared statements are to be had where no pooler lies between, which may give each transaction
// another session. It shows by the process that cancels are for: a pooler gives out numbers of its
// own. The first connection finds out; those that come later are made for what it found.

// watcher knows the way to a server.
type watcher struct {
	mode     bool        // the URL says how statements are sent
	isDirect atomic.Bool // the newest connection goes to the server itself
}

// wasUsed is where a connection has how often it was used, if its statements could be prepared and
// are not.
const wasUsed = "mem.used"

// enough is how often a first connection is used before another takes its place: a process that has
// little to ask connects once.
const enough = 8

// watch lets the connections of a pool find out.
func (w *watcher) watch(c *pgxpool.Config) {
	if w.mode {
		c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			_, err := isDirect(ctx, conn)
			return err
		}
		return
	}
	c.AfterConnect = w.connected
	c.BeforeConnect = func(_ context.Context, cc *pgx.ConnConfig) error {
		if w.isDirect.Load() {
			cc.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
		}
		return nil
	}
	c.AfterRelease = isKept
}

// errPooler is returned by a connection that another one's word was wrong for; the next is right.
var errPooler = errors.New("a connection pooler is in use")

func (w *watcher) connected(ctx context.Context, conn *pgx.Conn) error {
	direct, err := isDirect(ctx, conn)
	if err != nil {
		return err
	}
	data := conn.PgConn().CustomData()
	w.isDirect.Store(direct)
	switch prepared := conn.Config().DefaultQueryExecMode == pgx.QueryExecModeCacheStatement; {
	case prepared && !direct:
		return broken(errPooler)
	case prepared:
		_, err = conn.Exec(ctx, plansSQL, pgx.QueryExecModeSimpleProtocol)
	case direct:
		data[wasUsed] = 0
	}
	return err
}

// isDirect reports whether a connection goes to the server itself. Then all that it sends finds no
// function but PostgreSQL's own (see pathSQL); what goes through a pooler says so by itself.
func isDirect(ctx context.Context, conn *pgx.Conn) (direct bool, err error) {
	err = conn.QueryRow(ctx, `SELECT yes, CASE WHEN yes
		THEN set_config('search_path', 'pg_catalog', false) END
		FROM (SELECT pg_backend_pid()::bigint = $1 AS yes) AS direct`,
		pgx.QueryExecModeSimpleProtocol, int64(conn.PgConn().PID())).Scan(&direct, nil)
	return direct, err
}

// plansSQL keeps the plans of prepared statements right for tables that grow: one made while the
// table was small sorts all rows of a space to find the last, and stays until the next ANALYZE. All
// that mem asks often in an order has an index; the rest is sorted, at a cost that must not look
// worth compiling the plan.
const plansSQL = "SET enable_sort = off; SET jit = off"

// isKept reports whether a connection is used again.
func isKept(conn *pgx.Conn) bool {
	data := conn.PgConn().CustomData()
	used, counts := data[wasUsed].(int)
	if counts {
		data[wasUsed] = used + 1
	}
	return !counts || used < enough
}
