package main

import (
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// crowd is connections that are open and do nothing, or little.
type crowd struct {
	t       *testing.T
	address string
	conns   []net.Conn
}

// open opens connections and sends the same on each.
func (c *crowd) open(n int, send string) {
	c.t.Helper()
	for range n {
		conn, err := net.Dial("tcp", c.address)
		if err != nil {
			c.t.Fatalf("after %d connections: %v", len(c.conns), err)
		}
		c.conns = append(c.conns, conn)
		io.WriteString(conn, send) // memd may have closed it
	}
}

// drip sends a byte on each now and then, until it is stopped.
func (c *crowd) drip(stop chan bool) {
	for !isClosed(stop) {
		for _, conn := range c.conns {
			io.WriteString(conn, "x")
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (c *crowd) close() {
	for _, conn := range c.conns {
		conn.Close()
	}
}

// 10,000 connections, requests that do not go on, in the header and in the body, and bytes that
// drip: memd serves all others meanwhile, has no more connections than it may, and ends what is
// overdue.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	address := freePort(t)
	root := newRoot(t)
	d := startDaemon(t, root, "--listen", address, "--log-level", "error")
	secret := token(t, root, "t1", "ada")
	d.eventually("t1")
	before := d.status("VmRSS")
	idle := &crowd{t: t, address: address}
	defer idle.close()
	idle.open(manyConnections(t), "")
	d.servesAll(address, secret)
	t.Logf("%d connections: %d KiB, before %d KiB, %d files", len(idle.conns),
		d.status("VmRSS"), before, d.files())
	if files := d.files(); files > 3_000 {
		t.Errorf("%d files", files)
	}
	half := &crowd{t: t, address: address}
	defer half.close()
	half.open(1_500, "POST /api/v1/events HTTP/1.1\r\nHost: localho")
	d.servesAll(address, secret)
	bodies := &crowd{t: t, address: address}
	defer bodies.close()
	bodies.open(200, "POST /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+
		secret+"\r\nContent-Length: 10000\r\n\r\n{\"session_id\":")
	stop := make(chan bool)
	go bodies.drip(stop)
	d.servesAll(address, secret)
	last := half.conns[len(half.conns)-1]
	if _, err := io.ReadAll(last); err != nil && !isReset(err) { // until memd closes it
		t.Error(err)
	}
	d.servesAll(address, secret)
	close(stop)
	t.Logf("at most %d KiB, %d threads", d.status("VmHWM"), d.status("Threads"))
}

func isReset(err error) bool {
	op, ok := err.(*net.OpError)
	return ok && op.Err != nil
}

// servesAll asks over the socket and over TCP, each time with a new connection: memd may close one
// that has rested, for a new one of the crowd, while a request is on its way.
func (d *daemon) servesAll(address, secret string) {
	d.t.Helper()
	for i := range 50 {
		over := *d
		over.connect()
		a := stormAgent{d: &over, id: "ada", acked: make(chan string, 2)}
		if i%2 == 0 {
			a.url, a.token = "http://"+address, secret
			a.own = new(http.Transport)
		}
		a.call(i)
		over.http.CloseIdleConnections()
		if a.own != nil {
			a.own.CloseIdleConnections()
		}
	}
}

// manyConnections returns how many a test may open here.
func manyConnections(t *testing.T) int {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	n := min(10_000, int(limit.Cur)-2_500)
	if n < 10_000 {
		t.Logf("only %d connections: ulimit -n is %d", n, limit.Cur)
	}
	return n
}
