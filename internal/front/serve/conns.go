package serve

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// MaxConns is how many connections may be open over TCP, and how many over the unix socket, where
// the process may have the descriptors.
const MaxConns = 1_024

// pauseTime is shorter than retryAfter, so a client that waits as it should does not feel it.
const pauseTime = time.Second

// crowded is the part of the connections past which refusals wait.
const crowded = 8

// sparedFiles are descriptors for all that is no connection.
const sparedFiles = 256

// conns are the connections of one kind. Past their number those give way that have rested for
// longest, so a client that opens many, or sends half a request, keeps no other client out.
type conns struct {
	most         int
	clock        func() time.Time
	stall, whole time.Duration // how long a body may stand still, and take
	pause        time.Duration // before a refusal is answered

	mu      sync.Mutex
	open    map[net.Conn]*list.Element // in waiting; nil: an admitted request runs
	waiting list.List                  // of net.Conn, or of *body
	asking  map[party]int              // unfinished requests
	refused int                        // requests whose refusal is not answered yet
}

func newConns(most int, clock func() time.Time) *conns {
	return &conns{most: most, clock: clock, stall: stallTime, whole: bodyTime, pause: pauseTime,
		open: map[net.Conn]*list.Element{}, asking: map[party]int{}}
}

// party is the owner of requests: a token, a tenant or an address.
type party struct {
	kind, id string
	part     int // of all connections: 4 is a quarter
}

// partiesOf returns the owners of a request. The unix socket has one user alone.
func partiesOf(r *http.Request, conn net.Conn) []party {
	if conn == nil || isUnix(conn) {
		return nil
	}
	if token := tokenOf(r); token != nil {
		return []party{{"token", token.ID, 4}, {"tenant", token.Tenant, 2}}
	}
	host, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
	return []party{{"address", host, 4}}
}

// begin notes that a connection has an admitted request, and refuses it where an owner has as many
// as it may have. The caller ends it.
func (c *conns) begin(r *http.Request, conn net.Conn) (end func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	parties := partiesOf(r, conn)
	for _, p := range parties {
		if most := max(1, c.most/p.part); c.asking[p] >= most {
			if r.ContentLength != 0 {
				_ = conn.SetReadDeadline(past) // the answer waits for no body
			}
			return nil, errCrowd(p.kind, most)
		}
	}
	for _, p := range parties {
		c.asking[p]++
	}
	if at := c.open[conn]; at != nil && r.ContentLength != 0 {
		b := newBody(r, conn, c)
		at.Value, r.Body = b, b
	} else if at != nil {
		c.leave(conn)
		c.open[conn] = nil
	}
	return func() { c.end(parties) }, nil
}

// rest waits before a refusal is answered, where there is a crowd. An owner that asks again at
// once, over a thousand connections, would take a processor from all others with refusals alone.
// The connection of a request that was not admitted gives way meanwhile, as any that waits.
func (c *conns) rest(ctx context.Context) {
	c.mu.Lock()
	is := len(c.open) > c.most/crowded && c.refused < c.most // one of HTTP/2 has many requests
	if is {
		c.refused++
	}
	c.mu.Unlock()
	if !is {
		return
	}
	select {
	case <-time.After(c.pause):
	case <-ctx.Done():
	}
	c.mu.Lock()
	c.refused--
	c.mu.Unlock()
}

// end is the end of a request of these owners.
func (c *conns) end(parties []party) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range parties {
		if c.asking[p]--; c.asking[p] == 0 {
			delete(c.asking, p)
		}
	}
}

// changed takes the states of connections from the server of net/http.
func (c *conns) changed(conn net.Conn, state http.ConnState) {
	switch over := c.note(conn, state).(type) {
	case *body:
		over.giveWay()
	case net.Conn:
		over.Close() // nothing was asked on it as a whole, or all was answered
	}
}

// note keeps the state of a connection, and returns one that is to give way: a net.Conn or a *body;
// nil for none.
func (c *conns) note(conn net.Conn, state http.ConnState) (over any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew, http.StateIdle:
		c.leave(conn)
		c.open[conn] = c.waiting.PushBack(conn)
	case http.StateHijacked, http.StateClosed:
		c.leave(conn)
		delete(c.open, conn)
	}
	if state != http.StateNew || len(c.open) <= c.most {
		return nil
	}
	// It may be the new one itself: where all others ask, they have come first.
	over = c.waiting.Remove(c.waiting.Front())
	if slow, is := over.(*body); is {
		c.open[slow.conn] = nil // until it is answered
	} else {
		delete(c.open, over.(net.Conn))
	}
	return over
}

// admitted notes that an admitted request has come to its end.
func (c *conns) admitted(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leave(conn) {
		c.open[conn] = nil
	}
}

// leave takes a connection out of those that wait, and reports whether it was there.
func (c *conns) leave(conn net.Conn) bool {
	at := c.open[conn]
	if at != nil {
		c.waiting.Remove(at)
	}
	return at != nil
}

func (s *Server) connsOf(conn net.Conn) *conns {
	if isUnix(conn) {
		return s.unix
	}
	return s.tcp
}

// isUnix reports whether a connection came over the unix socket.
func isUnix(conn net.Conn) bool {
	addr, ok := conn.LocalAddr().(*net.UnixAddr)
	return ok && addr.Net == "unix"
}
