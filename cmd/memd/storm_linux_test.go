package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// 12 agents ask 200 times each, or in a sample 50, over TCP and over the socket, beside 4 writers
// and a compaction of the command line: every call is answered, and what was acknowledged is there.
func TestStormOfAgents(t *testing.T) {
	t.Parallel()
	const agents, writers = 12, 4
	calls := testkit.Extent(50, 200, 200)
	address := freePort(t)
	root := newRoot(t)
	d := startDaemon(t, root, "--listen", address, "--log-level", "error")
	var ids []string
	for a := range agents {
		ids = append(ids, fmt.Sprintf("a%d", a))
	}
	secret := token(t, root, "t1", ids...)
	var all, others sync.WaitGroup
	acked := make(chan string, agents*calls)
	for a := range agents {
		all.Go(func() {
			agent := stormAgent{d: d, id: fmt.Sprintf("a%d", a), acked: acked}
			if a%2 == 0 {
				agent.url, agent.token = "http://"+address, secret
			}
			for i := range calls {
				agent.call(i)
			}
		})
	}
	stop := make(chan bool)
	for w := range writers {
		others.Go(func() {
			for i := 0; !isClosed(stop); i++ {
				text := fmt.Sprintf("cli %d %d", w, i)
				if got := d.mem("t1", "event", "--session", "s1", "--text", text); got.code != 0 {
					t.Errorf("%+v", got)
				}
				acked <- text
			}
		})
	}
	others.Go(func() {
		for !isClosed(stop) {
			if got := d.mem("t1", "compact"); got.code != 0 {
				t.Errorf("%+v", got)
			}
		}
	})
	seen := map[string]bool{}
	collected := make(chan bool)
	go func() {
		for text := range acked {
			seen[text] = true
		}
		close(collected)
	}()
	all.Wait()
	close(stop)
	others.Wait()
	close(acked)
	<-collected
	there := d.stored("t1")
	for text := range seen {
		if !there[text] {
			t.Errorf("%q was acknowledged and is gone", text)
		}
	}
	if len(seen) < agents*calls/2 {
		t.Errorf("only %d events", len(seen))
	}
	t.Logf("%d events acknowledged, %d there, %d MiB, %d threads", len(seen), len(there),
		d.status("VmHWM")>>10, d.status("Threads"))
}

func isClosed(c chan bool) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// stormAgent is one agent of a storm.
type stormAgent struct {
	d          *daemon
	id         string
	url, token string          // "": over the socket
	own        *http.Transport // of its own, or nil for the one that all share
	acked      chan<- string
}

// call asks for one thing or another: mostly events, as agents do.
func (a *stormAgent) call(i int) {
	text := fmt.Sprintf("%s says %d about dentists", a.id, i)
	session := fmt.Sprintf("s%d", i%3)
	switch i % 4 {
	case 0, 1:
		e := event("t1", session, text)
		e["agent_id"], e["actor"] = a.id, map[string]string{"type": "agent", "id": a.id}
		a.want(201, "POST", "/api/v1/events", e)
		a.acked <- text
	case 2:
		a.want(200, "POST", "/api/v1/acb/build", map[string]any{"tenant_id": "t1",
			"session_id": session, "agent_id": a.id, "query_text": "what about dentists"})
	case 3:
		a.want(200, "PUT", "/api/v1/memories/note/"+a.id, map[string]any{"tenant_id": "t1",
			"agent_id": a.id, "content": text, "source": a.id})
	}
}

func (a *stormAgent) want(status int, method, path string, body any) {
	d := *a.d
	if a.url != "" {
		d.http = &http.Client{Transport: &forwarded{a.url, a.token, a.own}}
	}
	got, err := d.ask(method, path, body)
	if err != nil || got.status != status {
		d.t.Errorf("%s %s: %d %s %v", method, path, got.status, got.body, err)
	}
}

// forwarded sends requests over TCP with a token.
type forwarded struct {
	url, token string
	own        *http.Transport
}

func (f *forwarded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = strings.TrimPrefix(f.url, "http://")
	r.Host = r.URL.Host
	r.Header.Set("Authorization", "Bearer "+f.token)
	if f.own != nil {
		return f.own.RoundTrip(r)
	}
	return http.DefaultTransport.RoundTrip(r)
}
