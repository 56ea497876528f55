package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
)

// Every route does what it is there for, and answers as openapi.json says.
func TestRoutes(t *testing.T) {
	s := newTestServer(t)
	walk := &walker{testServer: s, d: newDescriber(), walked: map[string]bool{}}
	recorded := walk.ok("POST", "/events", aMessage)
	event := recorded["event_id"].(string)
	part := recorded["chunk_ids"].([]any)[0].(string)
	if got := walk.ok("GET", "/chunks/"+part+"?tenant_id=t1", ""); got["chunk_id"] != part {
		t.Errorf("chunk: %v", got)
	}
	if got := walk.ok("GET", "/memories/"+event+"?tenant_id=t1", ""); !strings.HasSuffix(
		got["key"].(string), event) {
		t.Errorf("event: %v", got)
	}
	walk.ok("POST", "/acb/build", `{"tenant_id":"t1","session_id":"s1","agent_id":"ada",
		"channel":"private","intent":"answer","query_text":"what project","max_tokens":65000,
		"now":"2036-01-01T00:00:00Z"}`)
	first := walk.ok("POST", "/decisions", `{"tenant_id":"t1","decision":"PostgreSQL",
		"scope":"project","rationale":["it is there"],"constraints":["one machine"],
		"alternatives":["files"],"consequences":["a dump"],"refs":["`+event+`"]}`)["decision_id"]
	walk.ok("POST", "/decisions", fmt.Sprintf(`{"tenant_id":"t1","decision":"files",
		"session_id":"s1","agent_id":"ada","channel":"team","sensitivity":"low",
		"supersedes":[%q],"refs":[%q]}`, first, event))
	list := walk.ok("GET", "/decisions/query?tenant_id=t1&q=files&limit=5", "")
	if list["count"] != 1.0 {
		t.Errorf("decisions: %v", list)
	}
	list = walk.ok("GET", "/decisions/query?tenant_id=t1&status=superseded", "")
	if list["count"] != 1.0 {
		t.Errorf("superseded: %v", list)
	}
	task := walk.ok("POST", "/tasks", `{"tenant_id":"t1","title":"migrate"}`)["task_id"]
	walk.ok("POST", "/tasks", fmt.Sprintf(`{"tenant_id":"t1","task_id":%q,"status":"done"}`, task))
	walk.ok("POST", "/handoffs", `{"tenant_id":"t1","session_id":"s1","to":"grace","text":"go on"}`)
	walk.ok("POST", "/notes", `{"tenant_id":"t1","text":"port 5432","tags":["infra"]}`)
	if got := walk.ok("GET", "/memories/m-1?tenant_id=t1", ""); got["key"] !=
		"/note/workspace/m-1" {
		t.Errorf("note: %v", got)
	}
	known := walk.ok("POST", "/notes", `{"tenant_id":"t1","text":"Port  5432","pin":true}`)
	if known["id"] != "m-1" || known["known"] != true {
		t.Errorf("known: %v", known)
	}
	next := walk.ok("POST", "/notes", `{"tenant_id":"t1","text":"port 5433","replaces":["m-1"]}`)
	if fmt.Sprint(next["id"], next["replaced"]) != "m-2[/note/workspace/m-1]" {
		t.Errorf("replaces: %v", next)
	}
	got := walk.ask("POST", api+"/notes", `{"tenant_id":"t1","text":"x","replaces":["m-9"]}`)
	if got.status != 404 {
		t.Errorf("replaces nothing: %d %s", got.status, got.body)
	}
	const asKey = `{"tenant_id":"t1","content":1,"source":"x"}`
	if got := walk.ask("PUT", api+"/memories/m-1", asKey); got.status != 400 {
		t.Errorf("an id as a key: %d %s", got.status, got.body)
	}
	walk.memories()
	walk.ok("DELETE", "/memories/m-1?tenant_id=t1", "")
	if got := walk.ask("GET", api+"/memories/m-1?tenant_id=t1", ""); got.status != 404 {
		t.Errorf("a deleted note: %d %s", got.status, got.body)
	}
	walk.shortIDs()
	walk.artifacts()
	for _, path := range []string{"/openapi.json"} {
		walk.ok("GET", path, "")
	}
	walk.done()
}

// walker asks for one route after another.
type walker struct {
	*testServer
	d      describer
	walked map[string]bool
}

// ok asks for what works, and returns the answer.
func (w *walker) ok(method, path, body string) object {
	w.t.Helper()
	got := w.ask(method, api+path, body)
	if got.status != 200 && got.status != 201 {
		w.t.Fatalf("%s %s: %d %s", method, path, got.status, got.body)
	}
	rt := w.routeOf(method, path)
	w.walked[rt.method+" "+rt.path] = true
	if rt.out == nil {
		return nil
	}
	v := got.json(w.t)
	schema := w.d.Of(reflect.TypeOf(rt.out))
	for _, fault := range w.d.fits(v, schema, "answer") {
		w.t.Errorf("%s %s: %s", method, path, fault)
	}
	return v
}

// routeOf returns the route of a path below the API.
func (w *walker) routeOf(method, path string) *route {
	w.t.Helper()
	u, err := url.Parse("http://mem" + api + path)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range routes {
		rt := &routes[i]
		at, _, isAny := strings.Cut(rt.path, "{")
		if rt.method == method && (rt.path == u.Path || isAny && strings.HasPrefix(u.Path, at)) {
			return rt
		}
	}
	w.t.Fatalf("no route for %s %s", method, path)
	return nil
}

func (w *walker) memories() {
	const body = `{"tenant_id":"t1","content":{"text":"tabs","type":"preference"},` +
		`"source":"chat"%s}`
	put := walkPut(w, "/memories/user/style", fmt.Sprintf(body, ""))
	got := w.ask("PUT", api+"/memories/user/style", fmt.Sprintf(body, `,"if_absent":true`))
	newest, _ := got.json(w.t)["newest"].(object)
	if got.status != 409 || newest["ts"] != put["ts"] {
		w.t.Errorf("if_absent: %d %s", got.status, got.body)
	}
	walkPut(w, "/memories/user/style", fmt.Sprintf(body, `,"if_ts":"`+put["ts"].(string)+`"`))
	env := w.ok("GET", "/memories/user/style?tenant_id=t1", "")
	if env["key"] != "/user/style" {
		w.t.Errorf("%v", env)
	}
	walkPut(w, "/memories/search", fmt.Sprintf(body, ""))
	hits := w.ok("GET", "/memories/search?tenant_id=t1&q=tabs&why=true&type=preference", "")
	if hits["count"] != 2.0 {
		w.t.Errorf("search: %v", hits)
	}
	got = w.ask("GET", api+"/memories/search?tenant_id=t1", "")
	if got.json(w.t)["key"] != "/search" {
		w.t.Errorf("the memory /search: %s", got.body)
	}
	list := w.ok("GET", "/memories?tenant_id=t1&prefix=/user&limit=1", "")
	if list["count"] != 1.0 {
		w.t.Errorf("list: %v", list)
	}
	if got := w.ask("DELETE", api+"/memories/user/style", `{"tenant_id":"t1",
		"if_ts":"2020-01-01T00:00:00Z"}`); got.status != 409 {
		w.t.Errorf("a deletion on condition: %d %s", got.status, got.body)
	}
	w.ok("DELETE", "/memories/user/style", `{"tenant_id":"t1","if_ts":"`+env["ts"].(string)+`"}`)
	w.ok("DELETE", "/memories/search?tenant_id=t1", "")
	if got := w.ask("DELETE", api+"/memories/search?tenant_id=t1", ""); got.status != 404 {
		w.t.Errorf("a second deletion: %d %s", got.status, got.body)
	}
}

// shortIDs names a note that another copy of the memory gave an id.
func (w *walker) shortIDs() {
	root := filepath.Join(w.root.path, tenantsDir, "t1")
	store, err := mem.Open(root, mem.Options{Now: time.Now})
	if err != nil {
		w.t.Fatal(err)
	}
	defer store.Close()
	added, err := note.Add(context.Background(), store, mem.Caller{}, "of another copy",
		note.Options{IDs: note.IDs{Draw: func() string { return "abcd" }}})
	if err != nil {
		w.t.Fatal(err)
	}
	short, _ := keypath.ShortID(added.Key)
	got := w.ok("GET", "/memories/"+short+"?tenant_id=t1", "")
	if got["key"] != added.Key.String() {
		w.t.Errorf("%s: %v", short, got)
	}
	w.ok("DELETE", "/memories/"+short+"?tenant_id=t1", "")
}

func walkPut(w *walker, path, body string) object {
	w.t.Helper()
	return w.ok("PUT", path, body)
}

func (w *walker) artifacts() {
	bytes := strings.Repeat("\x00\xff any bytes \n", 1000)
	kept := w.ok("POST", "/artifacts?tenant_id=t1&session_id=s1&kind=tool_output&channel=team"+
		"&sensitivity=low", bytes)
	id := kept["artifact_id"].(string)
	got := w.ask("GET", api+"/artifacts/"+id+"?tenant_id=t1&channel=team", "")
	if got.body != bytes || got.header.Get("Content-Type") != "application/octet-stream" {
		w.t.Errorf("%d bytes, %v", len(got.body), got.header)
	}
	got = w.ask("GET", api+"/artifacts/"+id+"?tenant_id=t1&channel=public", "")
	if got.status != 404 {
		w.t.Errorf("told in public: %d", got.status)
	}
	w.walked["GET "+api+"/artifacts/{id}"] = true
	w.walked["GET /healthz"] = w.ask("GET", "/healthz", "").status == 200
	metrics := w.ask("GET", "/metrics", "")
	w.walked["GET /metrics"] = strings.Contains(metrics.body, `memd_requests_total{route="POST `+
		api+`/events",status="201"} 1`) &&
		strings.Contains(metrics.body, "memd_events_stored_total 1") &&
		strings.Contains(metrics.body, "memd_open_stores 1")
}

// done fails for a route that was not walked.
func (w *walker) done() {
	for i := range routes {
		if name := routes[i].method + " " + routes[i].path; !w.walked[name] {
			w.t.Errorf("%s was not tried", name)
		}
	}
}

// What is wrong gets the status and the code of the one error table, in JSON.
func TestErrors(t *testing.T) {
	s := newTestServer(t)
	big := `{"tenant_id":"t1","source":"s","content":"` +
		strings.Repeat("x", policy.MaxContent) + `"}`
	huge := `{"tenant_id":"` + strings.Repeat("x", maxBody) + `"}`
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "/nonsense", "", 404, "no"},
		{"GET", api, "", 404, "no"},
		{"GET", api + "/events", "", 405, "input"},
		{"BREW", api + "/events", "", 405, "input"},
		{"GET", api + "/memories/x?tenant_id=t1", "", 404, "no"},
		{"GET", api + "/memories/x", "", 400, "input"},
		{"GET", api + "/memories/x?tenant_id=t1&nonsense=1", "", 400, "input"},
		{"GET", api + "/memories/x?tenant_id=t1&tenant_id=t1", "", 400, "input"},
		{"GET", api + "/memories/x?%zz", "", 400, "input"},
		{"GET", api + "/memories?tenant_id=t1&limit=0", "", 400, "input"},
		{"GET", api + "/memories/search?tenant_id=t1&q=", "", 400, "input"},
		{"GET", api + "/memories/search?tenant_id=t1&limit=3", "", 400, "input"},
		{"GET", api + "/memories/search?tenant_id=t1&q=a&why=yes", "", 400, "input"},
		{"GET", api + "/memories/search?tenant_id=t1&q=a&since=nonsense", "", 400, "input"},
		{"GET", api + "/memories/a%00b?tenant_id=t1", "", 400, "input"},
		{"GET", api + "/artifacts/art_01KJ2KH5D04XNZEQFPHTQVBEWQ?tenant_id=t1", "", 404, "no"},
		{"GET", api + "/artifacts/nonsense?tenant_id=t1", "", 404, "no"},
		{"PUT", api + "/memories/x", `{"tenant_id":"t1"`, 400, "input"},
		{"PUT", api + "/memories/x", `[]`, 400, "input"},
		{"PUT", api + "/memories/x", ``, 400, "input"},
		{"PUT", api + "/memories/x", `{"tenant_id":"t1","content":1}`, 400, "input"},
		{"PUT", api + "/memories/kb/x", `{"tenant_id":"t1","content":1,"source":"s"}`, 422,
			"refused"},
		{"PUT", api + "/memories/x", big, 413, "refused"},
		{"PUT", api + "/memories/x", huge, 413, "refused"},
		{"PUT", api + "/memories/x", `{"tenant_id":"t1","content":1,"source":"s",
			"if_ts":"2020-01-01T00:00:00Z"}`, 409, "conflict"},
		{"POST", api + "/events", `{"tenant_id":"t1"}`, 400, "input"},
		{"POST", api + "/events?tenant_id=t2", aMessage, 400, "input"},
		{"POST", api + "/acb/build", `{"tenant_id":"t1","session_id":"s1"}`, 400, "input"},
		{"POST", api + "/decisions", `{"tenant_id":"t1","decision":"x"}`, 400, "input"},
		{"POST", api + "/decisions", `{"tenant_id":"t1","decision":"x","status":"active"}`, 400,
			"input"},
		{"POST", api + "/handoffs", `{"tenant_id":"t1","session_id":"s1","to":"g","text":"x",
			"sensitivity":"high"}`, 422, "refused"},
		{"GET", api + "/memories//x?tenant_id=t1", "", 400, "input"},
		{"GET", api + "/memories/%2e%2e/%2e%2e/x?tenant_id=t1", "", 400, "input"},
	} {
		got := s.ask(c.method, c.path, c.body)
		if got.status != c.status || got.code(t) != c.code {
			t.Errorf("%s %s %.60s: %d %s, want %d %s", c.method, c.path, c.body, got.status,
				got.body, c.status, c.code)
		}
		if ct := got.header.Get("Content-Type"); ct != "application/json" {
			t.Errorf("%s %s: %s", c.method, c.path, ct)
		}
	}
	if allow := s.ask("PUT", api+"/events", "").header.Get("Allow"); allow != "POST" {
		t.Errorf("Allow: %s", allow)
	}
}

// A message never quotes a secret, nor does the log.
func TestErrorsAndLogsTellNoSecrets(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	s := newTestServer(t)
	for _, got := range []answer{
		s.ask("PUT", api+"/memories/x", `{"tenant_id":"t1","content":"`+secret+`","source":"s"}`),
		s.ask("GET", api+"/memories/x?tenant_id="+secret+"!", ""),
		s.ask("GET", api+"/memories/x?tenant_id=t1&"+secret+"=1", ""),
		s.ask("GET", api+"/memories?tenant_id=t1&limit="+secret, ""),
		s.ask("POST", api+"/events", `{"`+secret+`":1}`),
		s.ask("GET", "/"+secret, ""),
		s.ask("POST", api+"/notes", `{"tenant_id":"t1","text":"`+secret+`"}`),
	} {
		if got.status < 400 || strings.Contains(got.body, secret) {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if strings.Contains(s.logged.String(), secret) {
		t.Error("the log has the secret")
	}
}

// Reading makes nothing, and a tenant's name leads nowhere else.
func TestTenantsAreApart(t *testing.T) {
	s := newTestServer(t)
	if got := s.ask("GET", api+"/memories?tenant_id=t9", ""); got.status != 200 ||
		got.json(t)["count"] != 0.0 {
		t.Errorf("%+v", got)
	}
	for _, id := range []string{
		"..", ".", "../t1", "a/b", "%2e%2e", "..%2f", "t1%00", "", "a b", "ä",
		strings.Repeat("a", 65),
	} {
		body, _ := json.Marshal(object{"tenant_id": id, "content": 1, "source": "s"})
		if got := s.ask("PUT", api+"/memories/x", string(body)); got.status != 400 {
			t.Errorf("tenant %q: %d %s", id, got.status, got.body)
		}
		if got := s.ask("GET", api+"/memories?tenant_id="+id, ""); got.status != 400 {
			t.Errorf("tenant %q in the query: %d %s", id, got.status, got.body)
		}
	}
	names, err := os.ReadDir(filepath.Join(s.root.path, tenantsDir))
	if err != nil || len(names) > 0 {
		t.Errorf("%v %v", names, err)
	}
	for _, id := range []string{"t1", "...", "-", "_.-", strings.Repeat("a", 64)} {
		body := strings.Replace(aMessage, `"t1"`, `"`+id+`"`, 1)
		if got := s.ask("POST", api+"/events", body); got.status != 201 {
			t.Errorf("tenant %q: %d %s", id, got.status, got.body)
		}
	}
	for _, id := range []string{"t1", "t2"} {
		list := s.ask("GET", api+"/memories?prefix=/event&tenant_id="+id, "").json(t)
		if want := map[string]float64{"t1": 1}[id]; list["count"] != want {
			t.Errorf("%s: %v", id, list)
		}
	}
}

// The store of a tenant is open while it is used, and of the others those of the last use.
func TestTenantsThatAreOpen(t *testing.T) {
	s := newTestServer(t)
	held, err := s.tenants.acquire("held")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * maxOpen {
		got := s.ask("GET", fmt.Sprintf("%s/memories?tenant_id=t%d", api, i), "")
		if got.status != 200 {
			t.Fatalf("%+v", got)
		}
	}
	if n := s.tenants.count(); n != maxOpen {
		t.Errorf("%d are open", n)
	}
	again, err := s.tenants.acquire("held")
	if err != nil || again != held {
		t.Errorf("it was closed while it was used: %v", err)
	}
	s.tenants.release(held)
	s.tenants.release(again)
	if len(held.store.Path()) == 0 || slices.Contains(s.compacted, held.store.Path()) {
		t.Error("nothing is due")
	}
}
