package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The hooks name root and agent, in this order and each as long as nothing else is said; what names
// them is ours as all else, and goes without a trace.
func TestHooksNameRootAndAgent(t *testing.T) {
	for _, client := range []string{"claude-code", "codex", "gemini", "opencode"} {
		t.Run(client, func(t *testing.T) {
			home := t.TempDir()
			r := Request{
				Client: ClientByName(client), Scope: User, Program: "mem",
				Guidance: saying("# Memory\n"),
				Private:  func(agent string) string { return "for " + agent },
				Place:    Surroundings{Home: home, Getenv: func(string) string { return "" }},
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
				if err != nil || changes[0].edited || len(changes) > 1 && changes[1].edited {
					t.Fatalf("given %q: edited by hand, or %v", step.given, err)
				}
				if err := Apply(changes); err != nil {
					t.Fatal(err)
				}
				s := statusOf(r)
				if !s.Installed() || s.State == Stale ||
					!strings.HasSuffix(step.want, "--agent "+s.Agent) {
					t.Errorf("given %q: %+v", step.given, s)
				}
				_, agent, _ := strings.Cut(step.want, "--agent ")
				guide, err := os.ReadFile(changes[1].Path)
				if want := "# Memory\n\nfor " + agent + "\n<!--"; err != nil ||
					!strings.Contains(string(guide), want) {
					t.Errorf("given %q: guided by %q (%v)", step.given, guide, err)
				}
			}
			changes, err := Install(WithoutAgent(KeepFlags(r)))
			if err == nil {
				err = Apply(changes)
			}
			if s := statusOf(r); err != nil || !s.Installed() || s.State == Stale ||
				s.Agent != "" ||
				Root(r) != "/n" {
				t.Errorf("without an agent: %+v, %v", s, err)
			}
			changes, err = Uninstall(r)
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

// Clients that share a file of guidance have what is for the agents of all of them in it, and each
// stays as it is when another one is set up.
func TestSharedGuidanceIsForAllAgents(t *testing.T) {
	dir := t.TempDir()
	r := Request{
		Scope: Project, Program: "mem", Guidance: saying("# Memory\n"),
		Private: func(agent string) string { return "for " + agent + "\n" },
		Place:   Surroundings{Home: dir, Project: dir, Getenv: func(string) string { return "" }},
	}
	for _, step := range [][2]string{{"codex", "--agent eve"}, {"opencode", "--agent ada"}} {
		r.Client, r.Flags = ClientByName(step[0]), strings.Fields(step[1])
		changes, err := Install(r)
		if err == nil {
			err = Apply(changes)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "AGENTS.md"))
	if err != nil || !strings.Contains(string(text), "# Memory\n\nfor ada\n\nfor eve\n<!--") {
		t.Errorf("%q, %v", text, err)
	}
	for _, client := range []string{"codex", "opencode"} {
		asked := r
		asked.Client, asked.Flags = ClientByName(client), nil
		changes, err := Install(KeepFlags(asked))
		if err != nil || changes[len(changes)-1].Changed() {
			t.Errorf("%s: its guidance is stale, or %v", client, err)
		}
	}
}

// The hooks keep the bridge, whatever else is said later; a server does not get it, and it goes
// with the hooks.
func TestHooksKeepTheBridge(t *testing.T) {
	for _, client := range []string{"claude-code", "codex", "gemini", "opencode"} {
		t.Run(client, func(t *testing.T) {
			home := t.TempDir()
			r := Request{Client: ClientByName(client), Scope: User, Program: "mem",
				Server: client == "gemini",
				Place:  Surroundings{Home: home, Getenv: func(string) string { return "" }}}
			for _, step := range []struct{ given, want string }{
				{"", ""}, {"--bridge", "--bridge"}, {"", "--bridge"},
				{"--agent ada", "--agent ada --bridge"},
				{"--root /m --bridge", "--root /m --agent ada --bridge"},
			} {
				asked := r
				asked.Flags = strings.Fields(step.given)
				asked = KeepFlags(asked)
				if got := strings.Join(asked.Flags, " "); got != step.want {
					t.Errorf("given %q: %q, want %q", step.given, got, step.want)
				}
				changes, err := Install(asked)
				words := asked.serverWords()
				if err != nil || changes[0].edited || slices.Contains(words, "--bridge") {
					t.Fatalf("given %q: edited by hand, %v, or %v", step.given, words, err)
				}
				if err := Apply(changes); err != nil {
					t.Fatal(err)
				}
				s := statusOf(r)
				if s.State == Stale || s.Bridge != strings.Contains(step.want, "--bridge") {
					t.Errorf("given %q: %+v", step.given, s)
				}
			}
			changes, err := Uninstall(KeepFlags(r))
			if err == nil {
				err = Apply(changes)
			}
			if s := statusOf(r); err != nil || s.Bridge || s.State != Missing {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}
