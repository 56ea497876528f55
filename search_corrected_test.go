package mem_test

import (
	"testing"

	"github.com/set-memory/mem"
)

// A correction ranks before the memory that it replaces and before stale copies of that, but not
// before other hits or newer memories.
func TestCorrectionsFirst(t *testing.T) {
	f := newStore(t)
	each(f, "/copy", `{"text":"The staging database listens on port 5432 of db-one, always"}`,
		"/old", `{"text":"Staging database listens on port 5432 of db-1","superseded_by":"/new"}`,
		"/new", `{"text":"Staging moved: its database is db-two, port 6432, as Ada said on Monday"}`,
		"/other", `{"text":"The staging database port is open to the office only"}`,
		"/later", `{"text":"The staging database listens on port 5432 of db-one again"}`)
	o := mem.SearchOptions{Query: "staging database listens port",
		Conditions: mem.Conditions{Superseded: true}}
	found, err := f.Search(ctx, mem.Caller{}, o)
	order := map[string]int{}
	for i, hit := range found {
		order[hit.Record.Key.String()] = i
	}
	if err != nil || len(found) != 5 || order["/new"] > order["/copy"] ||
		order["/new"] > order["/old"] || order["/new"] < order["/later"] {
		t.Errorf("%s %v", keysFound(found), err)
	}
}
