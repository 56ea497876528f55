package policy

import (
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
)

// The table, the class of a key and what a backend shows are of one mind.
func TestNamespaces(t *testing.T) {
	of := map[keypath.Class]Namespace{}
	for _, ns := range Namespaces() {
		of[ns.Class] = ns
		if ns.Class.IsOpenToAll() != (ns.Audience == Everybody) {
			t.Errorf("class %d is shown: %v", ns.Class, ns.Class.IsOpenToAll())
		}
		for _, prefix := range ns.Prefixes {
			if ns.Audience == Searchers || ns.Audience == ItsAgent ||
				ns.Audience == Listers || ns.Audience == Below {
				continue // not all below the prefix is of the class
			}
			for key, inside := range map[string]bool{
				prefix: true, prefix + "/x/y": true, prefix + "x": false, "/x" + prefix: false,
			} {
				if got := keypath.ClassOf(key) == ns.Class; got != inside {
					t.Errorf("%s is of class %d: %v", key, ns.Class, got)
				}
				shown := Visible(backend.Caller{}, keypath.MustParse(key))
				if shown != (!inside || ns.Audience == Everybody) {
					t.Errorf("%s is visible, or not", key)
				}
			}
		}
	}
	if len(of) != len(Namespaces()) || len(of) < 10 || of[keypath.Quarantined].Audience != Nobody {
		t.Errorf("%+v", of)
	}
}

const ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

// Who is shown what: by its key, in a search or a list, on a page, on a page below a prefix.
func TestAudiences(t *testing.T) {
	for _, c := range []struct{ key, agent, prefix, want string }{
		{"/a", "", "", "key list search page"},
		{"/untrusted/a", "ada", "/untrusted", "key"},
		{"/agent/ada/core/" + ulid, "", "/agent/ada", ""},
		{"/agent/ada/core/" + ulid, "bob", "/agent/ada", ""},
		{"/agent/ada/core/" + ulid, "ada", "", "key list search"},
		{"/agent/ada/core/" + ulid, "ada", "/agent/ada", "key list search"},
		{"/agent/ada/notes", "bob", "", "key list search page"},
		{"/session/s/mem_" + ulid, "ada", "", "key list search"},
		{"/session/s/mem_" + ulid, "", "/sessions", "key list search"},
		{"/session/s/mem_" + ulid, "", "/session", "key list search page"},
		{"/session/s/mem_" + ulid, "", "/session/s", "key list search page"},
		{"/session/s", "", "", "key list"},
		{"/session/s", "", "/session/s", "key list"},
		{"/session/s/x", "", "", "key list search page"},
		{"/event/s/evt_" + ulid, "", "", "key list"},
		{"/event/s/evt_" + ulid, "", "/events", "key list"},
		{"/event/s/evt_" + ulid, "ada", "/event", "key list search page"},
		{"/event/s/evt_" + ulid, "", "/event/s", "key list search page"},
		{"/event/s/evt_" + ulid, "", "/artifact", "key list"},
		{"/artifact/art_" + ulid, "", "", "key list"},
		{"/artifact/art_" + ulid, "", "/artifact", "key list search page"},
		{"/handoff/s/ada", "", "", "key list"},
		{"/handoff/s/ada", "", "/handoff/s", "key list search page"},
		{"/memories/a.md", "", "", "key list"},
		{"/memories/a.md", "", "/memories", "key list search page"},
		{"/decision/dec_" + ulid, "", "", "key list search page"},
	} {
		key, caller := keypath.MustParse(c.key), backend.Caller{Agent: c.agent}
		prefix, err := keypath.ParsePrefix(c.prefix)
		if err != nil {
			t.Fatal(err)
		}
		w := backend.Where{Conditions: backend.Conditions{Prefix: prefix}}
		got := []string{}
		for _, where := range []struct {
			name  string
			shown bool
		}{
			{"key", Permits(caller, key)}, {"list", Visible(caller, key)},
			{"search", ForSearch(caller, w).Shows(key.Realm())},
			{"page", ForPage(caller, w).Shows(key.Realm())},
		} {
			if where.shown {
				got = append(got, where.name)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
