package serve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/policy"
)

// What a view takes and refuses is the same over HTTP as elsewhere.
func TestRequestsAreThoseOfTheViews(t *testing.T) {
	s := newTestServer(t)
	event := s.ask("POST", api+"/events", aMessage).json(t)["event_id"].(string)
	s.ask("PUT", api+"/memories/project/db", `{"tenant_id":"t1","content":{"text":"old port"},
		"source":"chat"}`)
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", "/notes", `{"tenant_id":"t1","text":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}`,
			422, `"message":"` + policy.NoteRefusal + `: content.text, characters 1 to 40`},
		{"POST", "/notes", `{"tenant_id":"t1","text":"x","importance":11}`, 400, "from 0 to 10"},
		{"POST", "/notes", `{"tenant_id":"t1","text":"new port","importance":0.9,
			"replaces":["project/db"]}`, 201, `"replaced":["/project/db"]`},
		{"POST", "/notes", fmt.Sprintf(`{"tenant_id":"t1","text":"x","replaces":[%q]}`, event), 422,
			"does not write there"},
		{"GET", "/memories/search?tenant_id=t1&q=&min_importance=0.8", "", 200, `"count":1`},
		{"GET", "/memories/search?tenant_id=t1&q=port&prefix=project&sort=time", "", 200, `"count":1`},
		{"GET", "/memories/search?tenant_id=t1&q=port&sort=age", "", 400, "want relevance, time"},
		{"GET", "/memories/search?tenant_id=t1&q=port&min_importance=11", "", 400, "from 0 to 10"},
		{"PUT", "/memories/" + event, `{"tenant_id":"t1","content":1,"source":"x"}`, 400, "it is an id"},
		{"POST", "/tasks", `{"tenant_id":"t1","title":"port it","agent_id":"ada"}`, 201, "task_"},
	} {
		got := s.ask(c.method, api+c.path, c.body)
		if got.status != c.status || !strings.Contains(got.body, c.says) {
			t.Errorf("%s %s %s: %d %s, want %d %s", c.method, c.path, c.body, got.status, got.body,
				c.status, c.says)
		}
	}
}
