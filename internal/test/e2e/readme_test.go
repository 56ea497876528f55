//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/set-memory/mem"
)

var fixDocs = flag.Bool("fixdocs", false,
	"rewrite the console blocks and the exit code table")

// The console blocks of a document are one session: every command is run, and what it prints is
// what stands there.
func TestReadmeConsoleBlocks(t *testing.T) {
	for name, least := range map[string]int{"README.md": 3, "docs/forgetting.md": 3,
		"docs/bundle.md": 4, "docs/config.md": 4, "docs/journal.md": 5, "docs/sessions.md": 8,
		"docs/mcp.md": 1, "docs/decisions.md": 1, "docs/guide.md": 5, "docs/secrets.md": 1,
		"docs/store.md": 1} {
		t.Run(name, func(t *testing.T) { runConsoleBlocks(t, name, least) })
	}
}

func runConsoleBlocks(t *testing.T, name string, least int) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	bin, home := buildMem(t), t.TempDir()
	var out strings.Builder
	blocks, session := 0, newSession(t, bin, home)
	inside := false
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "```console"):
			inside = true
			blocks++
			out.WriteString(line)
		case inside && strings.HasPrefix(line, "```"):
			inside = false
			out.WriteString(line)
		case inside && strings.HasPrefix(line, "$ "):
			out.WriteString(line + session.run(strings.TrimPrefix(line, "$ ")))
		case !inside:
			out.WriteString(line)
		}
	}
	if blocks < least {
		t.Fatalf("only %d console blocks", blocks)
	}
	sameDocument(t, name, string(text), out.String())
}

// The exit code table is written once, where the kinds of errors are.
func TestReadmeExitCodes(t *testing.T) {
	text, err := os.ReadFile("docs/store.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| code | name | meaning |\n|---|---|---|\n"
	for _, k := range mem.Kinds() {
		if k.Meaning != "" {
			table += fmt.Sprintf("| %d | %s | %s |\n", k.Exit, k.Kind, k.Meaning)
		}
	}
	before, rest, ok := strings.Cut(string(text), "## Exit codes\n\n")
	end := strings.Index(rest, "\n\n")
	if !ok || end < 0 {
		t.Fatal("no exit code table")
	}
	sameDocument(t, "docs/store.md", string(text), before+"## Exit codes\n\n"+
		strings.TrimSuffix(table, "\n")+rest[end:])
}

func sameDocument(t *testing.T, name, have, want string) {
	t.Helper()
	if have == want {
		return
	}
	if *fixDocs {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	h, w := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range h {
		if i >= len(w) || h[i] != w[i] {
			t.Fatalf("%s:%d is stale (go test -run Readme -fixdocs ./internal/test/e2e mends it)\nhave %s\nwant %s",
				name, i+1, h[i], strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""))
		}
	}
	t.Fatalf("%s is stale", name)
}

// session runs one command after another in one shell environment.
type session struct {
	t       *testing.T
	home    string
	env     []string
	exports string
}

func newSession(t *testing.T, bin, home string) *session {
	return &session{t: t, home: home, env: sessionEnv(bin, home, "2026-02-22T10:00:00Z")}
}

func (s *session) run(command string) string {
	if strings.HasPrefix(command, "export ") || strings.HasPrefix(command, "unset ") {
		s.exports += command + "\n"
		return ""
	}
	cmd := exec.Command("bash", "-c", s.exports+command)
	cmd.Dir, cmd.Env = s.home, s.env
	out, _ := cmd.CombinedOutput()
	return string(out)
}
