package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The memory tool says what its models know, as plain text, and as a value.
func TestFiles(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		answer := l.ok("memory", `{"command":"create","path":"/memories/a.md","file_text":"x\n"}`)
		if answer["text"] != "File created successfully at: /memories/a.md" {
			t.Errorf("%v", answer)
		}
		got, err := l.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "memory",
			Arguments: json.RawMessage(`{"command":"view","path":"/memories/a.md"}`)})
		l.Must(err)
		const want = "Here's the content of /memories/a.md with line numbers:\n     1\tx\n     2\t"
		if text := got.Content[0].(*sdk.TextContent).Text; text != want || got.IsError {
			t.Errorf("%q", text)
		}
		if got := l.Content("/memories/a.md"); got != `{"type":"file","text":"x\n"}` {
			t.Errorf("%s", got)
		}
		if log := l.Logged(); !strings.Contains(log, `"source":{"kind":"agent","name":"tester",`+
			`"locator":{"tool":"memory","via":"mcp","agent":"ada","session":"s9"}}`) {
			t.Errorf("%s", log)
		}
		l.fails("memory", `{"command":"delete","path":"/memories/b"}`,
			"Error: The path /memories/b does not exist")
		l.fails("memory", `{"command":"view","path":"/memories/../a"}`, "Error: Path ")
		l.fails("memory", `{"command":"create","path":"/memories/s","file_text":"AKIA`+
			`QYLPMN5HHHFPZAM2"}`, "hint: remove the secret")
		l.fails("memory", `{"command":"view"}`, "Error: Path must start with /memories, got: ")
		l.fails("memory", `{"command":"look","path":"/memories"}`, "want view, create, ")
	})
}
