package serve

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
)

// echo answers with who asks, and what their memory has under /k.
func echo(w http.ResponseWriter, r *http.Request) error {
	who, err := CallerOf(r.Context())
	if err != nil {
		return err
	}
	m, err := Open(r.Context(), who)
	if err != nil {
		return err
	}
	defer m.Close()
	done, err := m.Turn(r.Context(), true)
	if err != nil {
		return err
	}
	defer done()
	rec, err := m.Store.Get(r.Context(), who, keypath.MustParse("/k"), false)
	if err == nil {
		fmt.Fprintf(w, "%s %s %s %s", r.Method, who.Tenant, who.Agent, rec.Content)
	}
	return err
}

// A front gets what was admitted, and opens the memory of the token or of the query.
func TestFrontsGetWhatWasAdmitted(t *testing.T) {
	s := newTestServer(t, func(o *Options) {
		o.Fronts = []Front{{Path: "/mcp", Serve: echo},
			{Path: "/page/", Admits: true, Serve: echo}}
	})
	_, secret := s.token("t1", "ada")
	s.ask("PUT", api+"/memories/k", `{"tenant_id":"t1","content":7,"source":"chat"}`)
	for _, c := range []struct {
		name   string
		got    answer
		status int
		want   string // the answer, or the code of the error
	}{
		{"socket", s.ask("POST", "/mcp?tenant_id=t1&agent_id=bob&x=1&x=2", ""), 200,
			"POST t1 bob 7"},
		{"socket, another tenant", s.ask("GET", "/page/a/b?tenant_id=t2", ""), 404, "no"},
		{"socket, no tenant", s.ask("POST", "/mcp", ""), 400, "input"},
		{"token", s.askTCP(secret, "POST", "/mcp", ""), 200, "POST t1 ada 7"},
		{"token of another", s.askTCP(secret, "POST", "/mcp?tenant_id=t2", ""), 403, "refused"},
		{"no token", s.askTCP("", "POST", "/mcp", ""), 401, "refused"},
		{"foreign page", s.askTCP(secret, "POST", "/mcp", "", header("Origin", "http://evil")),
			403, "refused"},
		{"below", s.askTCP(secret, "POST", "/mcp/x", ""), 404, "no"},
		{"admitted by itself", s.askTCP("", "GET", "/page/?tenant_id=t1", ""), 401, "refused"},
		{"admitted, foreign name", s.askTCP("", "GET", "/page/", "", host("evil.example")), 403,
			"refused"},
		{"out of it", s.askTCP("", "GET", "/page/../api/v1/memories", ""), 401, "refused"},
		{"out of it, in code", s.askTCP("", "GET", "/page/%2e%2e/api/v1/memories", ""), 400,
			"input"},
		{"health", s.askTCP("", "GET", "/healthz", ""), 200, `{"status":"ok"}` + "\n"},
	} {
		said := c.got.body
		if c.got.status != 200 {
			said = c.got.code(t)
		}
		if c.got.status != c.status || said != c.want {
			t.Errorf("%s: %d %q, want %d %q", c.name, c.got.status, c.got.body, c.status, c.want)
		}
	}
}

// noTurns checks that every turn was given back, once.
func (s *testServer) noTurns() {
	s.t.Helper()
	for name, q := range map[string]*turns{"work": s.work, "writes": s.writes} {
		q.mu.Lock()
		if q.busy.Load() != 0 {
			s.t.Errorf("%s: %d turns are busy after all requests", name, q.busy.Load())
		}
		for tenant, t := range q.tenants {
			if t.held != 0 || t.waits != 0 || t.used(q.clock()) < 0 {
				s.t.Errorf("%s: %s has %d turns, and waits for %d", name, tenant, t.held, t.waits)
			}
		}
		q.mu.Unlock()
	}
}

// What prints much waits until fewer do, one of a tenant at a time; with the memory its turn ends.
func TestLongAnswersAreMadeInTurn(t *testing.T) {
	begun := make(chan string, 4)
	s := newTestServer(t, func(o *Options) {
		serve := func(_ http.ResponseWriter, r *http.Request) error {
			who, err := CallerOf(r.Context())
			if err != nil {
				return err
			}
			m, err := Open(r.Context(), who)
			if err != nil {
				return err
			}
			defer m.Close()
			if err := cmp.Or(m.Long(r.Context()), m.Long(r.Context())); err != nil {
				return err
			}
			begun <- who.Tenant
			return nil
		}
		o.Fronts = []Front{{Path: "/long", Serve: serve}}
	})
	s.ask("PUT", api+"/memories/k", `{"tenant_id":"t1","content":7,"source":"chat"}`)
	held := make([]func(), longAnswers)
	for i := range held {
		var err error
		tenant := fmt.Sprint("other", i)
		if held[i], err = s.answers.take(context.Background(), tenant, ""); err != nil {
			t.Fatal(err)
		}
	}
	got := make(chan answer, 1)
	go func() { got <- s.ask("POST", "/long?tenant_id=t1", "") }()
	testkit.WaitFor(t, "an answer that waits", func() bool {
		s.answers.mu.Lock()
		defer s.answers.mu.Unlock()
		of := s.answers.tenants["t1"]
		return of != nil && of.waits == 1
	})
	if len(begun) != 0 {
		t.Error("it did not wait")
	}
	held[0]()
	if a := <-got; a.status != 200 || <-begun != "t1" {
		t.Errorf("%+v", a)
	}
	held[1]()
	s.answers.mu.Lock()
	defer s.answers.mu.Unlock()
	if busy := s.answers.busy.Load(); busy != 0 {
		t.Errorf("%d turns are held at the end", busy)
	}
}
