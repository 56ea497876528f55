package mcp

//lint:file-ignore SA1019 the revision 2026-07-28 has no roots; clients of the others tell them

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/ledger"
)

// home are a user's folders, and how often stores were looked for.
type home struct {
	t      *testing.T
	dir    string
	looked []string
}

func newHome(t *testing.T) *home { return &home{t: t, dir: storetest.Dir(t)} }

// folders are those of a client.
func (h *home) folders() *Folders {
	getenv := func(name string) string {
		return map[string]string{"HOME": h.dir, "XDG_DATA_HOME": filepath.Join(h.dir, "data"),
			"XDG_STATE_HOME": filepath.Join(h.dir, "state")}[name]
	}
	return &Folders{Caller: mem.Caller{Channel: "mcp"},
		Find: func(dir string) (*layers.Layers, error) {
			h.looked = append(h.looked, dir)
			if dir == "" {
				dir = h.dir
			}
			sites, err := site.Find("", dir, getenv)
			return layers.New(sites, func(*site.Site) mem.Options {
				return mem.Options{Now: time.Now}
			}), err
		},
		Keys: func(*layers.Layers) (ledger.Keys, error) { return nil, nil },
	}
}

// repository makes a folder that belongs to a project.
func (h *home) repository(name string) string {
	dir := filepath.Join(h.dir, name)
	for _, part := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, ".git", part), 0o700); err != nil {
			h.t.Fatal(err)
		}
	}
	head := filepath.Join(dir, ".git", "HEAD")
	if err := os.WriteFile(head, []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return dir
}

func (h *home) options() Options {
	return Options{Version: "1", Sets: Sets}
}

// say sends lines, and returns those that come back, by their ids.
func (h *home) say(in ...string) map[string]string {
	h.t.Helper()
	return h.sayText(strings.Join(in, "\n") + "\n")
}

func (h *home) sayText(text string) map[string]string {
	h.t.Helper()
	var out strings.Builder
	err := Run(h.t.Context(), h.options(), h.folders(), strings.NewReader(text), &out)
	if err != nil {
		h.t.Error(err)
	}
	answers := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var head struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(line), &head); err != nil {
			h.t.Errorf("%q: %v", line, err)
		}
		answers[string(head.ID)] += line
	}
	return answers
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":` +
	`"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

const ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func calling(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,`+
		`"arguments":%s}}`, id, tool, arguments)
}

// What is no message is answered so, and the session goes on.
func TestJunkEndsNoSession(t *testing.T) {
	const noJSON, noMessage, long = `"code":-32700`, `"code":-32600`, `"message":"more than 4 MiB"`
	for name, c := range map[string]struct{ junk, want string }{
		"words":         {"warning: node is old", noJSON},
		"a half line":   {`{"jsonrpc":"2.0","id":7,"me`, noJSON},
		"bytes":         {"\x00\xff\xfe", noJSON},
		"a blank line":  {" \t\r", ""},
		"a number":      {"7", noMessage},
		"an object":     {`{"id":7}`, noMessage},
		"a batch":       {"[" + calling(7, "mem_search", "{}") + "]", noMessage},
		"another kind":  {`{"jsonrpc":"1.0","id":7,"method":"tools/list"}`, noMessage},
		"10 MB of junk": {strings.Repeat("x", 10_000_000), long},
		"10 MB of JSON": {`{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("x", 10_000_000) +
			`"}`, long},
		"no such method":    {`{"jsonrpc":"2.0","id":7,"method":"tools/eat"}`, `"code":-32601`},
		"a late answer":     {`{"jsonrpc":"2.0","id":7,"result":{}}`, ""},
		"an id for nothing": {`{"jsonrpc":"2.0","id":7,"method":"notifications/initialized"}`, noMessage},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			got := h.say(hello, c.junk, ready, calling(2, "mem_note", `{"text":"after it"}`))
			if !strings.Contains(got["1"], `"result"`) || !strings.Contains(got["2"], `"ok":true`) ||
				!strings.Contains(got["null"]+got["7"], c.want) ||
				c.want == "" && got["null"]+got["7"] != "" {
				t.Errorf("%.1000q", got)
			}
		})
	}
}

// At the end of the input all is answered that was asked for, the last line without its end, too.
func TestEverythingIsAnsweredAtTheEnd(t *testing.T) {
	h := newHome(t)
	text := hello + "\r\n" + ready + "\r\n\r\n"
	for id := 2; id < 50; id++ {
		text += calling(id, "mem_note", fmt.Sprintf(`{"text":"note %d"}`, id)) + "\r\n"
	}
	got := h.sayText(text + calling(50, "mem_note", `{"text":"the last"}`))
	for id := 2; id <= 50; id++ {
		if !strings.Contains(got[fmt.Sprint(id)], `"ok":true`) {
			t.Errorf("%d: %q", id, got[fmt.Sprint(id)])
		}
	}
	if len(got) != 50 {
		t.Errorf("%d answers", len(got))
	}
	// A client that listens for changes is answered by the end itself.
	h.say(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":` +
		`{"toolsListChanged":true},"_meta":` + modern + `}}`)
}

const modern = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{},` +
	`"io.modelcontextprotocol/clientInfo":{"name":"m","version":"1"}}`

// Clients of the revision without a handshake are served as well.
func TestWithoutHandshake(t *testing.T) {
	h := newHome(t)
	got := h.say(
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":`+modern+`}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":`+modern+`}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"mem_note","arguments":`+
			`{"text":"x"},"_meta":`+modern+`}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"mem:///none","_meta":`+
			modern+`}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
	for id, want := range map[string][]string{
		"1": {`"2026-07-28"`, `"cacheScope":"private"`, `"ttlMs":0`, `"resultType":"complete"`},
		"2": {`"mem_search"`, `"cacheScope":"private"`, `"ttlMs":0`},
		"3": {`"ok":true`, `"resultType":"complete"`}, "4": {`"code":-32602`}, "5": {`"error"`},
	} {
		for _, part := range want {
			if !strings.Contains(got[id], part) {
				t.Errorf("%s lacks %s: %s", id, part, got[id])
			}
		}
	}
}

// A client that can say where it works is asked once, and again when it says that this has changed.
func TestMemoryIsThatOfTheFolder(t *testing.T) {
	h := newHome(t)
	shop, blog := h.repository("shop"), h.repository("blog")
	plain := filepath.Join(h.dir, "plain")
	if err := os.Mkdir(plain, 0o700); err != nil {
		t.Fatal(err)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil)
	client.AddRoots(&sdk.Root{URI: "https://example.com/x"}, &sdk.Root{URI: "file://" + plain},
		&sdk.Root{URI: "file://" + shop})
	session, ended := h.start(client)
	say := func(tool, arguments string) string {
		t.Helper()
		got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool,
			Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		return got.Content[0].(*sdk.TextContent).Text
	}
	for _, c := range [][3]string{
		{"mem_note", `{"text":"MySQL on 3306"}`, `"layer":"project"`},
		{"mem_note", `{"text":"tabs","scope":"user"}`, `"id":"u-1-`},
		{"mem_search", `{"query":"mysql"}`, `"count":1`},
		{"mem_search", `{"query":"misql"}`, `"near":[{"word":"mysql","count":1}]`},
	} {
		if got := say(c[0], c[1]); !strings.Contains(got, c[2]) {
			t.Errorf("%s %s: %s", c[0], c[1], got)
		}
	}
	client.RemoveRoots("file://" + shop)
	client.AddRoots(&sdk.Root{URI: "file://" + blog})
	// The client sends its notification when it likes.
	testkit.WaitFor(t, "the other roots", func() bool {
		return strings.Contains(say("mem_search", `{"query":"mysql"}`), `"count":0`)
	})
	if got := say("mem_search", `{}`); !strings.Contains(got, "tabs") ||
		strings.Contains(got, "MySQL") {
		t.Error(got)
	}
	session.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !slices.Contains(h.looked, shop) || !slices.Contains(h.looked, blog) ||
		slices.Contains(h.looked, "") {
		t.Errorf("%q", h.looked)
	}
}

// Where there is no project the answer says that what is stored is the user's; of a .mem that waits
// to be let in a model is told once.
func TestWhereThereIsNoProject(t *testing.T) {
	h := newHome(t)
	got := h.say(hello, ready, calling(2, "mem_note", `{"text":"x"}`),
		calling(3, "mem_set", `{"key":"/project/db","text":"x"}`))
	for _, id := range []string{"2", "3"} {
		if !strings.Contains(got[id], `"layer":"user"`) {
			t.Errorf("%s", got[id])
		}
	}
	if got := h.say(hello, ready, calling(2, "mem_search", `{}`)); strings.Contains(got["2"], "trust") {
		t.Errorf("%s", got)
	}
	if err := os.Mkdir(filepath.Join(h.dir, ".mem"), 0o700); err != nil {
		t.Fatal(err)
	}
	got = h.say(hello, ready, calling(2, "mem_search", `{}`), calling(3, "mem_search", `{}`))
	if said := got["2"] + got["3"]; strings.Count(said, `"hint":"this project's memory waits for mem trust`) != 1 ||
		strings.Contains(said, h.dir) {
		t.Errorf("%s", said)
	}
}

// start connects a client over pipes.
func (h *home) start(client *sdk.Client) (*sdk.ClientSession, <-chan error) {
	h.t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Run(context.Background(), h.options(), h.folders(), fromClient, toClient)
		toClient.Close()
	}()
	session, err := client.Connect(h.t.Context(),
		&sdk.IOTransport{Reader: fromServer, Writer: toServer},
		&sdk.ClientSessionOptions{ProtocolVersion: "2025-06-18"})
	if err != nil {
		h.t.Fatal(err)
	}
	return session, ended
}

// A call that is cancelled ends.
func TestCallsAreCancelled(t *testing.T) {
	s := storetest.NewStore(t, storetest.Memory)
	l := &lab{Store: s}
	began, over := make(chan bool), make(chan error, 1)
	session := connect(t, &server{Options: Options{Sets: Sets},
		open: func(ctx context.Context) (*Memory, error) {
			m, err := l.memory(ctx)
			m.Turn = func(ctx context.Context, _ bool) (func(), error) {
				close(began)
				<-ctx.Done()
				over <- ctx.Err()
				return nil, ctx.Err()
			}
			return m, err
		}}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	_, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "mem_search"})
	if err == nil || <-over == nil {
		t.Errorf("%v", err)
	}
}

// A panic is the answer of a tool, and no path that is hidden is in an answer.
func TestPanicsAreAnswers(t *testing.T) {
	l := &lab{Store: storetest.NewStore(t, storetest.Memory)}
	session := connect(t, &server{Options: Options{Sets: Sets, Hide: "/srv/mem"},
		open: func(ctx context.Context) (*Memory, error) {
			m, err := l.memory(ctx)
			m.Book = func(*mem.Store) (*ledger.Book, error) { panic("at /srv/mem/tenants/t1") }
			return m, err
		}}, nil)
	got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "memory_query_decisions"})
	if err != nil || !got.IsError || got.Content[0].(*sdk.TextContent).Text !=
		"panic: at ROOT/tenants/t1\nhint: tell the user; mem doctor says more" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Lines are whole, however they come.
func TestLinesComeInParts(t *testing.T) {
	in, feed := io.Pipe()
	out, answers := io.Pipe()
	h := newHome(t)
	go func() {
		_ = Run(context.Background(), h.options(), h.folders(), in, answers)
		answers.Close()
	}()
	go func() {
		for _, c := range []byte(hello + "\n") {
			_, _ = feed.Write([]byte{c})
		}
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(line, `"serverInfo"`) {
		t.Errorf("%q, %v", line, err)
	}
	feed.Close()
}
