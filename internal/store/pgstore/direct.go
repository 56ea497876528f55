package pgstore

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Prepared statements are to be had where no pooler lies between, which may give each transaction
// another session. It shows by the process that cancels are for: a pooler gives out numbers of its
// own. The first connection finds out; those that come later are made for what it found.

// watcher knows the way to a server. A new connection also tells how many purges there were: lines
// of journals that are made later are of after them.
type watcher struct {
	place *Place
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
var errPooler = errors.New("a pooler has come between")

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
