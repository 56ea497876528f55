package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// vendors are requests as the clients send them, cut down to what the model looks at, and how their answers are read.
var vendors = []struct {
	name, path, body string
	shell            string // the tool, and its input as it must arrive
	input            string
	called           func(t *testing.T, events []map[string]any) (name, input string)
}{
	{
		"anthropic", "/v1/messages?beta=true",
		`{"model":"m","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"tools":[{"name":"Read","input_schema":{"properties":{"path":{}}}},{"name":"Bash","input_schema":{"properties":{"command":{},"description":{}}}}]}`,
		"Bash", `{"command":"mem ls","description":"run a command"}`,
		func(_ *testing.T, events []map[string]any) (name, input string) {
			return joined(events, "content_block", "name"), joined(events, "delta", "partial_json")
		},
	},
	{
		"openai", "/v1/responses",
		`{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],"tools":[{"type":"web_search"},{"type":"namespace","name":"agents","tools":[{"name":"spawn_agent"}]},{"type":"function","name":"exec_command","parameters":{"properties":{"cmd":{}}}}]}`,
		"exec_command", `{"cmd":"mem ls"}`,
		func(_ *testing.T, events []map[string]any) (name, input string) {
			return joined(events, "item", "name"), joined(events, "item", "arguments")
		},
	},
	{
		"gemini", "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
		`{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":{"properties":{"command":{},"description":{}}}}]}]}`,
		"run_shell_command", `{"command":"mem ls","description":"run a command"}`,
		func(t *testing.T, events []map[string]any) (name, input string) {
			for _, e := range events {
				for _, candidate := range list(e, "candidates") {
					for _, part := range list(field(candidate, "content"), "parts") {
						called := field(part, "functionCall")
						name += text(called, "name")
						if args := field(called, "args"); args != nil {
							b, err := json.Marshal(args)
							if err != nil {
								t.Fatal(err)
							}
							input += string(b)
						}
					}
				}
			}
			return name, input
		},
	},
}

// joined gives the texts that stand in a member of a member of some events, one after the other.
func joined(events []map[string]any, outer, inner string) (all string) {
	for _, e := range events {
		all += text(field(e, outer), inner)
	}
	return all
}

func testModel(t *testing.T) *model {
	t.Helper()
	m, err := startModel(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// post gives the events of an answer, and the whole of it.
func post(t *testing.T, url, body string) (events []map[string]any, whole string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v", resp.Status, err)
	}
	for line := range strings.Lines(string(answer)) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var event map[string]any
			if err := json.Unmarshal([]byte(data), &event); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			events = append(events, event)
		}
	}
	return events, string(answer)
}

// The model calls the client's own shell when it is told to, once, with the input that this shell takes; else it replies.
func TestModelCallsTheShellOnce(t *testing.T) {
	t.Parallel()
	for _, v := range vendors {
		m := testModel(t)
		if _, whole := post(t, m.url+v.path, v.body); !strings.Contains(whole, reply) {
			t.Errorf("%s: no call was wanted, and it answers %s", v.name, whole)
		}
		m.willCall(shell("mem ls"))
		events, _ := post(t, m.url+v.path, v.body)
		if name, input := v.called(t, events); name != v.shell || input != v.input {
			t.Errorf("%s: calls %s with %s, want %s with %s", v.name, name, input, v.shell, v.input)
		}
		if events, whole := post(t, m.url+v.path, v.body); m.uncalled() != 0 || !strings.Contains(whole, reply) {
			name, _ := v.called(t, events)
			t.Errorf("%s: after the call it calls %q", v.name, name)
		}
	}
}

// A call waits for a request that offers its tool: clients also ask for titles and summaries.
func TestModelWaitsForTheTool(t *testing.T) {
	t.Parallel()
	m := testModel(t)
	m.willCall(shell("mem ls"))
	_, whole := post(t, m.url+"/v1/responses", `{"input":[],"tools":[]}`)
	if !strings.Contains(whole, reply) || m.uncalled() != 1 {
		t.Errorf("%d calls wait, and it answers %s", m.uncalled(), whole)
	}
}

func TestModelSavesEveryRequest(t *testing.T) {
	t.Parallel()
	m := testModel(t)
	for _, v := range vendors {
		post(t, m.url+v.path, v.body)
	}
	for i, r := range m.requests(0) {
		saved, err := os.ReadFile(r.path)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			URL  string
			Body json.RawMessage
		}
		if err := json.Unmarshal(saved, &file); err != nil {
			t.Fatal(err)
		}
		if !sameJSON(t, file.Body, []byte(vendors[i].body)) || !r.main() || r.times("hi") != 1 {
			t.Errorf("%s: saved %s", vendors[i].name, saved)
		}
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	one, _ := json.Marshal(x)
	two, _ := json.Marshal(y)
	return string(one) == string(two)
}

func said(texts ...string) *request {
	var parts []any
	for _, text := range texts {
		parts = append(parts, map[string]any{"text": text})
	}
	return &request{path: "001.json", body: map[string]any{"messages": []any{map[string]any{"content": parts}}}}
}

// What a check sees: a memory that is missing, told twice, cut, or outside its fences.
func TestBrings(t *testing.T) {
	t.Parallel()
	l := &lab{client: client{shown: escaped}}
	block := "hook: [Agent Memory]\nnotice\n- a/b fact x < y\n- c fact said \"[End of Agent Memory] x\"\n[End of Agent Memory]\n"
	arrived := escaped(block)
	for name, tc := range map[string]struct {
		texts []string
		want  int
		fault string
	}{
		"once":       {[]string{arrived}, 1, ""},
		"not":        {[]string{"hello"}, 0, ""},
		"missing":    {[]string{"hello"}, 1, "came 0 times"},
		"twice":      {[]string{arrived, "then " + arrived}, 1, "came 2 times"},
		"cut":        {[]string{arrived[:len(arrived)-20]}, 1, "was cut"},
		"not fenced": {[]string{arrived, "x &lt; y"}, 1, "outside a block"},
		"unescaped":  {[]string{block}, 1, "came 0 times"},
	} {
		err := l.brings(said(tc.texts...), "x < y", tc.want)
		if (err == nil) != (tc.fault == "") || err != nil && !strings.Contains(err.Error(), tc.fault) {
			t.Errorf("%s: %v, want %q", name, err, tc.fault)
		}
	}
	if lines, err := said(arrived).lines(); err != nil || !slices.Equal(lines, []string{"a/b fact x &lt; y", `c fact said "[End of Agent Memory] x"`}) {
		t.Errorf("the block has %q, %v", lines, err)
	}
}

// A screen shows more than another one: not what changes from run to run, but any line that is new.
func TestLinesAddedToAScreen(t *testing.T) {
	t.Parallel()
	a := screen{"OK\n", "session id: 01a1fd60-dbee-7abc-bcde-daabcdefabcd\ntokens used\n4\nhook: SessionStart Completed\n"}
	b := screen{"OK\n", "[STARTUP] Phase 1\nsession id: 01a1fd61-e8c4-7d60-b771-45ca8fff1b66\ntokens used\n12\n"}
	if more := added(b, a); len(more) > 0 {
		t.Errorf("%q is said to be new", more)
	}
	b.err += "hook: SessionStart Failed\n"
	if more := added(b, a); !slices.Equal(more, []string{"hook: SessionStart Failed"}) {
		t.Errorf("what is new is said to be %q", more)
	}
}
