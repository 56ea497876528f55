package serve

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// MaxConns is how many connections may be open, where the process may have the descriptors.
const MaxConns = 1_024

// sparedFiles are descriptors for all that is no connection.
const sparedFiles = 256

// conns are the connections of a server. Past their number those give way that have been idle for
// longest, or have not begun to ask: whoever opens many keeps nobody else out.
type conns struct {
	most int

	mu   sync.Mutex
	open map[net.Conn]*list.Element // in idle; nil: it is asking
	idle list.List
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
	if at := c.open[conn]; at != nil {
		c.idle.Remove(at)
	}
	switch state {
	case http.StateNew, http.StateIdle:
		c.open[conn] = c.idle.PushBack(conn)
	case http.StateActive:
		c.open[conn] = nil
	case http.StateHijacked, http.StateClosed:
		delete(c.open, conn)
	}
	if state != http.StateNew || len(c.open) <= c.most {
		return nil
	}
	// It may be the new one itself: where all others ask, they have come first.
	at := c.idle.Front()
	over = c.idle.Remove(at).(net.Conn)
	delete(c.open, over)
	return over
}
