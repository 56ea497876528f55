package native

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
)

// lab is a home with a repository in it.
type lab struct {
	*testing.T
	w    Where
	root string // of the repository
}

func newLab(t *testing.T) *lab {
	t.Helper()
	above, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(above, "ada")
	l := &lab{T: t, root: filepath.Join(home, "web")}
	l.w = Where{Dir: l.root, Home: home, Claude: filepath.Join(home, ".claude"),
		Codex:   filepath.Join(home, ".codex"),
		Managed: filepath.Join(home, "etc", "managed-settings.json"),
		Stores:  []string{filepath.Join(home, "store")}}
	l.write("web/.git/HEAD", "ref: refs/heads/main\n")
	return l
}

// write writes a file below the home, and returns its path.
func (l *lab) write(name, text string) string {
	l.Helper()
	path := filepath.Join(l.w.Home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		l.Fatal(err)
	}
	return path
}

// memory is the folder of Claude Code for the repository, below the home.
func (l *lab) memory() string { return ".claude/projects/" + slug(l.root) + "/memory/" }

// found returns the clients whose folders are found.
func (l *lab) found() string {
	var names []string
	for _, f := range Find(l.w) {
		names = append(names, f.Client)
	}
	return strings.Join(names, " ")
}

// The names of folders are those that Claude Code 2.1.329 makes (see its requests).
func TestSlug(t *testing.T) {
	t.Parallel()
	for root, want := range map[string]string{
		"/home/ada/web":                    "-home-ada-web",
		"/tmp/t2/h/w\u00f6rk_\U0001f600.x": "-tmp-t2-h-w-rk----x",
		"/tmp/t2/h/decomp/e\u0301":         "-tmp-t2-h-decomp-e-",
		"/tmp/t2/h/b.git":                  "-tmp-t2-h-b-git",
		"/":                                "-",
		"/" + strings.Repeat("a", 199):     "-" + strings.Repeat("a", 199),
		"/" + strings.Repeat("a", 200):     "",
		"web":                              "",
		"":                                 "",
	} {
		if got := slug(filepath.FromSlash(root)); got != want && filepath.Separator == '/' {
			t.Errorf("%q: %q, want %q", root, got, want)
		}
	}
}

// The folder is that of the repository, from every work tree and every directory in it.
func TestFolderOfTheRepository(t *testing.T) {
	l := newLab(t)
	l.write("web/.git/worktrees/two/HEAD", "x")
	l.write("web/.git/worktrees/two/commondir", "../..\n")
	tree := l.write("two/.git", "gitdir: "+filepath.Join(l.root, ".git/worktrees/two")+"\n")
	l.write("web/.git/worktrees/two/gitdir", tree+"\n")
	l.write("web/sub/a.go", "")
	l.write("alone/a.go", "")
	l.write(l.memory()+"a.md", "web")
	l.write(".claude/projects/"+slug(filepath.Join(l.w.Home, "alone"))+"/memory/a.md", "alone")
	for dir, want := range map[string]string{
		"web": l.memory(), "web/sub": l.memory(), "two": l.memory(),
		"alone":   ".claude/projects/" + slug(filepath.Join(l.w.Home, "alone")) + "/memory/",
		"":        "",
		"missing": "",
	} {
		l.w.Dir = filepath.Join(l.w.Home, filepath.FromSlash(dir))
		got := ""
		for _, f := range Find(l.w) {
			rel, _ := filepath.Rel(l.w.Home, f.Path)
			got += filepath.ToSlash(rel) + "/"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}

// Settings of the user and managed settings may name a folder or turn the memory off, those of a
// project may not, and what cannot be read counts as off.
func TestSettingsNameTheFolder(t *testing.T) {
	const off, on = `{"autoMemoryEnabled":false}`, `{"autoMemoryEnabled":true}`
	for name, tc := range map[string]struct{ managed, user, project, want string }{
		"none":        {"", "", "", "-web/memory"},
		"off":         {"", off, "", ""},
		"on":          {"", on, "", "-web/memory"},
		"managed off": {off, on, "", ""},
		"managed on":  {on, off, "", "-web/memory"},
		"the user's":  {"", `{"autoMemoryDirectory":"~/mine"}`, "", "/mine"},
		"managed first": {`{"autoMemoryDirectory":"~/other"}`,
			`{"autoMemoryDirectory":"~/mine"}`, "", "/other"},
		"with comments": {"", "\ufeff{ // ours\n\"autoMemoryDirectory\":\"~/mine\",}", "",
			"/mine"},
		"out of the home":    {"", `{"autoMemoryDirectory":"~/../x"}`, "", ""},
		"relative":           {"", `{"autoMemoryDirectory":"mine"}`, "", ""},
		"missing":            {"", `{"autoMemoryDirectory":"/nowhere/at/all"}`, "", ""},
		"in a store":         {"", `{"autoMemoryDirectory":"~/store/index"}`, "", ""},
		"damaged":            {"", `{"autoMemory`, "", ""},
		"of another type":    {"", `{"autoMemoryEnabled":"no"}`, "", ""},
		"a project's folder": {"", "", `{"autoMemoryDirectory":"~/other"}`, "-web/memory"},
		"a project's switch": {"", "", off, "-web/memory"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			for _, file := range []string{l.memory() + "a.md", "mine/a.md", "other/a.md",
				"store/index/a.md", "../x/a.md"} {
				l.write(file, "x")
			}
			for file, text := range map[string]string{"etc/managed-settings.json": tc.managed,
				".claude/settings.json": tc.user, "web/.claude/settings.json": tc.project} {
				if text != "" {
					l.write(file, text)
				}
			}
			list := Find(l.w)
			if (len(list) == 0) != (tc.want == "") ||
				len(list) > 0 && !strings.HasSuffix(filepath.ToSlash(list[0].Path), tc.want) {
				t.Errorf("%+v, want %q", list, tc.want)
			}
		})
	}
}

// A link may lead to a folder inside the client's home, and to no other.
func TestLinksStayInside(t *testing.T) {
	for name, tc := range map[string]struct{ from, to, want string }{
		"inside":           {".codex/memories", ".codex/real", "codex"},
		"outside":          {".codex/memories", "elsewhere", ""},
		"another project":  {".codex/memories", ".claude/projects/-x/memory", ""},
		"the home itself":  {".codex", "dotfiles/codex", "codex"},
		"to another slug":  {".claude/projects/SLUG/memory", "elsewhere", ""},
		"the whole of it":  {".claude/projects", "elsewhere", ""},
		"a store of mem's": {".codex/memories", "store", ""},
		"nowhere":          {".codex/memories", "gone", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			for _, dir := range []string{".codex/real/a.md", "elsewhere/a.md", "store/a.md",
				".claude/projects/-x/memory/a.md", "dotfiles/codex/memories/a.md"} {
				l.write(dir, "web")
			}
			l.write("elsewhere/"+slug(l.root)+"/memory/a.md", "web")
			from := filepath.Join(l.w.Home, strings.Replace(tc.from, "SLUG", slug(l.root), 1))
			if err := errors.Join(os.RemoveAll(from), os.MkdirAll(filepath.Dir(from), 0o700),
				os.Symlink(filepath.Join(l.w.Home, tc.to), from)); err != nil {
				t.Fatal(err)
			}
			if got := l.found(); got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}
