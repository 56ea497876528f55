package serve

import (
	"net"
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// fakeConn is a connection that knows whether it was closed.
type fakeConn struct {
	net.Conn
	closed bool
}

func (c *fakeConn) Close() error {
	c.closed = true
	return nil
}

// Past their number the one gives way that has been idle for longest, or has not come to its
// question: none that asks.
func TestIdleConnectionsGiveWay(t *testing.T) {
	c := newConns(3, time.Now)
	asks, begins, idle := &fakeConn{}, &fakeConn{}, &fakeConn{}
	late, later := &fakeConn{}, &fakeConn{}
	for _, conn := range []*fakeConn{asks, begins, idle} {
		c.changed(conn, http.StateNew)
		c.changed(conn, http.StateActive)
	}
	c.admitted(asks)
	c.admitted(idle)
	c.changed(idle, http.StateIdle)
	c.changed(late, http.StateNew)
	if asks.closed || !begins.closed || idle.closed || late.closed {
		t.Error("want the one to give way that has begun and not gone on")
	}
	c.changed(begins, http.StateClosed)
	c.changed(late, http.StateActive)
	c.admitted(late)
	c.changed(later, http.StateNew)
	if asks.closed || !idle.closed || late.closed || later.closed {
		t.Error("want the idle one to give way")
	}
	c.changed(idle, http.StateClosed)
	c.admitted(later)
	last := &fakeConn{}
	c.changed(last, http.StateNew)
	if asks.closed || late.closed || later.closed || !last.closed {
		t.Error("all others ask: want the new one to give way")
	}
}

// Whatever happens, no more than the limit and those that give way are kept, and none that asks is
// closed.
func TestConnectionsAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 3
		c := newConns(most, time.Now)
		state := map[*fakeConn]http.ConnState{}
		pick := func() *fakeConn {
			for conn := range state {
				return conn
			}
			return nil
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			next := rapid.SampledFrom([]http.ConnState{http.StateNew, http.StateActive,
				http.StateIdle, http.StateClosed}).Draw(t, "state")
			conn := pick()
			if next == http.StateNew || conn == nil {
				conn, next = &fakeConn{}, http.StateNew
			}
			state[conn] = next
			c.changed(conn, next)
			if next == http.StateActive {
				c.admitted(conn)
			}
			if next == http.StateClosed {
				delete(state, conn)
			}
			for one, is := range state {
				if one.closed && is == http.StateActive {
					t.Fatal("one that asks was closed")
				}
				if one.closed { // as net/http does it
					c.changed(one, http.StateClosed)
					delete(state, one)
				}
			}
			if len(c.open) > most || len(c.open) != len(state) || c.waiting.Len() > len(c.open) {
				t.Fatalf("%d open, %d idle, %d in truth", len(c.open), c.waiting.Len(), len(state))
			}
		}
	})
}
