package setup

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// nest is a home and a project of their own.
type nest struct {
	t    *testing.T
	home string
	env  map[string]string
}

func newNest(t *testing.T) *nest { return &nest{t, t.TempDir(), map[string]string{}} }

func (n *nest) place() Place {
	return Place{Home: n.home, Project: n.home + "/project", Getenv: func(name string) string { return n.env[name] }}
}

func (n *nest) ask(client string, scope Scope) Ask {
	a := asked(client)
	a.Scope, a.Place = scope, n.place()
	return a
}

// do plans and applies.
func (n *nest) do(verb func(Ask) ([]Change, error), a Ask) error {
	changes, err := verb(a)
	if err != nil {
		return err
	}
	return Apply(changes)
}

func (n *nest) must(verb func(Ask) ([]Change, error), a Ask) {
	n.t.Helper()
	if err := n.do(verb, a); err != nil {
		n.t.Fatal(err)
	}
}

// sight gives every file below the home: content, mode and time; of a link, where it leads.
func (n *nest) sight() map[string]string {
	n.t.Helper()
	seen := map[string]string{}
	err := filepath.WalkDir(n.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, n.home+"/")
		if fi.Mode()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			seen[name] = "-> " + to
			return err
		}
		text, err := os.ReadFile(path)
		seen[name] = string(text) + fi.Mode().String() + fi.ModTime().String()
		return err
	})
	if err != nil {
		n.t.Fatal(err)
	}
	return seen
}

// bare is sight without times, which a file that came back does not have.
func (n *nest) bare() map[string]string {
	seen := n.sight()
	for name, text := range seen {
		i := strings.LastIndex(text, "-rw")
		if i >= 0 {
			seen[name] = text[:i+10]
		}
	}
	return seen
}

// Every client in every scope: set up twice is set up once, and removed leaves every byte as it was.
func TestSetUpTwiceAndRemoved(t *testing.T) {
	for _, client := range Clients {
		for _, scope := range client.Scopes() {
			for _, before := range []string{"no files", "files", "empty files"} {
				t.Run(client.Name+" "+string(scope)+" "+before, func(t *testing.T) {
					t.Parallel()
					n := newNest(t)
					a := n.ask(client.Name, scope)
					for _, f := range client.files(scope, a.Place) {
						switch before {
						case "files":
							write(t, f.name, sample(f))
						case "empty files":
							write(t, f.name, "")
						}
					}
					first := n.bare()
					n.must(Wire, a)
					wired := n.sight()
					time.Sleep(2 * time.Millisecond)
					n.must(Wire, a)
					if got := n.sight(); !maps.Equal(got, wired) {
						t.Errorf("the second time something changed:\n%v\n%v", got, wired)
					}
					if changes, err := Wire(a); err != nil || slices.ContainsFunc(changes, func(c Change) bool { return c.State != Wired || c.Changes() }) {
						t.Errorf("%v: %v", err, changes)
					}
					n.must(Unwire, a)
					if got := n.bare(); !maps.Equal(got, first) {
						t.Errorf("after the removal\n%q\nwant\n%q", got, first)
					}
				})
			}
		}
	}
}

func sample(f file) string {
	if _, ok := f.edit.(hooks); ok {
		return "{\n    // mine\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"SessionStart\": [\n            {\"hooks\": [" + foreign + "]}\n        ],\n        \"Stop\": [],\n    },\n}\n"
	}
	return "# Rules\n\n- be brief"
}

// What people change between setting up and removing stays, and so does what was empty before.
func TestRemovedAfterOtherChanges(t *testing.T) {
	n := newNest(t)
	a := n.ask("claude-code", User)
	name := n.home + "/.claude/settings.json"
	write(t, name, `{"hooks": {"SessionStart": []}}`)
	n.must(Wire, a)
	text, _ := os.ReadFile(name)
	write(t, name, strings.Replace(string(text), `{"hooks"`, `{"model": "x", "hooks"`, 1))
	n.must(Unwire, a)
	if text, _ := os.ReadFile(name); string(text) != `{"model": "x", "hooks": {"SessionStart": []}}` {
		t.Errorf("%s", text)
	}
	if text, err := os.ReadFile(name + BackupSuffix); err != nil || string(text) != `{"hooks": {"SessionStart": []}}` {
		t.Errorf("the copy of the first file: %v, %s", err, text)
	}
}

// The copy is that of before the first change, whatever came after.
func TestCopyIsNotOverwritten(t *testing.T) {
	n := newNest(t)
	a := n.ask("claude-code", User)
	name := n.home + "/.claude/settings.json"
	write(t, name, "{ }")
	n.must(Wire, a)
	a.Program = "/elsewhere/mem"
	n.must(Wire, a)
	if text, err := os.ReadFile(name + BackupSuffix); err != nil || string(text) != "{ }" {
		t.Errorf("%v, %s", err, text)
	}
	if text, _ := os.ReadFile(name); strings.Count(string(text), "/elsewhere/mem") != 3 || strings.Contains(string(text), `"mem"`) {
		t.Errorf("%s", text)
	}
}

func TestStates(t *testing.T) {
	n := newNest(t)
	a := n.ask("codex", User)
	states := func() (got string) {
		changes, err := Wire(a)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			got += string(c.State) + " "
		}
		return got
	}
	if got := states(); got != "missing missing " {
		t.Error(got)
	}
	n.must(Wire, a)
	if got := states(); got != "wired wired " {
		t.Error(got)
	}
	a.Flags, a.Guidance = []string{"--root", "/m"}, "other"
	if got := states(); got != "stale stale " {
		t.Error(got)
	}
	a.Guidance = ""
	if got := states(); got != "stale " {
		t.Error(got)
	}
}

// The file behind a link is changed, and the link stays: relative, in a chain, or to a file that is not there yet.
func TestLinksAreFollowed(t *testing.T) {
	for _, there := range []bool{true, false} {
		n := newNest(t)
		a := n.ask("gemini", User)
		if there {
			write(t, n.home+"/dot/real.json", "{}\n")
		}
		write(t, n.home+"/dot/x", "")
		os.MkdirAll(n.home+"/.gemini", 0o700)
		os.Symlink("../dot/link.json", n.home+"/.gemini/settings.json")
		os.Symlink("real.json", n.home+"/dot/link.json")
		n.must(Wire, a)
		got := n.sight()
		if got[".gemini/settings.json"] != "-> ../dot/link.json" || got["dot/link.json"] != "-> real.json" || !strings.Contains(got["dot/real.json"], "mem hook gemini") {
			t.Errorf("%q", got)
		}
		n.must(Unwire, a)
		if got := n.sight(); got[".gemini/settings.json"] != "-> ../dot/link.json" || there && !strings.HasPrefix(got["dot/real.json"], "{}\n-") {
			t.Errorf("%q", got)
		}
	}
	n := newNest(t)
	os.MkdirAll(n.home+"/.gemini", 0o700)
	os.Symlink("settings.json", n.home+"/.gemini/settings.json")
	if err := n.do(Wire, n.ask("gemini", User)); err == nil {
		t.Error("a link to itself is edited")
	}
}

func TestModeStays(t *testing.T) {
	n := newNest(t)
	a := n.ask("claude-code", User)
	name := n.home + "/.claude/settings.json"
	write(t, name, "{}")
	os.Chmod(name, 0o640)
	n.must(Wire, a)
	for _, path := range []string{name, name + BackupSuffix} {
		if fi, err := os.Stat(path); err != nil || fi.Mode() != 0o640 {
			t.Errorf("%s: %v, %v", path, err, fi)
		}
	}
}

// Whatever is wrong with one file, none is changed.
func TestNothingIsChangedWhereOneCannotBe(t *testing.T) {
	for name, spoil := range map[string]func(n *nest, settings string){
		"no JSON":     func(n *nest, s string) { write(n.t, s, "{\"a\": }") },
		"hooks null":  func(n *nest, s string) { write(n.t, s, `{"hooks":null}`) },
		"list":        func(n *nest, s string) { write(n.t, s, `[]`) },
		"half a mark": func(n *nest, s string) { write(n.t, filepath.Dir(s)+"/CLAUDE.md", guidance.begin) },
		"read-only":   func(n *nest, s string) { write(n.t, s, "{}"); os.Chmod(s, 0o444) },
		"text read-only": func(n *nest, s string) {
			write(n.t, filepath.Dir(s)+"/CLAUDE.md", "x")
			os.Chmod(filepath.Dir(s)+"/CLAUDE.md", 0o400)
		},
		"directory":    func(n *nest, s string) { os.MkdirAll(s, 0o700) },
		"no directory": func(n *nest, s string) { write(n.t, filepath.Dir(s), "x") },
		"huge":         func(n *nest, s string) { write(n.t, s, "{}"); os.Truncate(s, maxFile+1) },
	} {
		n := newNest(t)
		a := n.ask("claude-code", User)
		spoil(n, n.home+"/.claude/settings.json")
		before := n.sight()
		err := n.do(Wire, a)
		if err == nil || !strings.Contains(err.Error(), "/.claude/") {
			t.Errorf("%s: %v", name, err)
		}
		if after := n.sight(); !maps.Equal(after, before) {
			t.Errorf("%s: changed from\n%q to\n%q", name, before, after)
		}
	}
}

// What a client writes between the plan and its doing is not lost.
func TestChangedMeanwhile(t *testing.T) {
	n := newNest(t)
	a := n.ask("gemini", User)
	name := n.home + "/.gemini/settings.json"
	for _, before := range []string{"", "{}"} {
		if before != "" {
			write(t, name, before)
		}
		changes, err := Wire(a)
		if err != nil {
			t.Fatal(err)
		}
		write(t, name, `{"theme": "dark"}`)
		if err := Apply(changes); !errors.Is(err, ErrSettings) {
			t.Errorf("%v", err)
		}
		if text, _ := os.ReadFile(name); string(text) != `{"theme": "dark"}` {
			t.Errorf("%s", text)
		}
	}
}

func TestDirectoriesThatVariablesMove(t *testing.T) {
	n := newNest(t)
	n.env = map[string]string{"CLAUDE_CONFIG_DIR": n.home + "/c", "CODEX_HOME": n.home + "/x", "XDG_CONFIG_HOME": n.home + "/cfg"}
	for client, want := range map[string]string{"claude-code": "c/settings.json c/CLAUDE.md", "codex": "x/hooks.json x/AGENTS.md",
		"opencode": "cfg/opencode/plugin/mem.ts cfg/opencode/AGENTS.md", "gemini": ".gemini/settings.json .gemini/GEMINI.md"} {
		changes, err := Wire(n.ask(client, User))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range strings.Fields(want) {
			if changes[i].Path != filepath.Join(n.home, name) {
				t.Errorf("%s: %s, want %s", client, changes[i].Path, name)
			}
		}
	}
	if _, err := Wire(n.ask("agents-md", User)); !errors.Is(err, ErrScope) {
		t.Errorf("agents-md has files of a user: %v", err)
	}
}

func TestFindProject(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a/.git", "gitdir: elsewhere\n")
	write(t, dir+"/e/.git/HEAD", "ref: refs/heads/main\n")
	for _, name := range []string{"/a/b/c", "/a/x/.git", "/d", "/e/f"} {
		if err := os.MkdirAll(dir+name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for from, want := range map[string]string{"/a/b/c": "/a", "/a": "/a", "/a/x": "/a", "/d": "/d", "/e/f": "/e"} {
		if got := FindProject(dir + from); got != dir+want {
			t.Errorf("%s: %s", from, got)
		}
	}
}

// AGENTS.md serves several clients: the one that goes leaves it to those that stay.
func TestSharedGuidanceStays(t *testing.T) {
	n := newNest(t)
	n.must(Wire, n.ask("codex", Project))
	n.must(Wire, n.ask("opencode", Project))
	n.must(Unwire, n.ask("codex", Project))
	if text, err := os.ReadFile(n.home + "/project/AGENTS.md"); err != nil || !strings.Contains(string(text), "# Memory") {
		t.Errorf("%v, %s", err, text)
	}
	n.must(Unwire, n.ask("opencode", Project))
	if got := n.sight(); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
}

func TestDiff(t *testing.T) {
	n := newNest(t)
	write(t, n.home+"/project/AGENTS.md", "# Rules\n")
	changes, err := Wire(n.ask("agents-md", Project))
	if err != nil {
		t.Fatal(err)
	}
	name := n.home + "/project/AGENTS.md"
	want := "--- " + name + "\n+++ " + name + "\n@@ -1,1 +1,5 @@\n # Rules\n+\n+<!-- mem:begin -->\n+# Memory\n+<!-- mem:end -->\n"
	if got := changes[0].Diff(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
