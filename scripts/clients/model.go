package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// reply is what the model says when it calls no tool.
const reply = "OK from the model."

// An object is one of JSON.
type object = map[string]any

// A tool is one that a request offers to the model.
type tool struct {
	name, namespace string
	inputs          []string
	freeform        bool // its input is a text, which a call has in its member input
}

// A call is a tool call that the model is to make.
type call struct {
	tool  string // empty: the shell, whatever its name is
	input object
}

// shells are the names that clients give to the tool that runs a command.
var shells = []string{"Bash", "exec_command", "shell_command", "run_shell_command", "bash",
	"run_commands", "Execute"}

// shell is a call of the client's own shell tool. What its input is called is found among the tools
// that it offers.
func shell(command string) call {
	return call{input: object{"command": command, "cmd": command, "commands": []string{command},
		"description": "run a command", "summary": "Run a command",
		"riskLevel": "low", "riskLevelReason": "it is small"}}
}

// A protocol is the way in which one vendor's clients speak with a model.
type protocol interface {
	speaks(path string) bool
	tools(body object) []tool
	// answer writes one turn of the model: the reply, or the call of a tool if there is one.
	answer(w http.ResponseWriter, r *http.Request, body object, turn int, made *made)
}

// A made call knows which of the offered tools it is for.
type made struct {
	tool  tool
	input object
}

func (m *made) inputJSON() string {
	text, err := json.Marshal(m.input)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return string(text)
}

// A model is a stand-in for the model behind a client, on loopback. It saves each request, and says
// the same to each.
type model struct {
	url    string
	server *http.Server
	dir    string

	mu      sync.Mutex
	turn    int
	saved   []*request
	pending []call
	failed  error
}

var protocols = []protocol{anthropic{}, openai{}, gemini{}, chat{}}

// startModel serves until close. The requests are saved in dir.
func startModel(dir string) *model {
	harness.Check(os.MkdirAll(dir, 0o755))
	listener := harness.Must(net.Listen("tcp", "127.0.0.1:0"))
	m := &model{url: "http://" + listener.Addr().String(), dir: dir}
	m.server = &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := m.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			m.fail(err)
		}
	}()
	return m
}

func (m *model) close() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	if m.server.Shutdown(ctx) != nil {
		harness.Check(m.server.Close()) // a client that keeps its connection open
	}
	m.failure()
}

// willCall makes the model call a tool the next time it is offered.
func (m *model) willCall(c call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending = append(m.pending, c)
}

// uncalled tells how many calls no request gave an opportunity for.
func (m *model) uncalled() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.pending)
}

// requests returns what was saved since the first n.
func (m *model) requests(n int) []*request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.saved[n:])
}

func (m *model) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed = errors.Join(m.failed, err)
}

func (m *model) failure() {
	m.mu.Lock()
	defer m.mu.Unlock()
	harness.Check(m.failed)
}

// ServeHTTP answers a request as the vendor's server would.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		m.fail(err)
		return
	}
	for _, p := range protocols {
		if !p.speaks(r.URL.Path) {
			continue
		}
		body := object{}
		if err := json.Unmarshal(text, &body); err != nil {
			m.fail(fmt.Errorf("%s: %w", r.URL.Path, err))
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		turn, made := m.take(r.URL.Path, body, p.tools(body))
		p.answer(w, r, body, turn, made)
		return
	}
	w.WriteHeader(http.StatusNotFound)
	writeJSON(w, object{"error": object{"type": "not_found_error", "message": "no such endpoint"}})
}

// take saves a request and decides whether the answer to it is a call.
func (m *model) take(path string, body object, offered []tool) (int, *made) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn++
	r := &request{path: filepath.Join(m.dir, fmt.Sprintf("%03d.json", m.turn)), url: path, body: body, tools: offered}
	m.saved = append(m.saved, r)
	m.failed = errors.Join(m.failed, harness.Try(r.save))
	if len(m.pending) == 0 {
		return m.turn, nil
	}
	made := m.pending[0].among(offered)
	if made != nil {
		m.pending = m.pending[1:]
	}
	return m.turn, made
}

// among finds the tool for a call, and leaves of the input what that tool takes.
func (c call) among(offered []tool) *made {
	for _, t := range offered {
		if !c.isFor(t) {
			continue
		}
		input := object{}
		for name, value := range c.input {
			if slices.Contains(t.inputs, name) || t.freeform {
				input[name] = value
			}
		}
		return &made{t, input}
	}
	return nil
}

// isFor reports whether a call is for a tool. Clients put the name of a server before those of its
// tools, each in its own way.
func (c call) isFor(t tool) bool {
	if c.tool == "" {
		return slices.Contains(shells, t.name)
	}
	return t.name == c.tool || strings.HasPrefix(t.name, "mcp_") && strings.HasSuffix(t.name, "_"+c.tool)
}

func writeJSON(w io.Writer, value any) {
	_ = json.NewEncoder(w).Encode(value) // a client that has gone is seen by what it did not do
}

// A typed event has a name, which is also its type.
type typed struct {
	name string
	data object
}

func typedEvents(w http.ResponseWriter, events ...typed) {
	for _, e := range events {
		e.data["type"] = e.name
		writeEvent(w, "event: "+e.name+"\n", e.data)
	}
}

// writeEvent writes a server-sent event.
func writeEvent(w http.ResponseWriter, head string, data object) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, head, "data: ")
	writeJSON(w, data)
	fmt.Fprint(w, "\n")
}

// names returns the names of a schema's properties.
func names(schema any) (found []string) {
	properties, _ := field(schema, "properties").(object)
	for name := range properties {
		found = append(found, name)
	}
	return found
}

// field returns a member of a JSON object, or nil.
func field(value any, name string) any {
	o, _ := value.(object)
	return o[name]
}

func text(value any, name string) string {
	s, _ := field(value, name).(string)
	return s
}

func list(value any, name string) []any {
	l, _ := field(value, name).([]any)
	return l
}
