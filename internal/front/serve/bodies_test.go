package serve

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
	"pgregory.net/rapid"
)

// Claims have at most their room, a part of it is for small ones, and all of it comes back.
func TestRoomIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRoom()
		var all []*claim
		t.Repeat(map[string]func(*rapid.T){
			"begin": func(t *rapid.T) {
				tenant := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "tenant")
				token := tenant + rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "token")
				all = append(all, &claim{room: r,
					parties: []party{{"token", token, 4}, {"tenant", tenant, 2}}})
			},
			"grow": func(t *rapid.T) {
				if len(all) == 0 {
					t.Skip()
				}
				c := rapid.SampledFrom(all).Draw(t, "which")
				was := c.small + c.large
				sizes := []int{1_000, smallBody, 1 << 20, 20 << 20}
				more := rapid.SampledFrom(sizes).Draw(t, "more")
				err := c.add(more)
				has := c.small + c.large
				if err == nil && has != was+more || err != nil && has != was {
					t.Fatalf("%d and %d more are %d: %v", was, more, has, err)
				}
			},
			"end": func(t *rapid.T) {
				if len(all) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
				all[i].end()
				all = append(all[:i], all[i+1:]...)
			},
			"": func(t *rapid.T) {
				small, large := 0, 0
				by, own := map[party]int{}, map[party]int{}
				for _, c := range all {
					small, large = small+c.small, large+c.large
					for _, p := range c.parties {
						by[p] += c.large
						if c.large > 0 {
							own[p]++
						}
					}
				}
				if r.small != small || r.all != large || small > smallRoom ||
					large > wholeRoom {
					t.Fatalf("%d, %d; it counts %d and %d", small, large, r.small, r.all)
				}
				for p, n := range by {
					if r.by[p] != n || n > p.room() && own[p] > 1 {
						t.Fatalf("%v has %d, it counts %d", p, n, r.by[p])
					}
				}
			},
		})
	})
}

// send sends the head of a request, and a part of its body.
func (s *testServer) send(secret, head string, part int) net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.web.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	head = "POST " + api + "/notes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + secret +
		"\r\n" + head + "\r\n\r\n"
	if _, err := io.WriteString(conn, head+strings.Repeat(" ", part)); err != nil {
		s.t.Fatal(err)
	}
	return conn
}

// Long bodies that stand still have the room of their token and no more: the next one of the token
// is refused, its short ones are not, and another tenant's long one is not.
func TestLongBodiesKeepNobodyOut(t *testing.T) {
	t.Run("begun", func(t *testing.T) { testLongBodies(t, 1<<20-2) })
	t.Run("announced", func(t *testing.T) { testLongBodies(t, 0) }) // none is read in vain
}

func testLongBodies(t *testing.T, sent int) {
	s := newTestServer(t)
	s.waitsFor(time.Hour)
	_, eve := s.token("t1", "eve")
	_, ada := s.token("t2", "ada")
	const long = 1 << 20
	var stalled []net.Conn
	for range tokenRoom/long - 1 {
		stalled = append(stalled, s.send(eve, "Content-Length: 1048575", sent))
	}
	room := func() int {
		s.room.mu.Lock()
		defer s.room.mu.Unlock()
		return s.room.all
	}
	testkit.WaitFor(t, "the bodies", func() bool { return room() == len(stalled)*long })
	note := `{"text":"short"}` + strings.Repeat(" ", long)
	for _, c := range []struct {
		what, secret, body string
		status             int
	}{
		{"the token's next", eve, note + note, 429}, {"its short one", eve, note[:16], 201},
		{"another tenant's", ada, note, 201},
	} {
		got := s.askTCP(c.secret, "POST", api+"/notes", c.body)
		if got.status != c.status {
			t.Errorf("%s: %d %s, want %d", c.what, got.status, got.body, c.status)
		}
	}
	for _, conn := range stalled {
		conn.Close()
	}
	testkit.WaitFor(t, "their end", func() bool { return room() == 0 })
	if got := s.askTCP(eve, "POST", api+"/notes", note); got.status != 201 {
		t.Errorf("afterwards %+v", got)
	}
}

// A body ends that stands still, and goes on as long as it moves, up to a limit.
func TestBodiesMayBeSlow(t *testing.T) {
	s := newTestServer(t)
	_, ada := s.token("t1", "ada")
	s.tcp.stall, s.tcp.whole = 500*time.Millisecond, time.Hour
	conn := s.send(ada, "Content-Length: 16384", 0)
	text := []byte(`{"text":"slow"` + strings.Repeat(" ", 16384-15) + "}")
	for part := range slices.Chunk(text, 2048) {
		time.Sleep(s.tcp.stall / 4)
		if _, err := conn.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	want := func(what string, conn net.Conn, status int) {
		t.Helper()
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || res.StatusCode != status {
			t.Errorf("%s: %v, %v", what, res, err)
		}
	}
	want("one that moves", conn, 201)
	want("one that stands still", s.send(ada, "Content-Length: 16384", 100), 408)
	want("in chunks, too", s.send(ada, "Transfer-Encoding: chunked\r\n\r\n5\r\n{", 0), 408)
	s.waitsFor(time.Second)
	conn = s.send(ada, "Content-Length: 1048576", 2048)
	go func() {
		for range 100 {
			time.Sleep(50 * time.Millisecond)
			_, _ = conn.Write(text[:2048]) // the server closes it
		}
	}()
	want("one that goes on for too long", conn, 408)
}

// An answer ends whose reader takes nothing, and goes on for one that takes little.
func TestAnswersWaitForSlowReaders(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	serve := func() (*patient, net.Conn) {
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn, err := patience{l, time.Now}.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(); client.Close() })
		p := conn.(*patient)
		p.stall = 400 * time.Millisecond
		_ = p.Conn.(*net.TCPConn).SetWriteBuffer(1 << 20)
		return p, client
	}
	answer := make([]byte, 16<<20)
	p, _ := serve()
	if n, err := p.Write(answer); !isTimeout(err) || n == len(answer) {
		t.Errorf("nobody reads: %d, %v", n, err)
	}
	if unsent(p.Conn) == 0 {
		t.Skip("the system does not say what was taken")
	}
	p, client := serve()
	_ = client.(*net.TCPConn).SetReadBuffer(64 << 10)
	took := make(chan int)
	go func() { // slowly, for several times the limit, and then all of it
		all, part := 0, make([]byte, 32<<10)
		for range 30 {
			time.Sleep(p.stall / 10)
			n, _ := client.Read(part)
			all += n
		}
		rest, _ := io.Copy(io.Discard, client)
		took <- all + int(rest)
	}()
	if n, err := p.Write(answer); err != nil || n != len(answer) {
		t.Errorf("a slow reader: %d, %v", n, err)
	}
	p.Close()
	if n := <-took; n != len(answer) {
		t.Errorf("it took %d of %d", n, len(answer))
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
