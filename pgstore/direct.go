package pgstore

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Prepared statements are to be had where no pooler lies between, which may give each transaction
// another session. It shows by the process that cancels are for: a pooler gives out numbers of its
// own. The first connection finds out; those that come later are made for what it found.

// watcher knows the way to a server.
type watcher struct {
	isDirect atomic.Bool // the newest connection goes to the server itself
}

// What a connection knows of itself.
const (
	isPrepared = "mem.prepared" // its statements are prepared
	wasUsed    = "mem.used"     // how often it was used, where they could be and are not
)

// enough is how often a first connection is used before another takes its place: a process that has
// little to ask connects once.
const enough = 8

// watch lets the connections of a pool find out.
func (w *watcher) watch(c *pgxpool.Config) {
	c.BeforeConnect = func(_ context.Context, cc *pgx.ConnConfig) error {
		if w.isDirect.Load() {
			cc.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
		}
		return nil
	}
	c.AfterConnect = w.connected
	c.AfterRelease = isKept
}

// errPooler is returned by a connection that another one's word was wrong for; the next is right.
var errPooler = errors.New("a pooler has come between")

// connected looks at a new connection.
func (w *watcher) connected(ctx context.Context, conn *pgx.Conn) error {
	var pid uint32
	err := conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	if err != nil {
		return err
	}
	direct, data := pid == conn.PgConn().PID(), conn.PgConn().CustomData()
	w.isDirect.Store(direct)
	switch prepared := conn.Config().DefaultQueryExecMode == pgx.QueryExecModeCacheStatement; {
	case prepared && !direct:
		return broken(errPooler)
	case prepared:
		data[isPrepared] = true
	case direct:
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
