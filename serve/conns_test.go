package serve

import (
	"net"
	"net/http"
	"testing"

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

// Past their number the one that has been idle for longest gives way, and none that asks.
func TestIdleConnectionsGiveWay(t *testing.T) {
	c := newConns(2)
	a, b, d, e := &fakeConn{}, &fakeConn{}, &fakeConn{}, &fakeConn{}
	c.changed(a, http.StateNew)
	c.changed(b, http.StateNew)
	c.changed(a, http.StateActive)
	c.changed(d, http.StateNew)
	if a.closed || !b.closed || d.closed {
		t.Errorf("%v %v %v", a.closed, b.closed, d.closed)
	}
	c.changed(b, http.StateClosed)
	c.changed(d, http.StateActive)
	c.changed(e, http.StateNew) // all others ask
	if a.closed || d.closed || !e.closed {
		t.Errorf("%v %v %v", a.closed, d.closed, e.closed)
	}
}

// Whatever happens, no more than the limit and those that give way are kept, and none that asks is
// closed.
func TestConnectionsAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 3
		c := newConns(most)
		state := map[*fakeConn]http.ConnState{}
		pick := func() *fakeConn {
			for conn := range state {
				return conn
			}
			return nil
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			next := rapid.SampledFrom([]http.ConnState{http.StateNew, http.StateActive, http.StateIdle,
				http.StateClosed}).Draw(t, "state")
			conn := pick()
			if next == http.StateNew || conn == nil {
				conn, next = &fakeConn{}, http.StateNew
			}
			state[conn] = next
			c.changed(conn, next)
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
			if len(c.open) > most || len(c.open) != len(state) || c.idle.Len() > len(c.open) {
				t.Fatalf("%d open, %d idle, %d in truth", len(c.open), c.idle.Len(), len(state))
			}
		}
	})
}
