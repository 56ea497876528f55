package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/agents"
)

// The hooks name root and agent, in this order and each as long as nothing else is said; what names
// them is ours as all else, and goes without a trace.
func TestHooksNameRootAndAgent(t *testing.T) {
	for _, client := range []string{"claude-code", "codex", "gemini", "opencode"} {
		t.Run(client, func(t *testing.T) {
			home := t.TempDir()
			r := Request{
				Client: agents.ByName(client), Scope: User, Program: "mem",
				Place: Place{Home: home, Getenv: func(string) string { return "" }},
			}
			for _, step := range []struct{ given, want string }{
				{"--agent ada", "--agent ada"}, {"", "--agent ada"},
				{"--root /m", "--root /m --agent ada"}, {"", "--root /m --agent ada"},
				{"--agent bob", "--root /m --agent bob"},
				{"--root /n --agent eve", "--root /n --agent eve"},
			} {
				asked := r
				asked.Flags = strings.Fields(step.given)
				asked = KeepFlags(asked)
				if got := strings.Join(asked.Flags, " "); got != step.want {
					t.Errorf("given %q: %q, want %q", step.given, got, step.want)
				}
				changes, err := Install(asked)
				// A plugin that names others counts as edited: its block is compared as a whole.
				if err != nil || changes[0].edited && client != "opencode" {
					t.Fatalf("given %q: edited by hand, or %v", step.given, err)
				}
				if err := Apply(changes); err != nil {
					t.Fatal(err)
				}
				if s := statusOf(r); s.State != Wired {
					t.Errorf("given %q: %s", step.given, s.State)
				}
			}
			changes, err := Uninstall(r)
			if err == nil {
				err = Apply(changes)
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(r.MainFile()); !os.IsNotExist(err) {
				t.Errorf("%s is left: %v", filepath.Base(r.MainFile()), err)
			}
		})
	}
}
