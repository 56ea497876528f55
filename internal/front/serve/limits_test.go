package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/log"
)

// Each exit code has its status.
func TestStatusOfErrors(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
	}{
		{mem.ErrNotFound, 404}, {fault.Wrap(mem.KindNo, "", ledger.ErrNotFound, nil), 404},
		{mem.ErrInput, 400}, {policy.ErrProvenance, 422}, {policy.ErrSecret, 422},
		{policy.ErrTooLarge, 413}, {&http.MaxBytesError{Limit: 1}, 413},
		{mem.ErrConflict, 409}, {log.ErrLocked, 423}, {context.DeadlineExceeded, 423},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, 507},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.EIO}, 500},
		{errors.New("nobody knows"), 500}, {errUnauthorized, 401}, {errTenant, 403},
		{errRootGone, 503},
	} {
		for _, err := range []error{c.err, fmt.Errorf("within: %w", c.err)} {
			if got := statusOf(err); got != c.status {
				t.Errorf("%v: %d, want %d", err, got, c.status)
			}
		}
	}
}

// A panic of a handler is a bug that is answered and logged, and ends nothing else.
func TestPanicIsAnswered(t *testing.T) {
	s := newTestServer(t)
	rt := &route{method: "GET", path: "/panics", isOpen: true,
		serve: func(*call) (any, error) { panic("odd") }}
	s.handle(rt)
	got := s.ask("GET", "/panics", "")
	if got.status != 500 || got.code(t) != "bug" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if !strings.Contains(s.logged.String(), "limits_test.go") {
		t.Error("the log has no stack")
	}
}

// A client that leaves before the end of its answer is no error of the server; a connection that
// breaks elsewhere, as that to a database, is one.
func TestClientThatIsGone(t *testing.T) {
	s := newTestServer(t)
	s.handle(&route{method: "GET", path: "/broken", isOpen: true, admits: true,
		serve: func(*call) (any, error) {
			return nil, &net.OpError{Op: "write", Err: syscall.EPIPE}
		}})
	s.handle(&route{method: "GET", path: "/long", isOpen: true, admits: true,
		serve: func(c *call) (_ any, err error) {
			for err == nil {
				_, err = c.w.Write(make([]byte, 64<<10))
			}
			return nil, err
		}})
	s.ask("GET", "/broken", "")
	if got := s.logged.String(); !strings.Contains(got, `"status":500`) {
		t.Error(got)
	}
	conn, err := net.Dial("tcp", s.web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(conn, "GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
	conn.Close()
	testkit.WaitFor(t, "the line of the log", func() bool {
		return strings.Contains(s.logged.String(), `"status":499`)
	})
}

// A body that comes slowly takes no turn from requests that read.
func TestSlowBodiesTakeNoTurn(t *testing.T) {
	s := newTestServer(t)
	_, secret := s.token("t1", "ada")
	const slow = 64
	for range slow {
		conn, err := net.Dial("tcp", s.web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST %s/acb/build HTTP/1.1\r\nHost: localhost\r\n"+
			"Authorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{", api, secret)
	}
	testkit.WaitFor(t, "all requests", func() bool { return s.asking("t1") >= slow })
	if s.work.busy.Load() > 0 || len(s.work.tenants) > 0 {
		t.Errorf("%d of them have a turn", s.work.busy.Load())
	}
	got := s.ask("POST", api+"/acb/build", `{"tenant_id":"t1","session_id":"s1","agent_id":"a"}`)
	if got.status != 200 {
		t.Errorf("%+v", got)
	}
}

// asking returns how many unfinished requests this tenant has over TCP.
func (s *testServer) asking(tenant string) int {
	s.tcp.mu.Lock()
	defer s.tcp.mu.Unlock()
	return s.tcp.asking[party{"tenant", tenant, 2}]
}

// Long bodies of a tenant are decoded one after the other: they keep neither a short one waiting
// nor a long one of another tenant.
func TestLongBodiesAreDecodedInTurn(t *testing.T) {
	s := newTestServer(t)
	_, one := s.token("t1", "eve")
	_, two := s.token("t2", "ada")
	var ends []func()
	for range s.decodes.most / 2 {
		done, err := s.decodes.take(context.Background(), "t1", "another")
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, done)
	}
	short, long := `{"text":`, `{"text":"`+strings.Repeat("x", smallBody)
	got := make(chan answer, 1)
	go func() { got <- s.askTCP(one, "POST", api+"/notes", long) }()
	testkit.WaitFor(t, "a body that waits", func() bool {
		s.decodes.mu.Lock()
		defer s.decodes.mu.Unlock()
		of := s.decodes.tenants["t1"]
		return of != nil && of.waits == 1
	})
	for name, ask := range map[string]answer{
		"a short one":                  s.askTCP(one, "POST", api+"/notes", short),
		"a long one of another tenant": s.askTCP(two, "POST", api+"/notes", long),
	} {
		if ask.status != 400 {
			t.Errorf("%s: %+v", name, ask)
		}
	}
	select {
	case early := <-got:
		t.Fatalf("it did not wait: %+v", early)
	default:
	}
	for _, end := range ends {
		end()
	}
	if last := <-got; last.status != 400 {
		t.Errorf("in the end: %+v", last)
	}
}

// A body that breaks off is its sender's fault, and stores nothing.
func TestHalfBodies(t *testing.T) {
	s := newTestServer(t)
	_, secret := s.token("t1", "ada")
	for _, path := range []string{"/events", "/artifacts"} {
		conn, err := net.Dial("tcp", s.web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST %s%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
			"Content-Length: 1000\r\n\r\n%s", api, path, secret, aMessage)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
			t.Errorf("%s: %s %v", path, answer, err)
		}
	}
	for _, prefix := range []string{"/event", "/artifact"} {
		list := s.ask("GET", api+"/memories?tenant_id=t1&prefix="+prefix, "").json(t)
		if list["count"] != 0.0 {
			t.Errorf("%v", list)
		}
	}
}

// Nobody adds a series to the metrics by what they ask for.
func TestMetricsAreBounded(t *testing.T) {
	s := newTestServer(t)
	for _, path := range []string{"/a", "/b?tenant_id=x", api + "/memories/x?tenant_id=t1",
		api + "/memories/y?tenant_id=t2"} {
		for _, method := range []string{"GET", "PUT", "BREW", "ODD"} {
			s.ask(method, path, "")
		}
	}
	routes := map[string]bool{}
	for line := range strings.Lines(s.ask("GET", "/metrics", "").body) {
		if rest, is := strings.CutPrefix(line, `memd_requests_total{route="`); is {
			routes[rest[:strings.Index(rest, `"`)]] = true
		}
	}
	for route := range routes {
		known := route == "any none"
		for i := range s.routes {
			known = known || route == i
		}
		if !known {
			t.Errorf("route %q", route)
		}
	}
	if len(routes) < 3 {
		t.Errorf("%v", routes)
	}
}
