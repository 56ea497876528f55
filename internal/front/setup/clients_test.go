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
