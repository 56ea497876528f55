package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/journal"
)

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// Over TCP nobody comes in without a token, by a foreign name or from a foreign page.
func TestWhoComesInOverTCP(t *testing.T) {
	s := newTestServer(t, func(o *Options) {
		o.Hosts = []string{"mem.example", "Other.example:8181"}
	})
	_, secret := s.token("t1", "ada")
	const path = api + "/memories"
	for _, c := range []struct {
		name, token, path string
		status            int
		change            []func(*http.Request)
	}{
		{"a token", secret, path, 200, nil},
		{"no token", "", path, 401, nil},
		{"a wrong token", secret + "x", path, 401, nil},
		{"the id of one", "tok_01KJ2KH5D04XNZEQFPHTQVBEWQ", path, 401, nil},
		{"another scheme", "", path, 401,
			[]func(*http.Request){header("Authorization", "Basic "+secret)}},
		{"small letters", "", path, 200,
			[]func(*http.Request){header("Authorization", "bearer "+secret)}},
		{"no token and no route", "", "/nonsense", 401, nil},
		{"metrics", "", "/metrics", 401, nil},
		{"metrics of all tenants, with a token", secret, "/metrics", 403, nil},
		{"the document", "", api + "/openapi.json", 401, nil},
		{"health", "", "/healthz", 200, nil},
		{"health by a foreign name", "", "/healthz", 403,
			[]func(*http.Request){host("evil.example")}},
		{"a rebound name", secret, path, 403, []func(*http.Request){host("evil.example:8181")}},
		{"localhost", secret, path, 200, []func(*http.Request){host("localhost:1")}},
		{"LOCALHOST.", secret, path, 200, []func(*http.Request){host("LOCALHOST.")}},
		{"localhost.evil", secret, path, 403,
			[]func(*http.Request){host("localhost.evil.example")}},
		{"an address", secret, path, 200, []func(*http.Request){host("[::1]:8181")}},
		{"a name that was given", secret, path, 200, []func(*http.Request){host("MEM.example")}},
		{"that of a listener", secret, path, 200, []func(*http.Request){host("other.example:1")}},
		{"a foreign page", secret, path, 403,
			[]func(*http.Request){header("Origin", "https://evil.example")}},
		{"a page of nowhere", secret, path, 403, []func(*http.Request){header("Origin", "null")}},
		{"a page of its own", secret, path, 200, []func(*http.Request){
			header("Origin", "http://localhost:99"), host("localhost:99")}},
		{"one of another port", secret, path, 403, []func(*http.Request){
			header("Origin", "http://localhost:98"), host("localhost:99")}},
	} {
		got := s.askTCP(c.token, "GET", c.path, "", c.change...)
		if got.status != c.status {
			t.Errorf("%s: %d %s, want %d", c.name, got.status, got.body, c.status)
		}
		if got.status == 401 && got.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: %v", c.name, got.header)
		}
	}
	r, err := http.NewRequest("GET", "http://mem"+path+"?tenant_id=t1", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "https://evil.example")
	if got := s.do(s.unix, r); got.status != 403 {
		t.Errorf("a foreign page over the socket: %+v", got)
	}
}

// A token is for one tenant and for some agents, whatever a request says.
func TestTokensSayWhoAsks(t *testing.T) {
	s := newTestServer(t)
	_, one := s.token("t1", "ada")
	_, two := s.token("t1", "ada", "grace")
	body := func(members object) string {
		v := object{"session_id": "s1", "kind": "message", "content": "hello",
			"actor": object{"type": "human", "id": "user"}}
		for name, value := range members {
			v[name] = value
		}
		text, _ := json.Marshal(v)
		return string(text)
	}
	for _, c := range []struct {
		token, query string
		members      object
		status       int
	}{
		{one, "", nil, 201},
		{one, "", object{"tenant_id": "t1", "agent_id": "ada"}, 201},
		{one, "?tenant_id=t1", nil, 201},
		{one, "", object{"tenant_id": "t2"}, 403},
		{one, "?tenant_id=t2", nil, 403},
		{one, "?tenant_id=t2", object{"tenant_id": "t1"}, 403},
		{one, "", object{"agent_id": "grace"}, 403},
		{one, "?agent_id=grace", nil, 403},
		{two, "", object{"agent_id": "grace"}, 201},
		{two, "?agent_id=grace", nil, 201},
		{two, "?agent_id=ada", object{"agent_id": "grace"}, 400},
		{two, "", nil, 201},
	} {
		got := s.askTCP(c.token, "POST", api+"/events"+c.query, body(c.members))
		if got.status != c.status {
			t.Errorf("%s %v: %d %s, want %d", c.query, c.members, got.status, got.body, c.status)
		}
	}
	// An agent speaks for people and tools, and for itself alone.
	for _, c := range []struct {
		token, query, kind, id string
		status                 int
	}{
		{one, "", "agent", "ada", 201}, {one, "", "agent", "grace", 403},
		{one, "", "human", "grace", 201}, {one, "", "tool", "sh", 201},
		{one, "?agent_id=ada", "agent", "grace", 422}, {two, "", "agent", "grace", 201},
		{two, "", "agent", "eve", 403}, {two, "?agent_id=ada", "agent", "grace", 422},
	} {
		got := s.askTCP(c.token, "POST", api+"/events"+c.query, fmt.Sprintf(`{"session_id":"s9",`+
			`"kind":"message","actor":{"type":%q,"id":%q},"content":{"text":"x"}}`, c.kind, c.id))
		if got.status != c.status {
			t.Errorf("%s %s %s: %d %s", c.query, c.kind, c.id, got.status, got.body)
		}
	}
	// What the token says is kept, even where the request leaves it out.
	id := s.askTCP(one, "POST", api+"/events", body(nil)).json(t)["event_id"].(string)
	stored := s.askTCP(one, "GET", api+"/memories/event/s1/"+id, "").json(t)["content"].(object)
	if stored["agent_id"] != "ada" {
		t.Errorf("%v", stored)
	}
	// The agent of a token for one is known, that of a token for two must be named.
	const build = `{"session_id":"s1"}`
	if got := s.askTCP(one, "POST", api+"/acb/build", build); got.status != 200 {
		t.Errorf("%+v", got)
	}
	if got := s.askTCP(two, "POST", api+"/acb/build", build); got.status != 400 {
		t.Errorf("%+v", got)
	}
}

// What an agent keeps for itself no other one sees, whatever route it takes.
func TestAgentsAreApart(t *testing.T) {
	s := newTestServer(t)
	_, ada := s.token("t1", "ada")
	_, grace := s.token("t1", "grace")
	open, err := s.tenants.acquire("t1")
	if err != nil {
		t.Fatal(err)
	}
	defer s.tenants.release(open)
	entry, err := journal.Save(t.Context(), open.store, mem.Caller{Agent: "ada"}, journal.Journal,
		"mine alone", journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := api + "/memories" + entry.Key.String()
	if got := s.askTCP(ada, "GET", path, ""); !strings.Contains(got.body, "alone") {
		t.Errorf("its own: %+v", got)
	}
	for _, at := range []string{path, api + "/memories?prefix=/agent",
		api + "/memories/search?q=alone&prefix=/agent"} {
		if got := s.askTCP(grace, "GET", at, ""); strings.Contains(got.body, "alone") {
			t.Errorf("%s: %s", at, got.body)
		}
		if got := s.ask("GET", withTenant(at), ""); strings.Contains(got.body, "alone") {
			t.Errorf("nobody's %s: %s", at, got.body)
		}
	}
	// Neither does a proposal reveal that the key exists.
	for _, at := range []string{path, path[:len(path)-1] + "0"} {
		for _, got := range []answer{
			s.askTCP(grace, "DELETE", at, `{"propose":true}`),
			s.askTCP(grace, "PUT", at, `{"propose":true,"content":{"text":"x"},"source":"chat"}`),
			s.ask("DELETE", withTenant(at), `{"tenant_id":"t1","propose":true}`),
		} {
			if got.status != 404 || got.code(t) != "no" {
				t.Errorf("a proposal about %s: %d %s", at, got.status, got.body)
			}
		}
	}
}

func withTenant(path string) string {
	if strings.Contains(path, "?") {
		return path + "&tenant_id=t1"
	}
	return path + "?tenant_id=t1"
}

// A token that was revoked is refused from then on, on the same connection too.
func TestRevokedTokens(t *testing.T) {
	s := newTestServer(t)
	id, secret := s.token("t1", "ada")
	_, other := s.token("t2", "ada")
	if got := s.askTCP(secret, "GET", api+"/memories", ""); got.status != 200 {
		t.Fatalf("%+v", got)
	}
	// As another process does it.
	tokens := NewTokens(s.root, s.o.Clock, s.o.Store.LockWait)
	if _, err := tokens.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := s.askTCP(secret, "GET", api+"/memories", ""); got.status != 401 {
		t.Errorf("%+v", got)
	}
	if _, err := tokens.Revoke(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if got := s.askTCP(other, "GET", api+"/memories", ""); got.status != 401 {
		t.Errorf("%+v", got)
	}
}
