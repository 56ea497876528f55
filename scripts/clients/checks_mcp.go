package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

// server: the client finds mem's server by what mem setup --mcp wrote, and says so; its model calls
// tools of it and reads their answers, and mem knows which client it was.
func server(l *lab) {
	l.setUp("--mcp")
	l.offerAll()
	l.setUp("--check")
	listed := l.exec("", l.Program, "mcp", "list")
	if all := listed.out + listed.err; !strings.Contains(all, "mem mcp") && !strings.Contains(all, "mem      mcp") ||
		!strings.Contains(all, l.connected) {
		harness.Failf("mcp list does not say %q of mem: %.300q", l.connected, all)
	}
	l.calls(call{"mem_note", object{"text": noted, "tags": []string{"habit"}}}, `{"ok":true,"id":"`)
	file := object{"command": "create", "path": "/memories/coffee.md", "file_text": noted + "\n"}
	l.calls(call{"memory", file}, "File created successfully at: /memories/coffee.md")
	const source = ".source | [.kind, .name, .locator.via] | join(\" \")"
	note := l.runMem("", "query", `select(.content.text == "`+noted+`") | `+source)
	kept := l.runMem("", "get", "/memories/coffee.md", "--envelope", "--jq", source)
	for _, said := range []string{note, kept} {
		said = strings.Trim(said, "\"\n")
		// Codex starts a server with nothing in its environment that tells of Codex: mem goes by the
		// name that it gives itself, codex-mcp-client.
		if !strings.HasPrefix(said, "agent "+l.Name) || !strings.HasSuffix(said, " mcp") {
			harness.Failf("the source is %q", said)
		}
	}
}

// offerAll has the server offer all of its tools, as a person chooses them: in the client's file.
func (l *lab) offerAll() {
	for _, name := range []string{".claude.json", ".codex/config.toml", ".gemini/settings.json"} {
		path := filepath.Join(l.home, name)
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it is another client's
		}
		chosen := strings.Replace(string(text), `["mcp"]`, `["mcp", "--tools", "all"]`, 1)
		// Codex asks before it calls what may destroy something, and here there is nobody to ask.
		chosen = strings.Replace(chosen, "# mem:end", "default_tools_approval_mode = \"approve\"\n# mem:end", 1)
		harness.Check(os.WriteFile(path, []byte(chosen), 0o600))
	}
}

// calls has the model call a tool, and looks for the beginning of its answer in what the model reads
// then.
func (l *lab) calls(c call, answer string) {
	if l.search != nil {
		l.model.willCall(l.search(c.tool))
	}
	l.model.willCall(c)
	requests, _ := l.run(l.client.ask("Remember how Ada drinks her coffee.", false))
	r := requests[len(requests)-1]
	if n := l.model.uncalled(); n > 0 {
		r.fault("%d calls found no tool to make", n)
	}
	if r.times(answer) == 0 {
		r.fault("the answer of %s did not arrive", c.tool)
	}
}
