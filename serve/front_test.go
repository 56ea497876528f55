package serve

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

// echo answers with who asks, and what their memory has under /k.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	who, err := CallerOf(r.Context())
	if err != nil {
		http.Error(w, mem.Message(err), http.StatusForbidden)
		return
	}
	m, err := Open(r.Context(), who)
	if err != nil {
		http.Error(w, mem.Message(err), http.StatusInternalServerError)
		return
	}
	defer m.Close()
	done, err := m.Read(r.Context())
	if err != nil {
		http.Error(w, mem.Message(err), http.StatusInternalServerError)
		return
	}
	defer done()
	rec, err := m.Store.Get(r.Context(), who, keypath.MustParse("/k"), false)
	fmt.Fprintf(w, "%s %s %s %s %v", r.Method, who.Tenant, who.Agent, rec.Content, err)
})

// A front gets what was admitted, and opens the memory of the token or of the query.
func TestFrontsGetWhatWasAdmitted(t *testing.T) {
	s := newTestServer(t, func(o *Options) {
		o.Fronts = []Front{{Path: "/mcp", Handler: echo},
			{Path: "/page/", Admits: true, Handler: echo}}
	})
	_, secret := s.token("t1", "ada")
	s.ask("PUT", api+"/memories/k", `{"tenant_id":"t1","content":7,"source":"chat"}`)
	const none = " /k: no such memory"
	for _, c := range []struct {
		name   string
		got    answer
		status int
		want   string
	}{
		{"socket", s.ask("POST", "/mcp?tenant_id=t1&agent_id=bob&x=1&x=2", ""), 200,
			"POST t1 bob 7 <nil>"},
		{"socket, another tenant", s.ask("GET", "/page/a/b?tenant_id=t2", ""), 200,
			"GET t2  " + none},
		{"socket, no tenant", s.ask("POST", "/mcp", ""), 403, "tenant_id: it is missing\n"},
		{"token", s.askTCP(secret, "POST", "/mcp", ""), 200, "POST t1 ada 7 <nil>"},
		{"token of another", s.askTCP(secret, "POST", "/mcp?tenant_id=t2", ""), 403,
			"tenant_id: the token is for another tenant\n"},
		{"no token", s.askTCP("", "POST", "/mcp", ""), 401, ""},
		{"foreign page", s.askTCP(secret, "POST", "/mcp", "", header("Origin", "http://evil")),
			403, ""},
		{"below", s.askTCP(secret, "POST", "/mcp/x", ""), 404, ""},
		{"admitted by itself", s.askTCP("", "GET", "/page/?tenant_id=t1", ""), 403,
			"a token is wanted\n"},
		{"admitted, foreign name", s.askTCP("", "GET", "/page/", "", host("evil.example")), 403, ""},
		{"out of it", s.askTCP("", "GET", "/page/../api/v1/memories", ""), 401, ""},
		{"out of it, in code", s.askTCP("", "GET", "/page/%2e%2e/api/v1/memories", ""), 400, ""},
		{"health", s.askTCP("", "GET", "/healthz", ""), 200, ""},
	} {
		if c.got.status != c.status || c.want != "" && c.got.body != c.want {
			t.Errorf("%s: %d %q, want %d %q", c.name, c.got.status, c.got.body, c.status, c.want)
		}
	}
}
