package serve

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// MaxConns is how many connections may be open over TCP, and how many over the unix socket, where
// the process may have the descriptors.
const MaxConns = 1_024

// sparedFiles are descriptors for all that is no connection.
const sparedFiles = 256

// conns are the connections of one kind. Past their number those give way that have not been asking
// for longest: idle ones, and those that have not said who they are. Whoever opens many, or begins
// and does not go on, keeps nobody else out.
type conns struct {
	most int

	mu      sync.Mutex
	open    map[net.Conn]*list.Element // in waiting; nil: somebody who may is asking
	waiting list.List
}

func newConns(most int) *conns { return &conns{most: most, open: map[net.Conn]*list.Element{}} }

// changed is told by the server what becomes of a connection.
func (c *conns) changed(conn net.Conn, state http.ConnState) {
	if over := c.note(conn, state); over != nil {
		over.Close() // nothing was asked on it, or all was answered
	}
}

// note keeps the state of a connection, and returns one that is to give way.
func (c *conns) note(conn net.Conn, state http.ConnState) (over net.Conn) {
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
	over = c.waiting.Front().Value.(net.Conn)
	c.leave(over)
	delete(c.open, over)
	return over
}

// admitted notes that somebody who may is asking on a connection.
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

// connsOf returns those of the kind of a connection.
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
