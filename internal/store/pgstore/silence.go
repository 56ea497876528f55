package pgstore

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// A network may swallow all packets of a connection without a word. The kernel ends such a
// connection within silence, where it has that option, but does not see a proxy that swallows: so a
// connection that was idle answers before it is used, and a commit that waits for nobody has a time
// in which it is answered. One that is not answered is looked for over a new connection.

const (
	silence  = 4 * time.Second // of a connection that is not given up yet
	pingTime = time.Second     // for a connection that was idle
	// perSecond is how many bytes a slow way takes at least.
	perSecond = 128 << 10
)

// errSilent is returned where no answer came in time.
var errSilent = fmt.Errorf("%w: the server does not answer", ErrServer)

// keepAlive makes the kernel end a connection whose other end is silent.
func keepAlive(conn net.Conn) net.Conn {
	if tcp, ok := conn.(*net.TCPConn); ok {
		// What cannot be set is as the system has it.
		_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: silence / 2,
			Interval: silence / 4, Count: 2})
		limitUnacknowledged(tcp)
	}
	return conn
}

// isIdle returns what asks a connection that was idle for an answer, before it is used. Where none
// comes the others of the pool are not trusted either.
func isIdle(reset func()) func(context.Context, pgxpool.ShouldPingParams) bool {
	return func(ctx context.Context, p pgxpool.ShouldPingParams) bool {
		if p.IdleDuration < time.Second {
			return false
		}
		ctx, cancel := context.WithTimeout(ctx, pingTime)
		defer cancel()
		if p.Conn.Ping(ctx) == nil {
			return false
		}
		reset()
		return true // it is closed, so the ping of the pool fails at once
	}
}

// answered runs a round trip that sends so many bytes, and waits for the space at most so long. The
// error wraps errSilent where no answer came.
func (c *conns) answered(ctx context.Context, wait time.Duration, size int,
	trip func(context.Context) error) error {
	most := max(wait, 0) + silence + time.Duration(size/perSecond)*time.Second
	within, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := trip(within)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		c.reset()
		return fmt.Errorf("%w: for %s", errSilent, most)
	}
	return err
}
