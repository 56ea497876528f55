package server

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/proposal"
)

// typed runs an operation as a command line.
func (x *trial) typed(op string, run func([]string) (int, string, string)) (
	has, failed bool, says string) {
	args := map[string][]string{
		"set":       {"set", x.key, object("text", "changed "+x.word), "-s", "chat"},
		"done":      {"task", x.id, "--status", "done"},
		"touch":     {"touch", x.key, "--importance", "0.9"},
		"forget":    {"forget", x.key},
		"event":     {"event", "--session", "s", "--text", x.word, "--actor", "human:user"},
		"merge":     {"merge", x.key, x.other, "--into", x.other},
		"supersede": {"supersede", x.key, x.other},
		"unpin":     {"pin", "--off", x.key},
		"pin":       {"pin", x.key},
		"pin note":  {"note", x.word, "--pin"},
		"prefer":    {"set", x.key, "--type", "preference", "--text", x.word, "-s", "chat"},
		"approve":   {"approve", x.id, "--yes"},
		"reject":    {"reject", x.id, "--yes"},
		"purge":     {"forget", x.key, "--purge", "--yes"},
	}[op]
	if args == nil {
		return false, false, ""
	}
	if x.proposing {
		args = append(args, "--propose")
	}
	exit, out, says := run(args)
	return true, exit != 0, out + says
}

// overHTTP sends an operation to a route.
func (x *trial) overHTTP(by, op string) (has, failed bool, says string) {
	at, body := map[string]string{
		"set":       "PUT /memories" + x.key,
		"done":      "POST /tasks",
		"forget":    "DELETE /memories" + x.key,
		"event":     "POST /events",
		"supersede": "POST /notes",
		"pin note":  "POST /notes",
		"prefer":    "PUT /memories" + x.key,
	}[op], map[string]string{
		"set": object("content", map[string]any{"text": "changed " + x.word}, "source", "chat",
			"propose", x.proposing),
		"done":   object("task_id", x.id, "status", "done"),
		"forget": object("propose", x.proposing),
		"event": object("session_id", "s", "kind", "message", "actor",
			map[string]any{"type": "human", "id": "user"},
			"content", map[string]any{"text": x.word}),
		"supersede": object("text", "in the place of it", "replaces", []string{x.key}),
		"pin note":  object("text", x.word, "pin", true),
		"prefer": object("content", map[string]any{"type": "preference", "text": x.word},
			"source", "chat"),
	}[op]
	if at == "" {
		return false, false, ""
	}
	method, path, _ := strings.Cut(at, " ")
	status, says := x.send(by, method, "/api/v1"+path, body)
	return true, status/100 != 2, says
}

// send sends a request with the token of a member.
func (tm *team) send(by, method, path, body string) (status int, says string) {
	tm.Helper()
	req, err := http.NewRequest(method, strings.TrimSuffix(tm.url, "/t1")+path,
		strings.NewReader(body))
	if err != nil {
		tm.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+tm.secret[by])
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		tm.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		tm.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// overMCP calls the tool of an operation: at the server for a member, else here, for a client.
func (x *trial) overMCP(by, op string) (has, failed bool, says string) {
	tool := map[string]string{"set": "mem_set", "prefer": "mem_set", "forget": "mem_forget",
		"supersede": "mem_note", "pin note": "mem_note"}[op]
	args := map[string]string{
		"set":       object("key", x.key, "text", "changed "+x.word, "propose", x.proposing),
		"forget":    object("key", x.key, "propose", x.proposing),
		"supersede": object("text", "in the place of it", "replaces", []string{x.key}),
		"pin note":  object("text", x.word, "pin", true),
		"prefer":    object("key", x.key, "type", "preference", "text", x.word),
	}[op]
	if tool == "" {
		return false, false, ""
	}
	call := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,`+
		`"arguments":%s}}`, tool, args)
	if by != "" {
		_, says = x.send(by, "POST", "/mcp", call)
	} else {
		x.Setenv("MEM_ROOT", x.store)
		_, says, _ = x.run(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize",`+
			`"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t",`+
			`"version":"1"}}}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
			call+"\n"), "mcp")
	}
	if !strings.Contains(says, `"id":2`) {
		x.Fatalf("%s: no answer: %s", call, says)
	}
	return true, strings.Contains(says, `"isError":true`) || strings.Contains(says, `"error":{`), says
}

// onPage sends the form of an operation, as a person that is signed in.
func (x *trial) onPage(op string) (has, failed bool, says string) {
	now := x.look()
	form := url.Values{"key": {x.key}, "ts": {now.rec.TS.String()}}
	path := map[string]string{"set": "/memory/edit", "forget": "/memory/forget",
		"supersede": "/review/supersede", "unpin": "/memory/pin", "pin": "/memory/pin",
		"approve": "/review/approve", "reject": "/review/reject", "purge": "/memory/purge"}[op]
	if path == "" || op == "set" && strings.Contains(x.key, "/handoff") {
		return false, false, ""
	}
	switch op {
	case "set":
		form.Set("json", object("text", "changed "+x.word))
	case "unpin":
		form.Set("off", "on")
	case "supersede":
		form.Set("by", x.other)
	case "approve", "reject":
		p := x.proposal()
		shown := p.Shown()
		form.Set("key", shown.Key.String())
		form.Set("ts", shown.TS.String())
		form.Set("over", shown.Over.String())
	}
	status, says := x.post(path, form)
	return true, status/100 != 2 && status/100 != 3, says
}

// proposal returns the proposal that a trial is about.
func (x *trial) proposal() proposal.Proposal {
	x.Helper()
	s, err := mem.Open(x.store, mem.Options{})
	if err != nil {
		x.Fatal(err)
	}
	defer s.Close()
	p, ok, err := proposal.Find(x.Context(), s, mem.Caller{}, x.id)
	if err != nil || !ok {
		x.Fatalf("%s: %v, %v", x.id, ok, err)
	}
	return p
}

var formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)

// post sends a form of the tenant's page, from a browser that was invited.
func (tm *team) post(path string, form url.Values) (status int, says string) {
	tm.Helper()
	if tm.browser == nil {
		of, err := tm.pages.openPage("t1")
		if err != nil {
			tm.Fatal(err)
		}
		jar, _ := cookiejar.New(nil)
		stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		tm.browser = &http.Client{Jar: jar, CheckRedirect: stay}
		base, once, _ := strings.Cut(of.Invite(), "/enter")
		tm.pageURL = strings.TrimSuffix(tm.url, "/t1") + base
		tm.browse("GET", "/enter"+once, nil)
		_, text := tm.browse("GET", "/", nil)
		tm.formToken = formToken.FindStringSubmatch(text)[1]
	}
	form.Set("token", tm.formToken)
	return tm.browse("POST", path, form)
}

func (tm *team) browse(method, path string, form url.Values) (status int, says string) {
	tm.Helper()
	req, err := http.NewRequest(method, tm.pageURL+path, bytes.NewReader([]byte(form.Encode())))
	if err != nil {
		tm.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", strings.TrimSuffix(tm.url, "/t1"))
	}
	res, err := tm.browser.Do(req)
	if err != nil {
		tm.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		tm.Fatal(err)
	}
	return res.StatusCode, string(text)
}
