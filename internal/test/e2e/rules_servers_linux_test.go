package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// ruleTools has, for every tool of tools.json, arguments as in [ruleLine].
var ruleTools = map[string][]ruleLine{
	"mem_search": onFacts(`{"query":"{word}"}`),
	"mem_get":    onFacts(`{"key":"{name}"}`),
	"mem_set": {
		{args: `{"key":"{key}","text":"changed"}`},
		{args: `{"key":"{name}","text":"changed","type":"preference"}`, kinds: "keys"},
		{args: `{"key":"{key}","text":"changed","expired_at":"2026-02-22T10:00:01Z"}`},
		{args: `{"key":"{key}","text":"changed","source":{"kind":"agent","name":"x"}}`},
		{args: `{"key":"{key}","text":"changed","source":{"kind":"user","name":"x"}}`, effect: decides},
		{args: `{"key":"{key}","content":{"text":"changed","pinned":true}}`},
		{args: `{"key":"{key}","text":"changed","if_absent":true}`, effect: beside},
		{args: `{"key":"{key}","text":"changed","propose":true}`, effect: beside},
		{args: `{"key":"/near/{n}","text":"{text}","importance":1}`, effect: beside},
	},
	"mem_note": {
		{args: `{"text":"changed","replaces":["{name}"]}`},
		{args: `{"text":"changed","replaces":["{key}"],"pin":true}`},
		{args: `{"text":"{text}","replaces":["{name}"]}`, effect: beside},
		{args: `{"text":"{text}","pin":true,"tags":["preference"]}`, effect: beside},
		{args: `{"text":"{text}","scope":"user"}`, effect: beside},
		{args: `{"text":"changed","replaces":["{name}"],"propose":true}`, effect: beside},
	},
	"mem_forget": {
		{args: `{"key":"{name}"}`}, {args: `{"key":"{key}","reason":"old"}`},
		{args: `{"key":"{name}","propose":true}`, effect: beside},
	},
	"memory_record_event": onFacts(`{"session_id":"s","kind":"decision","actor":` +
		`{"type":"agent","id":"bot"},"content":{"text":"{text}"},"refs":["{key}"]}`),
	"memory_build_acb":       onFacts(`{"session_id":"s"}`),
	"memory_get_artifact":    onFacts(`{"artifact_id":"{key}"}`),
	"memory_decide":          onFacts(`{"text":"{text}","refs":["{key}"],"supersedes":["{key}"]}`),
	"memory_query_decisions": onFacts(`{}`),
	"save_to_journal":        onFacts(`{"content":"{text}"}`),
	"save_to_core":           onFacts(`{"content":"{text}"}`),
	"memory": {
		{args: `{"command":"create","path":"{key}","file_text":"x"}`, kinds: "file", effect: beside},
		{args: `{"command":"str_replace","path":"{key}","old_str":"desk","new_str":"x"}`, kinds: "file"},
		{args: `{"command":"insert","path":"{key}","insert_line":0,"insert_text":"x"}`, kinds: "file"},
		{args: `{"command":"rename","old_path":"{key}","new_path":"/memories/m"}`, kinds: "file"},
		{args: `{"command":"delete","path":"{key}"}`, kinds: "file"},
		{args: `{"command":"delete","path":"/memories"}`, effect: beside, once: true},
	},
}

// ruleRoutes has, for every route of openapi.json, queries and bodies.
var ruleRoutes = map[string][]ruleLine{
	"POST /events": onFacts(`{"session_id":"s","kind":"decision","actor":` +
		`{"type":"tool","id":"t"},"content":{"text":"{text}"},"refs":["{key}"]}`),
	"POST /acb/build":      onFacts(`{"session_id":"s"}`),
	"POST /decisions":      onFacts(`{"decision":"{text}","refs":["{key}"],"supersedes":["{key}"]}`),
	"GET /decisions/query": onFacts(""),
	"POST /tasks":          onFacts(`{"title":"{text}","refs":["{key}"]}`),
	"POST /handoffs":       onFacts(`{"session_id":"s","to":"bot","text":"{text}","refs":["{key}"]}`),
	"POST /artifacts":      onFacts("{text}"),
	"GET /artifacts/{id}":  onFacts(""),
	"GET /chunks/{id}":     onFacts(""),
	"GET /memories":        onFacts(""),
	"GET /memories/search": onFacts(""),
	"GET /memories/{key}":  onFacts(""),
	"GET /openapi.json":    onFacts(""),
	"POST /notes": {
		{args: `{"text":"changed","replaces":["{name}"]}`},
		{args: `{"text":"changed","replaces":["{key}"],"pin":true}`},
		{args: `{"text":"{text}","pin":true}`, effect: beside},
		{args: `{"text":"{text}","replaces":["{name}"]}`, effect: beside},
		{args: `{"text":"changed","replaces":["{name}"],"propose":true}`, effect: beside},
	},
	"PUT /memories/{key}": {
		{args: `{"content":{"text":"changed"},"source":"x"}`},
		{args: `{"content":null,"source":"x"}`},
		{args: `{"content":{"text":"changed"},"source":{"kind":"user","name":"x"}}`, effect: decides},
		{args: `{"content":{"text":"changed"},"source":"x","quarantine":true}`},
		{args: `{"content":{"text":"changed"},"source":"x","if_absent":true}`, effect: beside},
		{args: `{"content":{"text":"changed"},"source":"x","propose":true}`, effect: beside},
	},
	"DELETE /memories/{key}": {
		{args: `{}`}, {args: `{"source":"x"}`}, {args: `{"propose":true}`, effect: beside},
	},
}

// Every tool leaves every rule as it is.
func TestRulesAgainstTools(t *testing.T) {
	homes := preparedHomes(t)
	checkToolTable(t)
	var sum cells
	t.Run("all", func(t *testing.T) {
		for _, home := range homes {
			for _, by := range []ruleCaller{{name: "no agent"}, clients[0], clients[1],
				{"as ada", []string{"MEM_AGENT=ada"}}} {
				t.Run(home.layout()+"/"+by.name, func(t *testing.T) {
					t.Parallel()
					home.copied(t, "mcp").tryTools(by, &sum)
				})
			}
		}
	})
	sum.atLeast(t, 1350, 1050, 0)
}

// tryTools calls every tool with each rule.
func (h *ruleHome) tryTools(by ruleCaller, sum *cells) {
	call := h.startMCP(by)
	before := h.newest()
	for tool, lines := range ruleTools {
		for _, l := range lines {
			for n, r := range h.rules() {
				if !l.fits(r, h.two) {
					continue
				}
				if by.name == "as ada" && r.kind == "identity" {
					continue // an agent says itself what it is
				}
				failed, says := call(tool, fillRule(l.args, n, r, h.dir))
				want := l.on(r, h.two)
				h.judge(fmt.Sprintf("%s: %s %s, %s", by.name, tool, l.args, r.kind), r, before,
					failed, want, says, sum)
				if l.once {
					break
				}
			}
		}
	}
	if by.name != "as ada" {
		h.inForce(by.name + ": MCP")
	}
}

// startMCP starts a server, and returns the call of a tool.
func (h *ruleHome) startMCP(by ruleCaller) func(tool, arguments string) (failed bool, says string) {
	h.t.Helper()
	cmd := exec.Command(filepath.Join(h.bin, "mem"), "mcp", "--tools", "all")
	cmd.Dir, cmd.Env = h.work, append(h.env(triedNow), by.env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { in.Close(); cmd.Wait() })
	out := bufio.NewReader(pipe)
	ask := func(id int, method string, params any) string {
		h.t.Helper()
		line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method,
			"params": params})
		if _, err := in.Write(append(line, '\n')); err != nil {
			h.t.Fatal(err)
		}
		for {
			answer, err := out.ReadString('\n')
			if err != nil {
				h.t.Fatalf("%s: %v", line, err)
			}
			if strings.Contains(answer, fmt.Sprintf(`"id":%d`, id)) {
				return answer
			}
		}
	}
	ask(1, "initialize", map[string]any{"protocolVersion": "2025-06-18",
		"capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}})
	io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	id := 1
	return func(tool, arguments string) (bool, string) {
		h.t.Helper()
		id++
		says := ask(id, "tools/call", map[string]any{"name": tool,
			"arguments": json.RawMessage(arguments)})
		return strings.Contains(says, `"isError":true`) || strings.Contains(says, `"error":{`), says
	}
}

// fillRule returns a text with what a rule has in the place of the words in braces.
func fillRule(text string, n int, r rule, dir string) string {
	return ruleWords(n, r, dir).Replace(text)
}

// checkToolTable compares the table with the tools.
func checkToolTable(t *testing.T) {
	t.Helper()
	var sets map[string][]struct{ Name string }
	decodeFile(t, "internal/front/mcp/tools.json", &sets)
	count := 0
	for _, set := range sets {
		for _, tool := range set {
			if count++; len(ruleTools[tool.Name]) == 0 {
				t.Errorf("rules_servers_linux_test.go: no row for the tool %s", tool.Name)
			}
		}
	}
	if count < 13 {
		t.Errorf("%d tools", count)
	}
}

func decodeFile(t *testing.T, name string, to any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Every route leaves every rule as it is, unless a person's token comes with the request.
func TestRulesAgainstRoutes(t *testing.T) {
	bin := buildMem(t)
	checkRouteTable(t)
	home := &ruleHome{t: t, bin: bin, dir: ramDir(t)}
	home.work = home.dir
	home.makeRules()
	var sum cells
	t.Run("all", func(t *testing.T) {
		for _, by := range []string{"socket", "socket as bot", "token", "token as ada"} {
			t.Run(by, func(t *testing.T) {
				t.Parallel()
				home.copied(t, "serve").tryRoutes(by, &sum)
			})
		}
		for route, lines := range ruleRoutes {
			for i, l := range testkit.Sample(t, lines, 4, 1) {
				if l.effect == beside {
					continue
				}
				t.Run(fmt.Sprintf("person/%s/%d", route, i), func(t *testing.T) {
					t.Parallel()
					home.copied(t, "serve").routeAsPerson(route, l, &sum)
				})
			}
		}
	})
	sum.atLeast(t, 400, 800, 90)
}

// ask sends a request, and returns the status and the answer.
type ruleServer struct {
	http.Client
	t            *testing.T
	base, token  string
	tenant, name string // in the query; "": the token says it
}

var listening = regexp.MustCompile(`tcp:([0-9.:]+)`)

// serveRules moves the store to that of a tenant, and serves it. The copy of the log stays where
// [ruleHome.newest] finds it.
func (h *ruleHome) serveRules(by string) *ruleServer {
	h.t.Helper()
	tenant := h.dir + "/served/tenants/t1"
	if err := os.MkdirAll(filepath.Dir(tenant), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(h.dir+"/memory", tenant); err != nil {
		h.t.Fatal(err)
	}
	s := &ruleServer{t: h.t, base: "http://mem"}
	switch by {
	case "socket", "socket as bot":
		s.tenant = "t1"
		if by != "socket" {
			s.name = "bot"
		}
	default:
		args := map[string][]string{"token": {"--agent", "bot"}, "token as ada": {"--agent", "ada"},
			"person": {"--person"}}[by]
		args = append([]string{"--yes", "token", "add", "t1", "--root", h.dir + "/served", "-q"},
			args...)
		exit, says := h.run(person, triedNow, "", args...)
		if exit != 0 {
			h.t.Fatal(says)
		}
		s.token = strings.TrimSpace(says)
	}
	cmd := exec.Command(filepath.Join(h.bin, "mem"), "serve", "--root", h.dir+"/served",
		"--listen", "127.0.0.1:0")
	cmd.Dir, cmd.Env = h.dir, sessionEnv(h.bin, h.dir, triedNow)
	pipe, err := cmd.StderrPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { cmd.Process.Signal(syscall.SIGTERM); cmd.Wait() })
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil && s.token != "" {
			s.base = "http://" + m[1]
			break
		} else if m != nil {
			s.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (
				net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", h.dir+"/served/memd.sock")
			}}
			break
		}
	}
	go io.Copy(io.Discard, pipe)
	return s
}

// ask sends a request.
func (s *ruleServer) ask(route, body string, n int, r rule) (status int, says string) {
	s.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	path = strings.NewReplacer("/{key}", r.key, "{id}", "none").Replace(path)
	query := "?"
	if s.tenant != "" {
		query += "tenant_id=" + s.tenant + "&"
	}
	if s.name != "" {
		query += "agent_id=" + s.name + "&"
	}
	switch route {
	case "GET /memories/search":
		query += "q=x"
	case "POST /artifacts":
		query += "session_id=s"
	}
	req, err := http.NewRequest(method, s.base+"/api/v1"+path+query,
		strings.NewReader(fillRule(body, n, r, "")))
	if err != nil {
		s.t.Fatal(err)
	}
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	res, err := s.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// tryRoutes calls every route with each rule.
func (h *ruleHome) tryRoutes(by string, sum *cells) {
	s := h.serveRules(by)
	before := h.newest()
	for route, lines := range ruleRoutes {
		for _, l := range lines {
			for n, r := range h.rules() {
				if by == "token as ada" && r.kind == "identity" {
					continue // an agent says itself what it is
				}
				status, says := s.ask(route, l.args, n, r)
				h.judge(fmt.Sprintf("%s: %s %s, %s: %d", by, route, l.args, r.kind, status), r, before,
					status == 422 || status == 403, l.effect, says, sum)
			}
		}
	}
}

// routeAsPerson calls a route with a person's token and each rule.
func (h *ruleHome) routeAsPerson(route string, l ruleLine, sum *cells) {
	s := h.serveRules("person")
	for n, r := range h.rules() {
		before := h.newest()
		status, says := s.ask(route, l.args, n, r)
		was, is := lineOf(before, before, r), lineOf(before, h.newest(), r)
		if len(was) != 1 || was[0] == is[0] {
			h.t.Errorf("%s %s, %s: %d, unchanged: %s", route, l.args, r.kind, status, says)
		}
		sum.changed.Add(1)
	}
}

// checkRouteTable compares the table with the routes.
func checkRouteTable(t *testing.T) {
	t.Helper()
	var api struct{ Paths map[string]map[string]any }
	decodeFile(t, "internal/front/serve/openapi.json", &api)
	for path, methods := range api.Paths {
		for method := range methods {
			route := strings.ToUpper(method) + " " + strings.TrimPrefix(path, "/api/v1")
			isPlain := path == "/healthz" || path == "/metrics" || method == "parameters"
			if len(ruleRoutes[route]) == 0 && !isPlain {
				t.Errorf("rules_servers_linux_test.go: no row for %s", route)
			}
		}
	}
}
