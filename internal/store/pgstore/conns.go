package pgstore

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DefaultConns is how many connections a process has at most, of all its spaces together.
const DefaultConns = 40

const (
	spaceConns = 2 // of a space of a server, beside those for what has the space already
	// idleTime is how long a connection is kept that nobody uses, and idleLook how often a pool
	// looks for those.
	idleTime, idleLook = 30 * time.Second, 5 * time.Second
	// slotTime is how long a new connection waits for the place of another one; then it is tried
	// again, see Conns.retry.
	slotTime = time.Second
)

// errFull is returned where a process has as many connections as it may.
var errFull = errors.New("all connections of this process are in use")

// Conns bounds the connections of a process, of all pools that share it. A new one that finds no
// place closes an idle one of any pool, or the next that is released. A part of the places is for
// what runs while its caller holds a connection already: else all could wait for one more.
type Conns struct {
	clock  func() time.Time
	all    chan struct{} // one element for each connection
	first  chan struct{} // likewise, of those whose callers hold none
	wanted atomic.Int32  // how many wait for a place
	fullAt atomic.Int64  // when a caller was last refused, as Unix time

	mu    sync.Mutex
	pools map[*pgxpool.Pool]bool
}

// NewConns returns a bound of so many connections, at least two.
func NewConns(most int, clock func() time.Time) *Conns {
	most = max(most, 2)
	return &Conns{clock: clock, all: make(chan struct{}, most),
		first: make(chan struct{}, most-max(most/5, 1)), pools: map[*pgxpool.Pool]bool{}}
}

// pool returns a pool whose connections count. inside is whether its callers may hold a connection
// of another one.
func (c *Conns) pool(config *pgxpool.Config, inside bool) (pool *pgxpool.Pool,
	err error) {
	config = config.Copy()
	keep, dial := config.AfterRelease, config.ConnConfig.DialFunc
	config.AfterRelease = func(conn *pgx.Conn) bool {
		return c.wanted.Load() == 0 && (keep == nil || keep(conn))
	}
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (
		net.Conn, error) {
		return c.dial(ctx, inside, func() (net.Conn, error) { return dial(ctx, network, address) })
	}
	config.PingTimeout = pingTime
	config.ShouldPing = isIdle(func() { pool.Reset() })
	pool, err = pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, failure(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pools[pool] = true
	return pool, nil
}

// close closes a pool.
func (c *Conns) close(pool *pgxpool.Pool) {
	c.mu.Lock()
	delete(c.pools, pool)
	c.mu.Unlock()
	pool.Close()
}

// slotConn is a connection that frees its place when it is closed.
type slotConn struct {
	net.Conn
	free func()
}

// Close closes the connection.
func (s *slotConn) Close() error {
	defer s.free()
	return s.Conn.Close()
}

// dial makes a connection in a place of its own.
func (c *Conns) dial(ctx context.Context, inside bool, dial func() (net.Conn, error)) (
	net.Conn, error) {
	free := func() { <-c.all }
	if !inside {
		if err := c.take(ctx, c.first); err != nil {
			return nil, err
		}
		free = func() { <-c.all; <-c.first }
	}
	if err := c.take(ctx, c.all); err != nil {
		if !inside {
			<-c.first
		}
		return nil, err
	}
	conn, err := dial()
	if err != nil {
		free()
		return nil, err
	}
	return &slotConn{keepAlive(conn), sync.OnceFunc(free)}, nil
}

// take takes a place, of an idle connection where none is free.
func (c *Conns) take(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	default:
	}
	c.wanted.Add(1)
	defer c.wanted.Add(-1)
	c.reclaim(ctx)
	timer := time.NewTimer(slotTime)
	defer timer.Stop()
	select {
	case places <- struct{}{}:
		return nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return errFull
}

// reclaim closes the idle connections of a pool that has some: while one is wanted, none that is
// released is kept.
func (c *Conns) reclaim(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for pool := range c.pools {
		if pool.Stat().IdleConns() == 0 {
			continue
		}
		idle := pool.AcquireAllIdle(ctx)
		for _, conn := range idle {
			conn.Release()
		}
		if len(idle) > 0 {
			return
		}
	}
}

// retry runs fn again for some seconds while there is no connection to be had, of this process or
// of the server.
func (c *Conns) retry(ctx context.Context, fn func() error) error {
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
func (c *Conns) check() error {
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

// watcher knows the way to a server. A new connection also reads how many purges there were: lines
// of journals that are made later are newer than these.
type watcher struct {
	place *Address
	saw   func(gen int64)

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
	c.AfterConnect = w.connected
	if w.place.mode {
		return
	}
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

// ask asks a new connection for the process at its other end. Where there are no tables yet, or
// none for this role, that is all that it says. The name of a space has nothing to quote: Open has
// looked at it.
func (w *watcher) ask(ctx context.Context, conn *pgx.Conn) (pid uint32, err error) {
	const process = "SELECT pg_backend_pid()"
	var gen *int64
	err = conn.QueryRow(ctx, process+", (SELECT gen FROM mem.spaces WHERE name = '"+
		w.place.Space+"')", pgx.QueryExecModeSimpleProtocol).Scan(&pid, &gen)
	if errors.As(err, new(*pgconn.PgError)) {
		err = conn.QueryRow(ctx, process, pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	}
	if gen != nil && err == nil {
		w.saw(*gen)
	}
	return pid, err
}

// connected looks at a new connection.
func (w *watcher) connected(ctx context.Context, conn *pgx.Conn) error {
	pid, err := w.ask(ctx, conn)
	if err != nil || w.place.mode {
		return err
	}
	direct, data := pid == conn.PgConn().PID(), conn.PgConn().CustomData()
	w.isDirect.Store(direct)
	switch prepared := conn.Config().DefaultQueryExecMode == pgx.QueryExecModeCacheStatement; {
	case prepared && !direct:
		return broken(errPooler)
	case direct && !prepared:
		data[wasUsed] = 0
	}
	return nil
}

// isKept reports whether a connection is used again.
func isKept(conn *pgx.Conn) bool {
	data := conn.PgConn().CustomData()
	used, counts := data[wasUsed].(int)
	if counts {
		data[wasUsed] = used + 1
	}
	return !counts || used < enough
}
