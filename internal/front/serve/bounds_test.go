package serve

import (
	"strings"
	"testing"
)

// A request whose parts have no bound of their own is refused by one, as bad input, and the server
// goes on.
func TestBoundsOfRequests(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	deep := strings.Repeat("[", 900_000) + strings.Repeat("]", 900_000)
	long := `["x` + strings.Repeat(`","x`, 1_000) + `"]`
	words := strings.Repeat("word ", 4_000)
	const of = `{"tenant_id":"t1","agent_id":"ada",`
	for _, c := range []struct{ method, path, body, says string }{
		{"POST", "/notes", of + `"text":"x","tags":` + deep + `}`, "nesting past 128 levels"},
		{"POST", "/notes", of + `"text":"x","replaces":` + long + `}`, "replaces: 1001 entries"},
		{"PUT", "/memories/a", of + `"source":"x","content":` + deep + `}`, "nesting past"},
		{"PUT", "/memories/" + strings.Repeat("a", 2_000), of + `"source":"x","content":1}`,
			"1024"},
		{"POST", "/events", deep, "nesting past"},
		{"POST", "/events", strings.Replace(aMessage, "{", `{"refs":`+long+`,`, 1),
			"refs: 1001 entries"},
		{"POST", "/decisions", of + `"decision":"x","rationale":` + long + `}`, "rationale: 1001 entries"},
		{"POST", "/acb/build", of + `"session_id":"s1","query_text":` + deep + `}`, "nesting past"},
		{"GET", "/memories/search?tenant_id=t1&q=x" + strings.Repeat("&tag=a", 1_001), "",
			"tags: 1001 entries"},
		{"GET", "/memories/search?tenant_id=t1&q=x&tag=a" + strings.Repeat(",a", 1_000), "",
			"tags: 1001 entries"},
		{"GET", "/memories/search?tenant_id=t1&q=x&tag=a" + strings.Repeat(",!a", 4_000), "",
			"tags: 4001 entries"},
		{"GET", "/memories/search?tenant_id=t1&q=x&type=a" + strings.Repeat(",a", 1_000), "",
			"types: 1001 entries"},
	} {
		got := s.ask(c.method, api+c.path, c.body)
		if got.status != 400 || got.code(t) != "input" || !strings.Contains(got.body, c.says) {
			t.Errorf("%s %.60s: %d %.200s, want %s", c.method, c.path, got.status, got.body, c.says)
		}
	}
	got := s.ask("POST", api+"/acb/build", of+`"session_id":"s1","query_text":"`+words+words+`"}`)
	if got.status != 200 { // a prompt may be any file: its beginning counts
		t.Errorf("%d %.200s", got.status, got.body)
	}
}
