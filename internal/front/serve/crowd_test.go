package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
)

// crowd is connections of one client that do not come to the end of their requests.
type crowd struct {
	t     *testing.T
	s     *testServer
	over  string // "tcp" or "unix"
	conns []net.Conn
}

// crowdSize is more than all connections that a server has.
const crowdSize = MaxConns + 76

func (c *crowd) dial() net.Conn {
	c.t.Helper()
	address := c.s.web.Listener.Addr().String()
	if c.over == "unix" {
		address = filepath.Join(c.s.root.path, SocketFile)
	}
	conn, err := net.Dial(c.over, address)
	if err != nil {
		c.t.Fatal(err)
	}
	return conn
}

// newCrowd opens the connections, and sends the same on each.
func newCrowd(t *testing.T, s *testServer, over string, size int, send string) *crowd {
	t.Helper()
	if s.tcp.most < MaxConns {
		t.Skipf("%d connections are too few", s.tcp.most)
	}
	c := &crowd{t: t, s: s, over: over}
	t.Cleanup(c.close)
	for range size {
		conn := c.dial()
		c.conns = append(c.conns, conn)
		_, _ = io.WriteString(conn, send) // the server may have closed it
	}
	return c
}

// waitsFor makes the server wait for a body over TCP for another time.
func (s *testServer) waitsFor(most time.Duration) { s.tcp.stall, s.tcp.whole = most, most }

func (c *crowd) close() {
	for _, conn := range c.conns {
		conn.Close()
	}
}

// answers reads the answer on each connection, and counts the statuses; 0 is none.
func (c *crowd) answers() map[int]int {
	var mu sync.Mutex
	var all sync.WaitGroup
	counts := map[int]int{}
	for _, conn := range c.conns {
		all.Go(func() {
			status := 0
			if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
				status = res.StatusCode
			}
			mu.Lock()
			defer mu.Unlock()
			counts[status]++
		})
	}
	all.Wait()
	return counts
}

// others asks for another tenant, each time on a new connection, and counts the statuses.
func (c *crowd) others(secret string) map[int]int {
	counts := map[int]int{}
	for range 40 {
		conn := c.dial()
		fmt.Fprintf(conn, "GET %s/memories?tenant_id=t2&prefix=/ HTTP/1.1\r\nHost: localhost\r\n"+
			"Authorization: Bearer %s\r\n\r\n", api, secret)
		status := 0
		if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
			status = res.StatusCode
		}
		counts[status]++
		conn.Close()
	}
	return counts
}

// post is the beginning of a request of a tenant, without its body.
func post(secret string) string {
	return "POST " + api + "/notes?tenant_id=t1 HTTP/1.1\r\nHost: localhost\r\n" +
		"Authorization: Bearer " + secret + "\r\nContent-Length: 10000\r\n\r\n{"
}

// A tenant whose requests do not come to their end keeps no other tenant out, over TCP and over the
// socket, whatever is missing. Its requests are answered.
func TestOneTenantKeepsNoOtherOut(t *testing.T) {
	for _, c := range []struct {
		name, over string
		send       func(secret string) string
	}{
		{"bodies", "tcp", post}, {"bodies", "unix", post},
		{"headers", "tcp", func(secret string) string { return post(secret)[:60] }},
		{"headers", "unix", func(secret string) string { return post(secret)[:60] }},
		{"nothing", "tcp", func(string) string { return "" }},
		{"idle", "tcp", func(secret string) string {
			return "GET " + api + "/memories?prefix=/ HTTP/1.1\r\nHost: localhost\r\n" +
				"Authorization: Bearer " + secret + "\r\n\r\n"
		}},
		{"no token", "tcp", func(string) string {
			return "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
		}},
	} {
		t.Run(c.name+" over "+c.over, func(t *testing.T) {
			s := newTestServer(t)
			_, one := s.token("t1", "eve")
			_, two := s.token("t2", "ada")
			crowd := newCrowd(t, s, c.over, crowdSize, c.send(one))
			if got := crowd.others(two); got[200] != 40 {
				t.Errorf("the other tenant gets %v", got)
			}
		})
	}
}

// Requests that do not come to their end are answered, with 408 in the end or with 429 at once.
// Drops of a body make no difference, and when all are answered the tenant is served as before.
func TestCrowdIsAnswered(t *testing.T) {
	s := newTestServer(t)
	s.waitsFor(5 * time.Second)
	_, one := s.token("t1", "eve")
	crowd := newCrowd(t, s, "tcp", crowdSize, post(one))
	var stop atomic.Bool
	var dripping sync.WaitGroup
	dripping.Go(func() {
		for !stop.Load() {
			for _, conn := range crowd.conns {
				_, _ = io.WriteString(conn, " ")
			}
		}
	})
	counts := crowd.answers()
	stop.Store(true)
	dripping.Wait()
	if counts[408] == 0 || counts[429] == 0 ||
		counts[408]+counts[429]+counts[0] != crowdSize {
		t.Errorf("the crowd gets %v", counts)
	}
	testkit.WaitFor(t, "the end of all requests", func() bool { return s.asking("t1") == 0 })
	if got := s.askTCP(one, "GET", api+"/memories?prefix=/", ""); got.status != 200 {
		t.Errorf("afterwards %+v", got)
	}
}

// A request past its part waits for its refusal, and those of other tenants are answered meanwhile.
func TestRefusalsRest(t *testing.T) {
	s := newTestServer(t)
	s.waitsFor(time.Hour)
	_, one := s.token("t1", "eve")
	_, two := s.token("t2", "ada")
	newCrowd(t, s, "tcp", MaxConns/4, post(one))
	testkit.WaitFor(t, "its part", func() bool { return s.asking("t1") == MaxConns/4 })
	refused := make(chan int)
	began := time.Now()
	go func() { refused <- s.askTCP(one, "GET", api+"/memories?prefix=/", "").status }()
	testkit.WaitFor(t, "its rest", func() bool {
		s.tcp.mu.Lock()
		defer s.tcp.mu.Unlock()
		return s.tcp.refused == 1
	})
	if got := s.askTCP(two, "GET", api+"/memories?prefix=/", ""); got.status != 200 {
		t.Errorf("another tenant: %+v", got)
	}
	if got := <-refused; got != 429 || time.Since(began) < pauseTime {
		t.Errorf("%d after %v", got, time.Since(began))
	}
}

// A token has at most a quarter of the connections for unfinished requests, as an address without
// one, and a tenant half of them.
func TestPartsOfConnections(t *testing.T) {
	s := newTestServer(t, func(o *Options) {
		o.Fronts = []Front{{Path: "/form", Admits: true,
			Serve: func(w http.ResponseWriter, r *http.Request) error {
				_, err := io.Copy(w, r.Body)
				return err
			}}}
	})
	s.waitsFor(time.Hour)
	var secrets []string
	for range 3 {
		_, secret := s.token("t1", "eve")
		secrets = append(secrets, secret)
	}
	for i, want := range []int{MaxConns / 4, MaxConns / 2, MaxConns / 2} {
		newCrowd(t, s, "tcp", MaxConns/4, post(secrets[i]))
		testkit.WaitFor(t, "its part", func() bool { return s.asking("t1") == want })
		over := newCrowd(t, s, "tcp", 1, post(secrets[i])).conns[0]
		res, err := http.ReadResponse(bufio.NewReader(over), nil)
		if err != nil || res.StatusCode != 429 || res.Header.Get("Retry-After") == "" {
			t.Fatalf("past its part: %v %v", res, err)
		}
		text, _ := io.ReadAll(res.Body)
		if kind := []string{"this token", "this token", "this tenant"}[i]; !strings.Contains(
			string(text), kind) {
			t.Errorf("%s, want %s", text, kind)
		}
	}
	_, other := s.token("t2", "ada")
	if got := s.askTCP(other, "GET", api+"/memories?prefix=/", ""); got.status != 200 {
		t.Errorf("another tenant: %+v", got)
	}
	form := "POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
	newCrowd(t, s, "tcp", MaxConns/4, form)
	testkit.WaitFor(t, "all of the address", func() bool {
		s.tcp.mu.Lock()
		defer s.tcp.mu.Unlock()
		return s.tcp.asking[party{"address", "127.0.0.1", 4}] == MaxConns/4
	})
	if got := s.askTCP("", "GET", "/healthz", ""); got.status != 429 ||
		!strings.Contains(got.body, "this address") {
		t.Errorf("without a token: %+v", got)
	}
	if got := s.askTCP(other, "GET", api+"/memories?prefix=/", ""); got.status != 200 {
		t.Errorf("with a token: %+v", got)
	}
}
