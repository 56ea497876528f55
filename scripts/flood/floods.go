package main

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// flood is one way to keep a server busy: a request that is sent as a whole again and again, or a
// part of one after which the connection stays open.
type flood struct {
	name   string
	method string // "": GET
	path   string
	body   func(n int) []byte // of the n-th request; nil: none
	head   string             // in place of Content-Length
	more   string             // of the head
	drips  string             // is sent twice a second, once the body is
	isPart bool               // nothing is read
	token  string             // in place of the flooding tenant's
	isRich bool               // of the tenant that has 30 MB
	raw    string             // in place of head and body
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// floods are all of them. The sizes of bodies are those that are allowed, and some more.
var floods = []flood{
	{name: "connections", raw: " ", isPart: true},
	{name: "half headers", raw: "POST /api/v1/notes HTTP/1.1\r\nHost: local", isPart: true},
	{name: "dripping headers", raw: "POST /api/v1/notes HTTP/1.1\r\nX: ", drips: "x",
		isPart: true},
	{name: "stalled bodies", method: "POST", path: "/api/v1/notes", isPart: true,
		head: "Content-Length: 2000", body: constant("{")},
	{name: "stalled long bodies", method: "POST", path: "/api/v1/verbs", isPart: true,
		head: "Content-Length: 16000000", body: spaces(mib)},
	{name: "stalled chunks", method: "POST", path: "/api/v1/verbs", isPart: true,
		head: "Transfer-Encoding: chunked", body: constant("1\r\n{\r\n")},
	{name: "dripping bodies", method: "POST", path: "/api/v1/events", isPart: true, drips: " ",
		head: "Content-Length: 2000000", body: constant("{")},
	{name: "dripping chunks", method: "POST", path: "/api/v1/verbs", isPart: true,
		drips: "1\r\n \r\n", head: "Transfer-Encoding: chunked", body: constant("1\r\n{\r\n")},
	{name: "unread lists", path: "/api/v1/memories?prefix=/&limit=100000", isPart: true},
	{name: "lists", path: "/api/v1/memories?prefix=/&limit=100000"},
	{name: "searches", path: "/api/v1/memories/search?q=" +
		strings.Repeat("lorem+ipsum+memory+", 50)},
	{name: "bundles", method: "POST", path: "/api/v1/acb/build", body: constant(
		`{"session_id":"s","query_text":"lorem ipsum dolor","max_tokens":65000}`)},
	{name: "audit", method: "POST", path: "/api/v1/verbs", body: verb("", "audit")},
	{name: "exports", method: "POST", path: "/api/v1/verbs", body: verb("", "export")},
	{name: "unread exports", method: "POST", path: "/api/v1/verbs", body: verb("", "export"),
		isPart: true},
	{name: "rich exports", method: "POST", path: "/api/v1/verbs", isRich: true,
		body: verb("", "export")},
	{name: "rich audit", method: "POST", path: "/api/v1/verbs", isRich: true,
		body: verb("", "audit")},
	{name: "imports", method: "POST", path: "/api/v1/verbs",
		body: verb(lines(mib), "import", "-", "-q")},
	{name: "long imports", method: "POST", path: "/api/v1/verbs",
		body: verb(lines(16*mib), "import", "-", "-q")},
	{name: "patterns", method: "POST", path: "/api/v1/verbs",
		body: verb("", "ls", "--jq", strings.Repeat("..|", 200)+".")},
	{name: "long batches", method: "POST", path: "/api/v1/verbs",
		body: verb(lines(16*mib), "set", "-", "-q")},
	{name: "batches", method: "POST", path: "/api/v1/verbs",
		body: verb(lines(mib), "set", "-", "-q")},
	{name: "deep JSON", method: "PUT", path: "/api/v1/memories/deep",
		body: constant(strings.Repeat("[", 2*mib-1))},
	{name: "deep words", method: "POST", path: "/api/v1/verbs",
		body: verb("", "set", "/deep", strings.Repeat("[", mib), "-s", "x")},
	{name: "writes", method: "PUT", path: "/api/v1/memories/w", body: func(n int) []byte {
		return fmt.Appendf(nil, `{"content":{"text":"write %d"},"source":"x"}`, n)
	}},
	{name: "long writes", method: "PUT", path: "/api/v1/memories/w", body: func(n int) []byte {
		return fmt.Appendf(nil, `{"content":{"text":"%d %s"},"source":"x"}`, n,
			strings.Repeat("lorem ipsum dolor ", 50_000))
	}},
	{name: "middle writes", method: "PUT", path: "/api/v1/memories/w", body: func(n int) []byte {
		return fmt.Appendf(nil, `{"content":{"text":"%d %s"},"source":"x"}`, n,
			strings.Repeat("lorem ipsum dolor ", 3_000))
	}},
	{name: "events", method: "POST", path: "/api/v1/events", head: "", body: events},
	{name: "artifacts", method: "POST", path: "/api/v1/artifacts?session_id=s&kind=blob",
		body: spaces(20 * mib)},
	{name: "tools", method: "POST", path: "/mcp", more: "\r\nContent-Type: application/json" +
		"\r\nAccept: application/json, text/event-stream", body: constant(`{"jsonrpc":"2.0","id":1,` +
		`"method":"tools/call","params":{"name":"mem_search","arguments":{"query":"lorem ipsum"}}}`)},
	{name: "bad tokens", path: "/api/v1/memories/k", token: "mem_wrong"},
	{name: "no such path", path: "/api/v1/nothing"},
	{name: "garbage", raw: strings.Repeat("\x16\x03\x01", 1_000) + "\r\n\r\n"},
}

// constant returns a body that all requests share, for a thousand of 20 MiB are to be sent at once.
func constant(text string) func(int) []byte {
	body := []byte(text)
	return func(int) []byte { return body }
}

func spaces(n int) func(int) []byte { return constant(strings.Repeat(" ", n)) }

// verb returns the body of a command line.
func verb(stdin string, args ...string) func(int) []byte {
	coded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	in := map[string]any{"root": "http://127.0.0.1/t2"}
	list := make([]string, len(args))
	for i, arg := range args {
		list[i] = coded(arg)
	}
	in["args"] = list
	if stdin != "" {
		in["files"] = map[string]string{"-": coded(stdin)}
	}
	doc, _ := json.Marshal(in) // of strings alone
	return constant(string(doc))
}

// lines returns a batch of about so many bytes.
func lines(size int) string {
	var b strings.Builder
	text := strings.Repeat("lorem ipsum dolor ", 600)
	for i := 0; b.Len() < size-20*kib; i++ {
		fmt.Fprintf(&b, `{"key":"/batch/%d","source":"x","content":{"text":"%s"}}`+"\n", i, text)
	}
	return b.String()
}

func events(n int) []byte {
	one := fmt.Sprintf(`{"session_id":"s","actor":{"type":"human","id":"u"},"kind":"message",`+
		`"content":{"text":"event %d of many"}}`, n)
	return []byte("[" + strings.Repeat(one+",", 999) + one + "]")
}

// send writes the whole request, or the part of it.
func (f *flood) send(w io.Writer, s *server, n int) error {
	if f.raw != "" {
		_, err := io.WriteString(w, f.raw)
		return err
	}
	var body []byte
	if f.body != nil {
		body = f.body(n)
	}
	token := cmp.Or(f.token, s.eve)
	if f.isRich {
		token = s.rich
	}
	head := cmp.Or(f.head, fmt.Sprintf("Content-Length: %d", len(body)))
	_, err := io.WriteString(w, cmp.Or(f.method, http.MethodGet)+" "+f.path+" HTTP/1.1\r\n"+
		"Host: localhost\r\nAuthorization: Bearer "+token+"\r\n"+head+f.more+"\r\n\r\n")
	if err == nil {
		_, err = w.Write(body)
	}
	return err
}
