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

// fixture is a home directory, a project in it and an environment.
type fixture struct {
	t    *testing.T
	home string
	env  map[string]string
}

func newFixture(t *testing.T) *fixture { return &fixture{t, t.TempDir(), map[string]string{}} }

func (f *fixture) request(client string, scope Scope) Request {
	r := requestFor(client)
	r.Scope = scope
	getenv := func(name string) string { return f.env[name] }
	r.Place = Surroundings{Home: f.home, Project: f.home + "/project", Getenv: getenv}
	return r
}

// apply plans and makes changes.
func apply(plan func(Request) ([]Change, error), r Request) error {
	changes, err := plan(r)
	if err != nil {
		return err
	}
	return Apply(changes)
}

func (f *fixture) install(r Request) {
	f.t.Helper()
	if err := apply(Install, r); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) uninstall(r Request) {
	f.t.Helper()
	if err := apply(Uninstall, r); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) plan(r Request) []Change {
	f.t.Helper()
	changes, err := Install(r)
	if err != nil {
		f.t.Fatal(err)
	}
	return changes
}

// read returns the content of a file, "" if it cannot be read.
func read(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

// snapshot returns every file below the home: content, mode and time; for a link, its target.
func (f *fixture) snapshot() map[string]string {
	f.t.Helper()
	seen := map[string]string{}
	err := filepath.WalkDir(f.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, f.home+"/")
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
		f.t.Fatal(err)
	}
	return seen
}

// snapshotWithoutTimes leaves out the times, for a file that was restored has a new one.
func (f *fixture) snapshotWithoutTimes() map[string]string {
	seen := f.snapshot()
	for name, text := range seen {
		i := strings.LastIndex(text, "-rw")
		if i >= 0 {
			seen[name] = text[:i+len("-rw-r--r--")]
		}
	}
	return seen
}

// Every client in every scope: to install twice is to install once, and to uninstall restores every
// byte.
func TestInstallTwiceAndUninstall(t *testing.T) {
	for _, client := range Clients() {
		for _, scope := range Scopes(client) {
			for _, before := range []string{"no files", "files", "empty files"} {
				t.Run(client.Name+" "+string(scope)+" "+before, func(t *testing.T) {
					t.Parallel()
					f := newFixture(t)
					r := f.request(client.Name, scope)
					r.Server = client.Server.Always
					f.prepare(r, before)
					f.testInstallTwiceAndUninstall(r)
					r.Server = r.serverFile().edit != nil
					f.testInstallTwiceAndUninstall(r)
				})
			}
		}
	}
}

// prepare writes the files of a client as a person may have left them.
func (f *fixture) prepare(r Request, before string) {
	for _, file := range r.files() {
		b, isBlock := file.edit.(block)
		switch before {
		case "files":
			if isBlock && b.alone {
				continue
			}
			write(f.t, file.path, sampleOf(file))
		case "empty files":
			write(f.t, file.path, "")
		}
	}
}

func (f *fixture) testInstallTwiceAndUninstall(r Request) {
	first := f.snapshotWithoutTimes()
	f.install(r)
	// What the second time writes has another time.
	for _, file := range r.files() {
		_ = os.Chtimes(file.path, time.Time{}, time.Now().Add(-time.Hour)) // it may not be there
	}
	installed := f.snapshot()
	f.install(r)
	if got := f.snapshot(); !maps.Equal(got, installed) {
		f.t.Errorf("the second time something changed:\n%v\n%v", got, installed)
	}
	for _, c := range f.plan(r) {
		if c.State != Wired || c.Changed() {
			f.t.Errorf("a third time would change %+v", c)
		}
	}
	f.uninstall(r)
	if got := f.snapshotWithoutTimes(); !maps.Equal(got, first) {
		f.t.Errorf("after the removal\n%q\nwant\n%q", got, first)
	}
}

func sampleOf(f file) string {
	switch f.edit.(type) {
	case table:
		return "model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"npx\"\n"
	case servers:
		return "{ // mine\n  \"mcpServers\": {\"other\": {\"command\": \"npx\"}},\n" +
			"  \"servers\": {},\n}\n"
	case hooks, pair:
		return `{
    // mine
    "model": "opus",
    "hooks": {
        "SessionStart": [
            {"hooks": [` + foreign + `]}
        ],
        "Stop": [],
    },
}
`
	}
	return "# Rules\n\n- be brief"
}

// What people change between installing and uninstalling stays, and so does what was empty before.
func TestUninstallAfterOtherChanges(t *testing.T) {
	const before = `{"hooks": {"SessionStart": []}}`
	f := newFixture(t)
	r := f.request("claude-code", User)
	name := f.home + "/.claude/settings.json"
	write(t, name, before)
	f.install(r)
	write(t, name, strings.Replace(read(name), `{"hooks"`, `{"model": "x", "hooks"`, 1))
	f.uninstall(r)
	if got := read(name); got != `{"model": "x", "hooks": {"SessionStart": []}}` {
		t.Errorf("%s", got)
	}
	if got := read(name + BackupSuffix); got != before {
		t.Errorf("the copy of the first file: %s", got)
	}
}

// The copy is that of before the first change, whatever came after.
func TestBackupIsNotOverwritten(t *testing.T) {
	f := newFixture(t)
	r := f.request("claude-code", User)
	name := f.home + "/.claude/settings.json"
	write(t, name, "{ }")
	f.install(r)
	r.Program = "/elsewhere/mem"
	f.install(r)
	if got := read(name + BackupSuffix); got != "{ }" {
		t.Errorf("%s", got)
	}
	got := read(name)
	if strings.Count(got, "/elsewhere/mem") != 8 || strings.Contains(got, `"mem"`) {
		t.Errorf("%s", got)
	}
}

func TestStates(t *testing.T) {
	f := newFixture(t)
	r := f.request("codex", User)
	states := func() (got string) {
		for _, c := range f.plan(r) {
			got += string(c.State) + " "
		}
		return got
	}
	if got := states(); got != "missing missing missing " {
		t.Error(got)
	}
	f.install(r)
	if got := states(); got != "wired wired wired " {
		t.Error(got)
	}
	r.Flags, r.Guidance = []string{"--root", "/m"}, saying("other")
	if got := states(); got != "stale stale stale " {
		t.Error(got)
	}
	r.Guidance, r.More = nil, nil
	if got := states(); got != "stale " {
		t.Error(got)
	}
}

// If one file cannot be edited, whatever the reason, none is changed.
func TestNothingIsChangedIfOneFileCannotBe(t *testing.T) {
	for reason, spoil := range map[string]func(settings, guide string){
		"no JSON":     func(settings, _ string) { write(t, settings, "{\"a\": }") },
		"hooks null":  func(settings, _ string) { write(t, settings, `{"hooks":null}`) },
		"list":        func(settings, _ string) { write(t, settings, `[]`) },
		"half a mark": func(_, guide string) { write(t, guide, guidance("", "").begin) },
		"read-only": func(settings, _ string) {
			write(t, settings, "{}")
			os.Chmod(settings, 0o444)
		},
		"text read-only": func(_, guide string) {
			write(t, guide, "x")
			os.Chmod(guide, 0o400)
		},
		"directory": func(settings, _ string) { os.MkdirAll(settings, 0o700) },
		"closed folder": func(settings, _ string) {
			skills := filepath.Dir(settings) + "/skills"
			if os.MkdirAll(skills, 0o500); os.Geteuid() == 0 {
				write(t, skills+"/mem", "") // no folder is closed to root
			}
		},
		"no directory": func(settings, _ string) { write(t, filepath.Dir(settings), "x") },
		"huge": func(settings, _ string) {
			write(t, settings, "{}")
			os.Truncate(settings, maxFile+1)
		},
	} {
		f := newFixture(t)
		spoil(f.home+"/.claude/settings.json", f.home+"/.claude/CLAUDE.md")
		before := f.snapshot()
		err := apply(Install, f.request("claude-code", User))
		if err == nil || !strings.Contains(err.Error(), "/.claude/") {
			t.Errorf("%s: %v", reason, err)
		}
		if after := f.snapshot(); !maps.Equal(after, before) {
			t.Errorf("%s: changed from\n%q to\n%q", reason, before, after)
		}
	}
}

// What a client writes between the plan and its execution is not lost.
func TestChangedMeanwhile(t *testing.T) {
	f := newFixture(t)
	name := f.home + "/.gemini/settings.json"
	for _, before := range []string{"", "{}"} {
		if before != "" {
			write(t, name, before)
		}
		changes := f.plan(f.request("gemini", User))
		write(t, name, `{"theme": "dark"}`)
		if err := Apply(changes); !errors.Is(err, ErrSettings) {
			t.Errorf("%v", err)
		}
		if got := read(name); got != `{"theme": "dark"}` {
			t.Errorf("%s", got)
		}
	}
}

func TestDirectoriesThatVariablesMove(t *testing.T) {
	f := newFixture(t)
	f.env["CLAUDE_CONFIG_DIR"] = f.home + "/c"
	f.env["CODEX_HOME"] = f.home + "/x"
	f.env["XDG_CONFIG_HOME"] = f.home + "/cfg"
	for client, want := range map[string][]string{
		"claude-code": {"c/settings.json", "c/CLAUDE.md", "c/skills/mem/SKILL.md"},
		"codex":       {"x/hooks.json", "x/AGENTS.md", "x/skills/mem/SKILL.md"},
		"opencode":    {"cfg/opencode/plugin/mem.ts", "cfg/opencode/AGENTS.md"},
		"gemini": {".gemini/settings.json", ".gemini/GEMINI.md",
			".gemini/skills/mem/SKILL.md"},
	} {
		var got []string
		for _, c := range f.plan(f.request(client, User)) {
			got = append(got, strings.TrimPrefix(c.Path, f.home+"/"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s, want %s", client, got, want)
		}
	}
	if _, err := Install(f.request("agents-md", User)); !errors.Is(err, ErrScope) {
		t.Errorf("agents-md has files of a user: %v", err)
	}
}

// Several clients read AGENTS.md: it stays until the last of them is uninstalled.
func TestSharedGuidanceStays(t *testing.T) {
	f := newFixture(t)
	f.install(f.request("codex", Project))
	f.install(f.request("opencode", Project))
	f.uninstall(f.request("codex", Project))
	if got := read(f.home + "/project/AGENTS.md"); !strings.Contains(got, "# Memory") {
		t.Errorf("%s", got)
	}
	f.uninstall(f.request("opencode", Project))
	if got := f.snapshot(); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
}

// So it does behind a link: CLAUDE.md and AGENTS.md are one file then, with one text for those that
// read either.
func TestLinkedGuidanceIsShared(t *testing.T) {
	f := newFixture(t)
	name := f.home + "/project/AGENTS.md"
	write(t, name, "# A\n")
	if err := os.Symlink("AGENTS.md", f.home+"/project/CLAUDE.md"); err != nil {
		t.Fatal(err)
	}
	ask := func(client string) Request {
		r := f.request(client, Project)
		r.Guidance = func(readers []*Client, _ string) string { return "for " + Names(readers) }
		return r
	}
	for _, client := range []string{"claude-code", "codex", "claude-code"} {
		f.install(ask(client))
	}
	for _, client := range []string{"claude-code", "codex"} {
		for _, c := range f.plan(ask(client)) {
			if c.Changed() {
				t.Errorf("%s: %s is stale", client, c.Path)
			}
		}
	}
	f.uninstall(ask("claude-code"))
	if got := read(name); !strings.Contains(got, "codex") {
		t.Errorf("%s", got)
	}
	f.uninstall(ask("codex"))
	if got := read(name); got != "# A\n" {
		t.Errorf("%q", got)
	}
}

// A client whose hooks run and whose guidance is gone says so; one without hooks has no such state.
func TestUnguided(t *testing.T) {
	for _, client := range []string{"claude-code", "cursor", "continue"} {
		f := newFixture(t)
		r := f.request(client, Project)
		r.Server = r.Client.Server.Always
		f.install(r)
		if statusOf(r).Unguided {
			t.Errorf("%s: unguided when it is wired", client)
		}
		files := r.files()
		if err := os.Remove(files[1].path); err != nil && client != "continue" {
			t.Fatal(err)
		}
		if got, want := statusOf(r).Unguided, r.Client.HasHooks(); got != want {
			t.Errorf("%s: without its second file unguided: %v, want %v", client, got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	f := newFixture(t)
	name := f.home + "/project/AGENTS.md"
	write(t, name, "# Rules\n")
	changes := f.plan(f.request("agents-md", Project))
	want := "--- " + name + "\n+++ " + name + "\n@@ -1,1 +1,6 @@\n # Rules\n" +
		"+\n+<!-- mem:begin -->\n+<!-- mem setup agents-md -->\n+# Memory\n+<!-- mem:end -->\n"
	if got := changes[0].Diff(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A file that may not be written can still be checked, and its difference shown.
func TestProtectedFileIsPlanned(t *testing.T) {
	f := newFixture(t)
	r := f.request("qwen", User)
	settings := f.home + "/.qwen/settings.json"
	write(t, settings, "{}")
	if err := os.Chmod(settings, 0o444); err != nil {
		t.Fatal(err)
	}
	changes := f.plan(r)
	if changes[0].State != Missing || !strings.Contains(changes[0].Diff(), "hook qwen") {
		t.Errorf("%s: %s", changes[0].State, changes[0].Diff())
	}
	err := CheckAccess(changes)
	if !errors.Is(err, ErrProtected) || !strings.HasPrefix(err.Error(), settings+": ") {
		t.Error(err)
	}
	if err := CheckAccess(f.plan(f.request("gemini", User))); err != nil {
		t.Error(err)
	}
}

// A program of a person's with the name of mem's plugin stays, and is no obstacle to a removal.
func TestPluginOfAPerson(t *testing.T) {
	f := newFixture(t)
	for client, name := range map[string]string{"pi": ".pi/agent/extensions/mem.ts",
		"kilo": ".config/kilo/plugin/mem.ts", "cline": ".cline/plugins/mem.ts"} {
		for _, own := range []string{"export default { id: 1 }\n", "export const x = 1\r\n"} {
			r := f.request(client, User)
			name := filepath.Join(f.home, name)
			write(t, name, own)
			err := apply(Install, r)
			if !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", client, err)
			}
			f.uninstall(r)
			if got := f.snapshot(); len(got) != 1 || read(name) != own {
				t.Errorf("%s: %q", client, got)
			}
			os.Remove(name)
		}
	}
}

// In a home directory that is the project, a client has the same files in both scopes: they are the
// user's. Where it has not, each scope is its own.
func TestHomeIsTheProject(t *testing.T) {
	for client, want := range map[string]Scope{"claude-code": User, "codex": User,
		"cursor": Project, "opencode": Project, "agents-md": Project, "vscode": Project} {
		f := newFixture(t)
		r := f.request(client, Project)
		if got := OwnScope(r); got != Project {
			t.Errorf("%s in a project: %s", client, got)
		}
		if r.Place.Project = f.home; OwnScope(r) != want {
			t.Errorf("%s at home: %s, want %s", client, OwnScope(r), want)
		}
	}
}

// The block that agents-md has made stays without the others, until agents-md is removed; and with
// that it stays for the others.
func TestGuidanceOfItsOwn(t *testing.T) {
	f := newFixture(t)
	own, other := f.request("agents-md", Project), f.request("codex", Project)
	name := f.home + "/project/AGENTS.md"
	for _, before := range []string{"", "# Rules\r\n"} {
		write(t, name, before)
		f.install(other)
		if got := statusOf(own).State; got != Missing {
			t.Errorf("agents-md is %s where only codex is", got)
		}
		if got := f.plan(own)[0]; got.edited {
			t.Error("the block of codex counts as a person's")
		}
		f.install(own)
		f.install(other)
		for _, r := range []Request{own, other} {
			for _, c := range f.plan(r) {
				if c.State != Wired || c.edited {
					t.Errorf("%s is %s, edited: %v", c.Path, c.State, c.edited)
				}
			}
		}
		f.uninstall(other)
		if got := read(name); !strings.Contains(got, "# Memory") {
			t.Errorf("agents-md is gone with codex: %q", got)
		}
		f.install(other)
		f.uninstall(own)
		if got := f.plan(other)[1]; got.State != Wired || statusOf(own).State != Missing {
			t.Errorf("codex has lost its guidance: %s", got.State)
		}
		f.install(own)
		f.uninstall(other)
		f.uninstall(own)
		if got := read(name); got != before {
			t.Errorf("left: %q", got)
		}
	}
}
