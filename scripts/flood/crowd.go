package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// crowd is the concurrent requests of a flood.
type crowd struct {
	server *server
	flood  flood
	over   chan bool
	all    sync.WaitGroup
	number atomic.Int64

	mu     sync.Mutex
	counts map[string]int
	open   map[net.Conn]bool
}

func newCrowd(s *server, f flood, size int) *crowd {
	c := &crowd{server: s, flood: f, over: make(chan bool), counts: map[string]int{},
		open: map[net.Conn]bool{}}
	for range size {
		c.all.Go(func() {
			for !c.isOver() {
				c.count(c.one())
			}
		})
	}
	return c
}

func (c *crowd) isOver() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// one sends requests over one connection until that ends, and returns why it did.
func (c *crowd) one() string {
	conn, err := net.Dial("tcp", c.server.address)
	if err != nil {
		time.Sleep(100 * time.Millisecond)
		return "no connection"
	}
	c.keep(conn)
	defer c.drop(conn)
	if c.flood.isPart {
		return c.part(conn)
	}
	r := bufio.NewReader(conn)
	for !c.isOver() {
		n := int(c.number.Add(1))
		go func() { _ = c.flood.send(conn, c.server, n) }() // the answer may come before its end
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			return "closed"
		}
		_, err = io.Copy(io.Discard, res.Body)
		if err != nil || res.Close || res.StatusCode >= 400 {
			if res.StatusCode == http.StatusTooManyRequests {
				time.Sleep(100 * time.Millisecond)
			}
			return fmt.Sprint(res.StatusCode)
		}
		c.count(fmt.Sprint(res.StatusCode))
	}
	return "over"
}

// part sends a part, and what drips, until the server ends the connection.
func (c *crowd) part(conn net.Conn) string {
	if tcp, is := conn.(*net.TCPConn); is {
		_ = tcp.SetReadBuffer(4 * kib)
	}
	if err := c.flood.send(conn, c.server, int(c.number.Add(1))); err != nil {
		return "closed"
	}
	if c.flood.drips == "" && c.flood.body == nil && c.flood.raw == "" || c.isUnread() {
		<-c.over // an answer that nobody reads
		return "unread"
	}
	go func() {
		for c.flood.drips != "" {
			time.Sleep(500 * time.Millisecond)
			if _, err := io.WriteString(conn, c.flood.drips); err != nil {
				return
			}
		}
	}()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "closed"
	}
	if res.StatusCode == http.StatusTooManyRequests {
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Sprint(res.StatusCode)
}

func (c *crowd) isUnread() bool { return strings.HasPrefix(c.flood.name, "unread") }

func (c *crowd) count(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
}

func (c *crowd) keep(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[conn] = true
}

func (c *crowd) drop(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, conn)
	_ = conn.Close()
}

// stop ends all connections.
func (c *crowd) stop() {
	close(c.over)
	c.mu.Lock()
	for conn := range c.open {
		_ = conn.Close()
	}
	c.mu.Unlock()
	c.all.Wait()
}

// answers returns how often the flood was answered with each status.
func (c *crowd) answers() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var words []string
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		words = append(words, fmt.Sprintf("%d x %s", c.counts[what], what))
	}
	return strings.Join(words, ", ")
}
