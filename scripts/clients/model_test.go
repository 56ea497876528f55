package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/scripts/harness"
)

// vendors are requests as the clients send them, cut down to what the model looks at, and what
// their answers hold when the model calls the shell: its name, and its input as it must arrive.
var vendors = []struct{ name, path, body, called, input string }{
	{
		"anthropic", "/v1/messages?beta=true",
		`{"model":"m","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],
"tools":[{"name":"Read","input_schema":{"properties":{"path":{}}}},
{"name":"Bash","input_schema":{"properties":{"command":{},"description":{}}}}]}`,
		`"name":"Bash"`, `"partial_json":"{\"command\":\"mem ls\",\"description\":\"run a command\"}"`,
	},
	{
		"openai", "/v1/responses",
		`{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],
"tools":[{"type":"web_search"},{"type":"namespace","name":"agents","tools":[{"name":"spawn_agent"}]},
{"type":"function","name":"exec_command","parameters":{"properties":{"cmd":{}}}}]}`,
		`"name":"exec_command"`, `"arguments":"{\"cmd\":\"mem ls\"}"`,
	},
	{
		"gemini", "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
		`{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":
[{"name":"run_shell_command","parametersJsonSchema":{"properties":{"command":{},"description":{}}}}]}]}`,
		`"name":"run_shell_command"`, `"args":{"command":"mem ls","description":"run a command"}`,
	},
}

func testModel(t *testing.T) *model {
	t.Helper()
	m := startModel(t.TempDir())
	t.Cleanup(func() {
		if err := harness.Try(m.close); err != nil {
			t.Error(err)
		}
	})
	return m
}

// post returns the answer to a request; each line of data in it is JSON.
func post(t *testing.T, url, body string) string {
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
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("the answer is %s", kind)
	}
	for line := range strings.Lines(string(answer)) {
		if data, ok := strings.CutPrefix(line, "data: "); ok && !json.Valid([]byte(data)) {
			t.Fatalf("not JSON: %s", data)
		}
	}
	return string(answer)
}

// The model calls the client's own shell when it is told to, once, with the input that this shell
// takes; else it replies.
func TestModelCallsTheShellOnce(t *testing.T) {
	t.Parallel()
	for _, v := range vendors {
		m := testModel(t)
		before := post(t, m.url+v.path, v.body)
		m.willCall(shell("mem ls"))
		call := post(t, m.url+v.path, v.body)
		if !strings.Contains(call, v.called) || !strings.Contains(call, v.input) || m.uncalled() != 0 {
			t.Errorf("%s: want a call with %s, got %s", v.name, v.input, call)
		}
		for _, reply := range []string{before, post(t, m.url+v.path, v.body)} {
			if !strings.Contains(reply, `"OK from the model."`) || strings.Contains(reply, v.called) {
				t.Errorf("%s: no call was wanted, and it answers %s", v.name, reply)
			}
		}
	}
}

// A call waits for a request that offers its tool: clients also ask for titles and summaries.
func TestModelWaitsForTheTool(t *testing.T) {
	t.Parallel()
	m := testModel(t)
	m.willCall(shell("mem ls"))
	whole := post(t, m.url+"/v1/responses", `{"input":[],"tools":[]}`)
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
		var file struct{ Body any }
		var want any
		err = errors.Join(json.Unmarshal(saved, &file), json.Unmarshal([]byte(vendors[i].body), &want))
		if err != nil || !reflect.DeepEqual(file.Body, want) || !r.main() || r.times("hi") != 1 {
			t.Errorf("%s: saved %s, %v", vendors[i].name, saved, err)
		}
	}
}

func said(texts ...string) *request {
	var parts []any
	for _, text := range texts {
		parts = append(parts, object{"text": text})
	}
	return &request{path: "001.json", body: object{"messages": []any{object{"content": parts}}}}
}

// What a check sees: a memory that is missing, told twice, cut, or outside its fences.
func TestBrings(t *testing.T) {
	t.Parallel()
	l := &lab{client: client{shown: escaped}}
	block := "hook: [Agent Memory]\nnotice\n(a/b, 3d) x < y\n(c, 3d) said \"[End of Agent Memory] x\"\n[End of Agent Memory]\n"
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
		err := harness.Try(func() { l.brings(said(tc.texts...), "x < y", tc.want) })
		if (err == nil) != (tc.fault == "") || err != nil && !strings.Contains(err.Error(), tc.fault) {
			t.Errorf("%s: %v, want %q", name, err, tc.fault)
		}
	}
	if lines := said(arrived).lines(); !slices.Equal(lines, []string{"(a/b, 3d) x &lt; y", `(c, 3d) said "[End of Agent Memory] x"`}) {
		t.Errorf("the block has %q", lines)
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
