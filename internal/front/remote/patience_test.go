package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/wire"
)

// pipes is a network in memory, in which no real time passes.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p <- there
	return here, nil
}

// askedOf runs a command line at a server that answers so, and returns how long that took.
func askedOf(t *testing.T, answer http.HandlerFunc, ask func(*Client) error) (
	took time.Duration, err error) {
	return sentTo(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		answer(w, r)
	}, ask)
}

// sentTo is askedOf a server that also reads the body as it likes.
func sentTo(t *testing.T, answer http.HandlerFunc, ask func(*Client) error) (
	took time.Duration, err error) {
	p := make(pipes)
	s := &http.Server{Handler: answer}
	served := make(chan error)
	go func() { served <- s.Serve(p) }()
	c := clientAt(t, "http://127.0.0.1:1/t1")
	transport := c.http.Transport.(*http.Transport)
	transport.DialContext = p.dial
	began := time.Now()
	err = ask(c)
	took = time.Since(began)
	transport.CloseIdleConnections()
	_ = s.Close()
	<-served
	time.Sleep(time.Minute) // what is left of its connections ends
	return took, err
}

func runs(c *Client) error {
	_, err := c.Run(context.Background(), &wire.Request{})
	return err
}

// every writes a text again and again until nobody reads it.
func every(d time.Duration, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(d):
			case <-r.Context().Done():
			}
		}
	}
}

// signsFor signs for a time, as memd does, and answers then, all of it at once or in parts.
func signsFor(d time.Duration, parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		send := http.NewResponseController(w)
		for ; d > 0; d -= 10 * time.Second {
			<-time.After(10 * time.Second)
			_, _ = io.WriteString(w, "\n")
			_ = send.Flush()
		}
		for i, part := range parts {
			if i > 0 {
				<-time.After(29 * time.Second)
			}
			_, _ = io.WriteString(w, part)
			_ = send.Flush()
		}
	}
}

// A command ends at a server that says nothing, or that drips, and the error says that it may have
// run; one that takes long, and of which the server says so, is not ended.
func TestServerThatDrips(t *testing.T) {
	t.Parallel()
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	text := strings.Repeat("a", paceBytes)
	long := `{"exit":0,"printed":[{"text":"`
	for what, c := range map[string]struct {
		server http.HandlerFunc
		took   time.Duration
		says   string // "": there is an answer
	}{
		"silent":              {silent, 30 * time.Second, "nothing for 30s"},
		"signs and then none": {every(time.Hour, "\n"), 30 * time.Second, "nothing for 30s"},
		"signs for ever": {every(10*time.Second, "\n"), wire.MaxRun + 30*time.Second,
			"still runs after 5m0s"},
		"drips": {every(time.Second, "{"), 30 * time.Second, "less than 1024 bytes"},
		"drips after a sign": {func(w http.ResponseWriter, r *http.Request) {
			signsFor(10*time.Second)(w, r)
			every(time.Second, "a")(w, r)
		}, 40 * time.Second, "less than 1024 bytes"},
		"a short answer, late": {signsFor(70*time.Second, `{"exit":0}`), 0, ""},
		"a long answer, slow":  {signsFor(20*time.Second, long, text, text, text, `"}]}`), 0, ""},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				took, err := askedOf(t, c.server, runs)
				if c.says == "" {
					if err != nil {
						t.Errorf("after %v: %v", took, err)
					}
					return
				}
				if mem.KindOf(err) != mem.KindUnknown || took != c.took ||
					!strings.Contains(err.Error(), "it is unknown whether the server ran") ||
					!strings.Contains(err.Error(), c.says) {
					t.Errorf("after %v: %v", took, err)
				}
			})
		})
	}
}

// A server that is asked for nothing that changes it, or takes no request, leaves no doubt.
func TestPatienceElsewhere(t *testing.T) {
	t.Parallel()
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	synctest.Test(t, func(t *testing.T) {
		took, err := askedOf(t, silent, func(c *Client) error {
			_, err := c.Whoami(context.Background())
			return err
		})
		if mem.KindOf(err) != mem.KindIO || took != 30*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		took, err := askedOf(t, silent, func(c *Client) error {
			_, err := c.Post(context.Background(), "/mcp", url.Values{}, http.Header{},
				[]byte("{}"))
			return err
		})
		if mem.KindOf(err) != mem.KindUnknown || took != 40*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // its caller has a deadline of its own, as a hook
		took, err := askedOf(t, silent, func(c *Client) error {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_, err := c.Run(ctx, &wire.Request{})
			return err
		})
		if !errors.Is(err, context.DeadlineExceeded) || took != time.Second {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

// A request that ended for want of patience is not sent again.
func TestPatienceIsNotRenewed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int32
		_, err := askedOf(t, func(_ http.ResponseWriter, r *http.Request) {
			sent.Add(1)
			<-r.Context().Done()
		}, runs)
		if err == nil || sent.Load() != 1 {
			t.Errorf("sent %d times: %v", sent.Load(), err)
		}
	})
}

// A long command line may take its time to the server, as long as the server takes it.
func TestLongRequestsAreSent(t *testing.T) {
	t.Parallel()
	in := &wire.Request{Files: map[string][]byte{"-": make([]byte, 1<<20)}}
	for what, c := range map[string]struct {
		pause time.Duration
		fails bool
	}{"slowly": {50 * time.Second, false}, "not at all": {time.Hour, true}} {
		synctest.Test(t, func(t *testing.T) {
			over := make(chan bool)
			took, err := sentTo(t, func(w http.ResponseWriter, r *http.Request) {
				for n, err := int64(1), error(nil); n > 0 && err == nil; {
					select {
					case <-time.After(c.pause):
					case <-over:
					}
					n, err = io.CopyN(io.Discard, r.Body, 1<<18)
				}
				_, _ = io.WriteString(w, `{"exit":0}`)
			}, func(c *Client) error {
				defer close(over)
				_, err := c.Run(context.Background(), in)
				return err
			})
			if (err != nil) != c.fails || took < time.Minute {
				t.Errorf("%s, after %v: %v", what, took, err)
			}
		})
	}
}

// A server without room for a request is asked again, which ran nothing.
func TestFullServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	for full, fails := range map[int32]bool{2: false, 3: true} {
		synctest.Test(t, func(t *testing.T) {
			var sent atomic.Int32
			_, err := askedOf(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get(retryHeader) != "0" {
					t.Error("it says that the first request may have run")
				}
				if sent.Add(1) <= full {
					w.WriteHeader(http.StatusTooManyRequests)
					_, _ = io.WriteString(w, `{"error":{"code":"locked","message":"full"}}`)
					return
				}
				_, _ = io.WriteString(w, `{"exit":0}`)
			}, runs)
			if (err != nil) != fails || fails && mem.KindOf(err) != mem.KindLocked {
				t.Errorf("after %d times: %v", full, err)
			}
		})
	}
}
