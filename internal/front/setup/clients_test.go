package setup

import (
	"path"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	for _, a := range Clients() {
		if ClientByName(a.Name) != a {
			t.Errorf("%s is there twice", a.Name)
		}
		for _, files := range []Files{a.User, a.Project} {
			hooked := files == (Files{}) || (files.Hooks != "") == a.HasHooks()
			if !hooked || path.IsAbs(files.Hooks) {
				t.Errorf("%s: hooks of form %d in %q", a.Name, a.Hooks.Form, files.Hooks)
			}
		}
		switch s := a.Server; {
		case !s.Always && (a.hasHome() != (a.User.Guidance != "") || a.Project.Guidance == ""):
			t.Errorf("%s has no guidance", a.Name)
		case (s.Form == NoServers) != (s.User+s.Project == ""):
			t.Errorf("%s has servers of form %d in %q and %q", a.Name, s.Form, s.User, s.Project)
		case (s.Form == jsonServers) != (s.Member != ""):
			t.Errorf("%s has its servers in the member %q", a.Name, s.Member)
		case s.User != "" && !a.hasHome() || path.IsAbs(s.User+s.Project):
			t.Errorf("%s: %q and %q", a.Name, s.User, s.Project)
		}
		jsonHooks := a.HasHooks() && a.Hooks.Form != PluginHooks
		if jsonHooks && len(a.Hooks.Events) == 0 {
			t.Errorf("%s: hooks of form %d have no events", a.Name, a.Hooks.Form)
		}
		own, err := plugins.ReadFile(a.pluginFile())
		if (a.Hooks.Form == PluginHooks) != (err == nil && len(own) > 0) {
			t.Errorf("%s: hooks of form %d, and its plugin: %v", a.Name, a.Hooks.Form, err)
		}
	}
}

// A colon and a blank, or a blank and #, would end a plain scalar of YAML: a client could not read
// the file.
func TestFrontMatterIsYAML(t *testing.T) {
	for _, text := range []string{skillFrontMatter, cursorFrontMatter} {
		inner, ok := strings.CutPrefix(text, "---\n")
		inner, isClosed := strings.CutSuffix(inner, "---\n\n")
		for line := range strings.Lines(inner) {
			_, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			ok = ok && found && !strings.Contains(value, ": ") && !strings.Contains(value, " #")
		}
		if !ok || !isClosed {
			t.Errorf("%q", text)
		}
	}
}

func TestWithHooks(t *testing.T) {
	const want = "claude-code, codex, gemini, qwen, copilot, droid, pi, " +
		"cline, opencode, kilo, vscode"
	if got := Names(HookClients()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !strings.Contains(Names(Clients()), "agents-md") || ClientByName("emacs") != nil {
		t.Error("Clients or ClientByName is wrong")
	}
}
