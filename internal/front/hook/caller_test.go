package hook

import (
	"os"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/front/setup"
)

func TestSource(t *testing.T) {
	for _, tc := range []struct {
		env  map[string]string
		want string
	}{
		{nil, ""},
		{
			map[string]string{
				"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "abc",
				"CLAUDE_CODE_MESSAGING_TOKEN": "secret",
			},
			`{"kind":"agent","name":"claude-code","locator":{"session":"abc"}}`,
		},
		{
			map[string]string{"CODEX_THREAD_ID": "t", "CODEX_SESSION_ID": "t\"\n"},
			`{"kind":"agent","name":"codex","locator":{"session":"t\"\n"}}`,
		},
		{
			map[string]string{"CODEX_SANDBOX": "seatbelt", "GEMINI_CLI": "1"},
			`{"kind":"agent","name":"codex"}`,
		},
		{map[string]string{"GEMINI_CLI": "1"}, `{"kind":"agent","name":"gemini"}`},
		{
			map[string]string{
				"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": strings.Repeat("x", 200),
			},
			`{"kind":"agent","name":"claude-code"}`,
		},
	} {
		got := string(Source(func(name string) string { return tc.env[name] }, ""))
		if got != tc.want {
			t.Errorf("%v: %s, want %s", tc.env, got, tc.want)
		}
	}
}

// Each sign marks its client, and what the terminals of editors have marks none.
func TestSigns(t *testing.T) {
	for _, sign := range setup.Signs {
		env := map[string]string{sign.Variable: "1"}
		if sign.Session != "" {
			env[sign.Session] = "1"
		}
		client, session := Caller(func(name string) string { return env[name] })
		if client != sign.Client || (session == "1") != (sign.Session != "") {
			t.Errorf("%s: %q %q", sign.Variable, client, session)
		}
	}
	env := map[string]string{"TERM_PROGRAM": "vscode", "VSCODE_PID": "1", "VSCODE_INJECTION": "1",
		"ZED_TERM": "true", "CURSOR_TRACE_ID": "1", "CLAUDE_CODE_SESSION_ID": "1"}
	if client, _ := Caller(func(name string) string { return env[name] }); client != "" {
		t.Error("a terminal is taken for " + client)
	}
}

// A hook of a client has signs that the client sets itself; all others say that an agent runs it.
func TestIsAgents(t *testing.T) {
	own := map[string]string{"CLAUDECODE": "1", "AI_AGENT": "claude-code_2-1-329_agent"}
	for _, tc := range []struct {
		env  map[string]string
		own  string
		want bool
	}{
		{nil, "", false},
		{nil, "claude-code", false},
		{own, "claude-code", false},
		{own, "", true},
		{own, "codex", true},
		{map[string]string{"AI_AGENT": "codex"}, "claude-code", true},
		{map[string]string{"AGENT": "1"}, "claude-code", true},
		{map[string]string{"CODEX_THREAD_ID": "t"}, "claude-code", true},
		{map[string]string{"CODEX_THREAD_ID": "t"}, "codex", false},
		{map[string]string{"MEM_AGENT": "ada"}, "claude-code", true},
		{map[string]string{"MEM_AGENT": ""}, "claude-code", false},
	} {
		getenv := func(name string) string { return tc.env[name] }
		if got := isAgents(getenv, tc.own); got != tc.want {
			t.Errorf("%v in a hook of %q: %v", tc.env, tc.own, got)
		}
	}
	for env, want := range map[string]string{"": "", "A=1\x00": "1", "B=A=2\x00A=1\x00": "1",
		"XA=1\x00": "", "B=1\x00A=\x00C=3\x00": "", "B=1\x00A=2": "2"} {
		if got := lookUpIn(env)("A"); got != want {
			t.Errorf("%q: %q", env, got)
		}
	}
}

// docs/decisions.md has the table of the signs.
func TestSignsAreDocumented(t *testing.T) {
	want := "| Variable | Set by |\n|---|---|\n"
	for _, sign := range setup.Signs {
		want += "| `" + sign.Variable + "` | " + sign.Client + " |\n"
	}
	text, err := os.ReadFile("../../../docs/decisions.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want+"\n") ||
		!strings.Contains(string(text), "Where `"+setup.AgentVariable+"` names an agent") {
		t.Errorf("docs/decisions.md lacks:\n%s", want)
	}
}

func TestSourceNamesTheProject(t *testing.T) {
	for _, tc := range []struct{ sign, session, project, want string }{
		{"CODEX_SANDBOX", "s", "app-0123abcd", `{"kind":"agent","name":"codex",` +
			`"locator":{"session":"s","project":"app-0123abcd"}}`},
		{"CODEX_SANDBOX", "", "/home/ada/a\"b/.mem", `{"kind":"agent","name":"codex",` +
			`"locator":{"project":"/home/ada/a\"b/.mem"}}`},
		{"CODEX_SANDBOX", "s", "", `{"kind":"agent","name":"codex","locator":{"session":"s"}}`},
		{"CODEX_SANDBOX", "", "", `{"kind":"agent","name":"codex"}`},
		{"PATH", "s", "app-0123abcd", ""},
	} {
		env := map[string]string{tc.sign: "1", "CODEX_SESSION_ID": tc.session}
		getenv := func(name string) string { return env[name] }
		if got := string(Source(getenv, tc.project)); got != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
	}
}
