package serve

import (
	"errors"
	"net"
	"os"
	"time"
)

// patience accepts connections on which an answer ends where its reader takes less than movedBytes
// in stallTime.
type patience struct {
	net.Listener
	clock func() time.Time
}

// Accept waits for the next connection.
func (p patience) Accept() (net.Conn, error) {
	conn, err := p.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &patient{Conn: conn, clock: p.clock, stall: stallTime}, nil
}

// patient is such a connection.
type patient struct {
	net.Conn
	clock func() time.Time
	stall time.Duration
}

// Write writes all of p as long as its reader takes some of it. What the kernel still holds is not
// taken yet: its buffer may be large, and is filled again only when a third of it is free.
func (c *patient) Write(p []byte) (n int, err error) {
	for {
		before := unsent(c.Conn)
		if err := c.Conn.SetWriteDeadline(c.clock().Add(c.stall)); err != nil {
			return n, err
		}
		k, err := c.Conn.Write(p[n:])
		n += k
		if taken := before + k - unsent(c.Conn); taken < movedBytes ||
			!errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
}
