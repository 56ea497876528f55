package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/ledger"
)

type object = map[string]any

// lab is a client of a server over a store.
type lab struct {
	*storetest.Store
	caller  mem.Caller
	session *sdk.ClientSession
	outputs map[string]*jsonschema.Resolved // what each tool may answer
}

// eachLab runs a test on stores of each kind; the agent is ada.
func eachLab(t *testing.T, test func(*testing.T, *lab)) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		test(t, newLab(t, s, "ada"))
	})
}

func newLab(t *testing.T, s *storetest.Store, agent string) *lab {
	t.Helper()
	l := &lab{Store: s, caller: mem.Caller{Client: "MCP", Agent: agent, Channel: "mcp"}}
	l.session = connect(t, &server{Options: Options{Version: "1", Sets: Sets, Session: "s9"},
		open:  l.memory,
		agent: func(context.Context) string { return agent }}, nil)
	list, err := l.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	l.outputs = map[string]*jsonschema.Resolved{}
	for _, tool := range list.Tools {
		l.outputs[tool.Name] = resolved(t, tool.OutputSchema)
	}
	return l
}

// resolved returns a schema as what checks a value.
func resolved(t *testing.T, schema any) *jsonschema.Resolved {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// connect connects a client with a server.
func connect(t *testing.T, s *server, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	protocol := newServer(s, func(*sdk.ServerSession) {})
	here, there := sdk.NewInMemoryTransports()
	if _, err := protocol.Connect(context.Background(), there, nil); err != nil {
		t.Fatal(err)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, o)
	session, err := client.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// listing is a server that lists its tools to an agent.
func listing(sets ...string) *server {
	return &server{Options: Options{Sets: sets},
		agent: func(context.Context) string { return "ada" }}
}

// memory opens what a call works on.
func (l *lab) memory(context.Context) (*Memory, error) {
	return &Memory{Caller: l.caller, Layers: layers.Of(l.Store.Store),
		reads: l.Store.Store, admits: l.Store.Store,
		mu: &sync.Mutex{}, Book: func(s *mem.Store) (*ledger.Book, error) {
			return ledger.New(s, l.caller, ledger.Options{}), nil
		}}, nil
}

// call calls a tool. What it answers must be what it says that it answers, as text and as value;
// the schemas, which cost a model tokens, leave out what needs no description.
func (l *lab) call(tool, arguments string) (answer object, text string, failed bool) {
	l.T.Helper()
	got, err := l.session.CallTool(l.T.Context(), &sdk.CallToolParams{Name: tool,
		Arguments: json.RawMessage(arguments)})
	if err != nil {
		l.T.Fatalf("%s %s: %v", tool, arguments, err)
	}
	text = got.Content[0].(*sdk.TextContent).Text
	answer, _ = got.StructuredContent.(object)
	if answer == nil && !got.IsError {
		l.T.Errorf("%s %s: no value, %s", tool, arguments, text)
	}
	if answer != nil {
		if tool == "memory" {
			doc, _ := json.Marshal(filesAnswer{text})
			text = string(doc) // it is the value in words
		}
		var said object
		if err := json.Unmarshal([]byte(text), &said); err != nil || len(said) != len(answer) {
			l.T.Errorf("%s: text %s, value %v", tool, text, answer)
		}
		schema := l.outputs[strings.Replace(tool, ".", "_", 1)]
		if schema == nil {
			return answer, text, got.IsError // it is not listed
		}
		if err := schema.Validate(answer); err != nil {
			l.T.Errorf("%s answers %s: %v", tool, text, err)
		}
		for name := range answer {
			if !strings.Contains(" valid hint near ", " "+name+" ") &&
				schema.Schema().Properties[name] == nil {
				l.T.Errorf("%s answers %s: the schema has no %s", tool, text, name)
			}
		}
	}
	return answer, text, got.IsError
}

// ok calls a tool that must not fail.
func (l *lab) ok(tool, arguments string) object {
	l.T.Helper()
	answer, text, failed := l.call(tool, arguments)
	if failed {
		l.T.Fatalf("%s %s: %s", tool, arguments, text)
	}
	return answer
}

// fails calls a tool that must fail and say so.
func (l *lab) fails(tool, arguments, want string) {
	l.T.Helper()
	if _, text, failed := l.call(tool, arguments); !failed || !strings.Contains(text, want) {
		l.T.Errorf("%s %s: failed %v, %q, want %q", tool, arguments, failed, text, want)
	}
}
