package hook

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// said returns the answer to an event at a tool.
func (f *fixture) said(event, tool string, input any) string {
	f.Helper()
	text, err := json.Marshal(map[string]any{"hook_event_name": event, "session_id": "s",
		"cwd": "/p/web", "tool_name": tool, "tool_input": input})
	if err != nil {
		f.Fatal(err)
	}
	var out strings.Builder
	f.hook.Run(strings.NewReader(string(text)), &out)
	return out.String()
}

// An edit is answered where a tool of the client edits a file that a memory names, and no input of
// a tool makes the hook print anything else.
func TestEditEvents(t *testing.T) {
	file := func(name string) any { return map[string]any{"file_path": name} }
	patch := func(lines ...string) any {
		return map[string]any{"command": strings.Join(lines, "\n")}
	}
	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprintf("*** Add File: /p/web/x%d.ts", i)
	}
	for i, c := range []struct {
		client, event, tool string
		input               any
		said                bool
	}{
		{"claude-code", "PreToolUse", "Edit", file("/p/web/price.ts"), true},
		{"claude-code", "PreToolUse", "MultiEdit", file("price.ts"), true},
		{"claude-code", "PreToolUse", "NotebookEdit",
			map[string]any{"notebook_path": "/p/web/price.ts"}, true},
		{"claude-code", "PreToolUse", "Read", file("/p/web/price.ts"), false},
		{"claude-code", "PreToolUse", "Bash", patch("*** Update File: /p/web/price.ts"), false},
		{"claude-code", "PostToolUse", "Edit", file("/p/web/price.ts"), false},
		{"claude-code", "PostToolUse", "Bash", patch("sed -i s/a/b/ price.ts"), true},
		{"claude-code", "PostToolUse", "Bash", patch("cat price.ts"), false},
		{"claude-code", "PostToolUse", "Bash", patch("*** Update File: price.ts"), false},
		{"claude-code", "PostToolUse", "Read", patch("sed -i s/a/b/ price.ts"), false},
		{"gemini", "AfterTool", "run_shell_command", patch("sed -i s/a/b/ price.ts > x"), true},
		{"gemini", "AfterTool", "run_shell_command", patch("cat price.ts"), false},
		{"claude-code", "AfterTool", "replace", file("/p/web/price.ts"), false},
		{"claude-code", "PreToolUse", "Edit", "/p/web/price.ts", false},
		{"claude-code", "PreToolUse", "Edit", []any{1, nil}, false},
		{"claude-code", "PreToolUse", "Edit", nil, false},
		{"claude-code", "PreToolUse", "Edit", file("\x00\x1b[2J/../.."), false},
		{"codex", "PreToolUse", "apply_patch",
			patch("*** Begin Patch", "*** Move to: price.ts"), true},
		{"codex", "PreToolUse", "apply_patch",
			patch("*** Delete File: /p/web/price.ts"), true},
		{"codex", "PreToolUse", "apply_patch",
			patch("+*** Add File: price.ts", " *** Add File: price.ts"), false},
		{"codex", "PreToolUse", "apply_patch", patch(many...), false},
		{"codex", "PreToolUse", "Edit", file("/p/web/price.ts"), false},
		{"gemini", "AfterTool", "write_file", file("/p/web/price.ts"), true},
		{"gemini", "AfterTool", "read_file", file("/p/web/price.ts"), false},
		{"gemini", "PreToolUse", "Edit", file("/p/web/price.ts"), false},
		{"vscode", "PreToolUse", "Edit", file("/p/web/price.ts"), false},
	} {
		f := newFixture(t, c.client, "web/price.ts rounds half to even")
		f.view.Root = "/p"
		got := f.said(c.event, c.tool, c.input)
		if strings.Contains(got, "half to even") != c.said || c.said == (got == "") ||
			strings.Contains(got, "permission") || strings.Contains(got, "decision") {
			t.Errorf("%d: %s, %s of %s: %s", i, c.client, c.event, c.tool, got)
		}
	}
}

// A member of an event that mem does not expect takes no memory from a prompt.
func TestPromptWithAToolInput(t *testing.T) {
	f := newFixture(t, "claude-code", "The database has port 5432")
	var out strings.Builder
	f.hook.Run(strings.NewReader(`{"hook_event_name":"UserPromptSubmit","session_id":"s",`+
		`"prompt":"which port has the database?","tool_input":"x"}`), &out)
	if !strings.Contains(out.String(), "5432") {
		t.Errorf("%q", out.String())
	}
}
