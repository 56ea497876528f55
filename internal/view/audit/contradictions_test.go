package audit_test

import (
	"fmt"
	"testing"

	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/audit"
)

// opposed are pairs of contents in one folder, and whether they contradict each other.
var opposed = []struct {
	a, b string
	want bool
}{
	{`"The port is 5432."`, `"the port is 3306"`, true},
	{`{"text":"The database is PostgreSQL on port 5432"}`,
		`{"text":"The database is MySQL on port 3306"}`, true},
	{`"The API uses PostgreSQL"`, `"the API uses the MySQL"`, true},
	{`"Ada prefers dark mode"`, `"Ada prefers light mode"`, true},
	{`"the API uses mysql"`, `"the API uses PostgreSQL"`, true},
	{`"CI runs on Debian"`, `"CI runs on Ubuntu"`, true},
	{`{"summary":"Ada lives in Paris","text":"a\nb"}`, `{"text":"Ada lives in Rome"}`, true},
	{`{"subject":"Ada","predicate":"likes","object":"tea"}`,
		`{"subject":"ada","predicate":"likes","object":"coffee","tags":["x"]}`, true},
	{`{"key":"port","value":1}`, `{"key":"Port","value":2}`, true},
	{`{"name":"port","value":{"a":1,"b":2}}`, `{"name":"port","value":{"b":2,"a":2}}`, true},

	{`{"name":"port","value":{"a":1,"b":2}}`, `{"name":"port","value":{"b":2,"a":1}}`, false},
	{`{"key":"port","value":1,"env":"prod"}`, `{"key":"port","value":2,"env":"test"}`, false},
	{`{"key":"port","value":1}`, `{"key":"host","value":2}`, false},
	{`{"key":"port","value":1}`, `{"name":"port","value":2}`, false},
	{`{"key":"port","value":1}`, `{"key":"port","value":null}`, false},
	{`{"value":1}`, `{"value":2}`, false}, {`{"key":1,"value":1}`, `{"key":1,"value":2}`, false},
	{`"the port is 5432"`, `"The port is 5432!"`, false},
	{`"the port is 5432"`, `"the host is h1"`, false},
	{`"the port is 5432"`, `"the port is open"`, false},
	{`"the API is fast"`, `"the API is internal"`, false},
	{`"the project is Go"`, `"the project is MIT licensed"`, false},
	{`"the shop uses PostgreSQL for storage"`, `"the shop uses Redis for caching"`, false},
	{`"Ada prefers dark mode"`, `"Ada prefers short answers"`, false},
	{`"Ada prefers German"`, `"Ada prefers tabs"`, false},
	{`"Ada works at Acme"`, `"Ada works at home"`, false},
	{`"it is Go"`, `"it is Rust"`, false},
	{`"the port is not 5432"`, `"the port is not 3306"`, false},
	{`"the port isn’t 5432"`, `"the port isn’t 3306"`, false},
	{`"the API also uses Go"`, `"the API also uses Rust"`, false},
	{`"The port is 1. The host is h1."`, `"The port is 2. The host is h1."`, false},
	{`"is the port 5432?"`, `"is the port 3306?"`, false},
	{`{"type":"fact","text":"the port is 1"}`, `{"type":"todo","text":"the port is 2"}`, false},
	{`{"env":"a","text":"the port is 1"}`, `{"env":"b","text":"the port is 2"}`, false},
	{`{"text":"the port is 1","superseded_by":"/b"}`, `{"text":"the port is 2"}`, false},
	{`"uses Go"`, `"uses Rust"`, false}, {`"the port is"`, `"the port is 2"`, false},
	{`""`, `""`, false}, {`"is"`, `"is is"`, false}, {`7`, `8`, false}, {`"…"`, `"="`, false},
}

func TestContradictions(t *testing.T) {
	t.Parallel()
	for _, c := range opposed {
		f := &fixture{storetest.NewStore(t, storetest.Memory)}
		f.put("/x/a "+c.a, "/x/b "+c.b)
		found := f.run(audit.Options{Contradictions: true}).Found
		if got := len(found) == 1; got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
		if c.want && (found[0].Key.String() != "/x/a" || found[0].Others[0].String() != "/x/b") {
			t.Errorf("%s and %s: %+v", c.a, c.b, found)
		}
	}
}

func TestWhereContradictionsAre(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		look := audit.Options{Contradictions: true}
		f.put(`/x/a "the port is 1"`, `/y/a "the port is 2"`, `/x/a/c "the port is 3"`,
			`/day/2026-02-01 "the port is 4"`, `/day/2026-02-02_x "the port is 5"`)
		f.finds(look, "")
		f.put(`/x/b "the port is 6"`, `/x/c "the port is 1"`)
		f.finds(look, "contradictions /x/b /x/c")
		f.put(`/x/d {"text":"the port is 7"}`)
		f.finds(look, "contradictions /x/a /x/d; contradictions /x/b /x/d; "+
			"contradictions /x/c /x/d")
		for i := range 3 { // more than three values are a list
			f.put(fmt.Sprintf(`/x/e%d {"text":"the port is 8%d"}`, i, i))
		}
		f.finds(look, "")
		f.put(`/u/a "Ada uses Linux"`, `/u/b "Ada uses Vim"`)
		f.finds(look, "contradictions /u/a /u/b")
		f.put(`/u/c "Ada uses Firefox"`)
		f.finds(look, "")
	})
}
