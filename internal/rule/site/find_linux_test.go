package site_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/log"
)

// world is a directory with a home in it.
type world struct {
	*testing.T
	base string
	env  map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	w := &world{t, base, map[string]string{}}
	w.must(err)
	w.dirs("home")
	w.home("home")
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) home(dir string) { w.Setenv("HOME", w.path(dir)) }

func (w *world) path(name string) string { return filepath.Join(w.base, name) }

func (w *world) getenv(name string) string { return w.env[name] }

func (w *world) dirs(names ...string) {
	w.Helper()
	for _, name := range names {
		w.must(os.MkdirAll(w.path(name), 0o755))
	}
}

// repo makes an empty repository.
func (w *world) repo(name string) {
	w.Helper()
	git, err := exec.LookPath("git")
	testkit.Need(w, err == nil, "git")
	w.must(exec.Command(git, "init", "-q", w.path(name)).Run())
}

// let lets a .mem in, as mem trust does.
func (w *world) let(name string) {
	w.Helper()
	w.dirs(name)
	w.must(site.WriteGitFiles(w.path(name), false))
	_, err := site.OpenBook(w.getenv, os.Getenv("HOME")).Grant(w.path(name), log.MinStamp)
	w.must(err)
}

func (w *world) find(dir string) site.Sites {
	w.Helper()
	s, err := site.Find("", w.path(dir), w.getenv)
	w.must(err)
	return s
}

// project returns the root of the project's store below the base, with the digits of its hash
// replaced; "" where there is no project.
func (w *world) project(dir string) string {
	w.Helper()
	s := w.find(dir)
	if s.Project == nil {
		return ""
	}
	rel, err := filepath.Rel(w.base, s.Project.Root)
	w.must(err)
	return regexp.MustCompile(`-[0-9a-f]{8}$`).ReplaceAllString(rel, "-#")
}

func TestOneStore(t *testing.T) {
	w := newWorld(t)
	w.let("home/app/.mem")
	w.env["MEM_ROOT"] = "by/variable"
	for _, c := range []struct{ root, want, why string }{
		{"by/flag", "by/flag", "--root"}, {"", "by/variable", "MEM_ROOT"},
	} {
		s, err := site.Find(c.root, w.path("home/app"), w.getenv)
		if err != nil || s.One == nil || s.One.Root != c.want || s.One.Why != c.why ||
			s.User != nil || s.Project != nil || s.One.Layer != "" || s.One.Grant != nil {
			t.Errorf("%+v, %v", s, err)
		}
	}
	// One that was let in is known, so that what is written to it counts as this person's.
	s, err := site.Find(w.path("home/app/.mem"), "", w.getenv)
	if err != nil || s.One.Grant == nil || s.One.Dot || s.One.InRepository() {
		t.Errorf("%+v, %v", s.One, err)
	}
}

func TestUserLayer(t *testing.T) {
	w := newWorld(t)
	w.dirs("somewhere")
	for _, c := range []struct{ data, want string }{
		{"", w.path("home/.local/share/mem")}, {"relative", w.path("home/.local/share/mem")},
		{w.path("data"), w.path("data/mem")},
	} {
		w.env["XDG_DATA_HOME"] = c.data
		s := w.find("somewhere")
		if s.User == nil || s.User.Root != c.want || s.Project != nil || len(s.List()) != 1 {
			t.Errorf("XDG_DATA_HOME=%s: %+v", c.data, s)
		}
	}
}

// Without a home there is no user layer; a .mem that MEM_TRUST names is used alone.
func TestNoHome(t *testing.T) {
	w := newWorld(t)
	w.dirs("app/.mem", "other")
	w.repo("repo")
	t.Setenv("HOME", "")
	for _, dir := range []string{"other", "repo", "app"} {
		if s, err := site.Find("", w.path(dir), w.getenv); !errors.Is(err, site.ErrNoHome) {
			t.Errorf("%s: %+v, %v", dir, s, err)
		}
	}
	w.env["MEM_TRUST"] = w.path("app/.mem")
	s := w.find("app")
	if s.User != nil || s.Project == nil || !s.Project.Grant.Whole || s.Projects != "" {
		t.Errorf("%+v", s)
	}
}

// The search looks in the home directory, and never above it; outside of it, up to the root.
func TestSearchEndsAtHome(t *testing.T) {
	w := newWorld(t)
	all := []string{".mem", "home/a/b/.mem", "home2/.mem"}
	w.dirs("home/a/b", "home/a/c", "home2/a", "other/x")
	for _, store := range all {
		w.let(store)
	}
	w.must(os.Symlink("home", w.path("link")))
	for _, c := range []struct{ home, dir, want string }{
		{"home", "home/a/b", "home/a/b/.mem"}, {"home", "home/a/c", ""}, {"home", "home", ""},
		{"link", "home/a/c", ""}, {"home", "link/a/c", ""}, {"home", "link/a/b", "home/a/b/.mem"},
		{"home2", "home2/a", "home2/.mem"}, {"home", "other/x", ".mem"},
		{"home", "other/gone/away", ""},
	} {
		w.home(c.home)
		w.env["MEM_TRUST"] = strings.Join([]string{w.path(all[0]), w.path(all[1]), w.path(all[2])},
			string(filepath.ListSeparator))
		if got := w.project(c.dir); got != c.want {
			t.Errorf("at home in %s, from %s: %q, want %q", c.home, c.dir, got, c.want)
		}
	}
}

// A .mem that was not let in is passed over and named; what lies above it is used.
func TestUntrusted(t *testing.T) {
	w := newWorld(t)
	w.dirs("home/a/.mem", "home/a/b/.mem", "home/a/b/c", "home/a/linked/sub", "home/a/file")
	skipped := func(dir string, want ...string) {
		t.Helper()
		var got []string
		for _, s := range w.find(dir).Skipped {
			rel, _ := filepath.Rel(w.base, s.Root)
			got = append(got, rel+": "+s.Why)
			if s.Untrusted != (s.Why == "it is not trusted") {
				t.Errorf("%+v", s)
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("from %s: %q, want %q", dir, got, want)
		}
	}
	const notIn = ": it is not trusted"
	skipped("home/a/b/c", "home/a/b/.mem"+notIn, "home/a/.mem"+notIn)
	w.let("home/a/.mem")
	if got := w.project("home/a/b/c"); got != "home/a/.mem" {
		t.Errorf("%q", got)
	}
	skipped("home/a/b/c", "home/a/b/.mem"+notIn)
	w.must(os.Symlink("../.mem", w.path("home/a/linked/.mem")))
	skipped("home/a/linked/sub", "home/a/linked/.mem: it is a symbolic link")
	w.must(os.WriteFile(w.path("home/a/file/.mem"), nil, 0o600))
	skipped("home/a/file")
	// Another id than when it was let in: another store.
	w.must(os.WriteFile(w.path("home/a/.mem/id"), []byte(strings.Repeat("0", 32)+"\n"), 0o600))
	skipped("home/a/b/c", "home/a/b/.mem"+notIn, "home/a/.mem"+notIn)
}

func TestAnotherUser(t *testing.T) {
	testkit.Need(t, os.Geteuid() == 0, "root")
	w := newWorld(t)
	w.dirs("theirs/.mem", "theirs/project")
	w.let("theirs/.mem")
	w.must(os.Chown(w.path("theirs/.mem"), 65534, 65534))
	s := w.find("theirs/project")
	const why = "it belongs to another user, of uid 65534"
	if s.Project != nil || len(s.Skipped) != 1 || s.Skipped[0].Why != why {
		t.Errorf("%+v", s)
	}
	// What MEM_TRUST names is as good as named by --root.
	w.env["MEM_TRUST"] = w.path("theirs/.mem")
	if got := w.project("theirs/project"); got != "theirs/.mem" {
		t.Errorf("named: %q", got)
	}
	// Under sudo the user who called it is believed.
	w.env["MEM_TRUST"], w.env["SUDO_UID"] = "", "65534"
	if got := w.project("theirs/project"); got != "theirs/.mem" {
		t.Errorf("under sudo: %q", got)
	}
}

// Nothing above the border of the file system is looked at.
func TestSearchEndsAtTheFileSystem(t *testing.T) {
	w := newWorld(t)
	w.dirs("above/mount")
	w.let("above/.mem")
	mount := w.path("above/mount")
	err := syscall.Mount("mem-test", mount, "tmpfs", 0, "size=64k")
	testkit.Need(t, err == nil, "mounts")
	defer syscall.Unmount(mount, syscall.MNT_DETACH)
	if got := w.project("above/mount"); got != "" {
		t.Errorf("%q", got)
	}
}

// A store that is mounted over one that was let in is another one.
func TestMountedOver(t *testing.T) {
	w := newWorld(t)
	w.let("home/app/.mem")
	w.let("home/planted/.mem")
	store := w.path("home/app/.mem")
	err := syscall.Mount(w.path("home/planted/.mem"), store, "", syscall.MS_BIND, "")
	testkit.Need(t, err == nil, "mounts")
	defer syscall.Unmount(store, syscall.MNT_DETACH)
	if s := w.find("home/app"); s.Project != nil || len(s.Skipped) != 1 {
		t.Errorf("%+v", s)
	}
}

func TestRepository(t *testing.T) {
	w := newWorld(t)
	w.repo("home/src/app")
	w.repo("home/src/other/app")
	w.repo("home/mono")
	w.dirs("home/src/app/deep/er", "home/none", "home/mono/a/x", "home/mono/b", "home/mono/c")
	w.let("home/mono/a/.mem")
	w.let("home/mono/b/.mem")
	const projects = "home/.local/share/mem-projects/"
	for dir, want := range map[string]string{
		"home/src/app": projects + "app-#", "home/src/app/deep/er": projects + "app-#",
		"home/none": "", "home": "",
		"home/mono/a/x": "home/mono/a/.mem", "home/mono/b": "home/mono/b/.mem",
		"home/mono/c": projects + "mono-#",
	} {
		if got := w.project(dir); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	app, other := w.find("home/src/app").Project, w.find("home/src/other/app").Project
	if app.Root == other.Root || app.InRepository() || app.Dot || app.Layer != site.Project {
		t.Errorf("%+v, %+v", app, other)
	}
	if s := w.find("home/mono/a/x").Project; !s.InRepository() || s.Name() != "a" {
		t.Errorf("%+v", s)
	}
	// Dotfiles in git are no project.
	w.repo("home")
	if got := w.project("home/none"); got != "" {
		t.Errorf("in a home that is a repository: %q", got)
	}
}

func TestOnly(t *testing.T) {
	w := newWorld(t)
	w.repo("home/app")
	s := w.find("home/app")
	for _, name := range []string{site.User, site.Project} {
		only, ok := s.OnlyLayer(name)
		if !ok || only.One == nil || only.One.Layer != name || len(only.List()) != 1 {
			t.Errorf("%s: %+v", name, only)
		}
	}
	if _, ok := w.find("home").OnlyLayer(site.Project); ok {
		t.Error("outside of every project there is one")
	}
}

// What mem init writes makes git ignore a store as a whole, or track its log.
func TestGitFiles(t *testing.T) {
	w := newWorld(t)
	w.repo("home/app")
	w.let("home/app/.mem")
	w.dirs("home/app/.mem/archive", "home/app/.mem/index/a")
	root := w.path("home/app/.mem")
	for _, name := range []string{"log.jsonl", "README.md", "archive/log_1.jsonl", "index/a/x.json",
		"lock", "state.jsonl", "given"} {
		w.must(os.WriteFile(filepath.Join(root, name), []byte("x\n"), 0o600))
	}
	status := func() string {
		cmd := exec.Command("git", "status", "--short", "--untracked-files=all")
		cmd.Dir = w.path("home/app")
		out, err := cmd.CombinedOutput()
		w.must(err)
		return string(out)
	}
	w.must(site.WriteGitFiles(root, false))
	one := w.find("home/app").Project
	if got := status(); got != "" || one.Shared() || one.Tracked() {
		t.Errorf("ignored as a whole, and shown: %q, %+v", got, one)
	}
	w.must(site.WriteGitFiles(root, true))
	const want = "?? .mem/.gitattributes\n?? .mem/.gitignore\n?? .mem/README.md\n" +
		"?? .mem/archive/log_1.jsonl\n?? .mem/log.jsonl\n"
	if got := status(); got != want || !one.Shared() || one.Tracked() {
		t.Errorf("shared, and shown: %q, %+v", got, one)
	}
	add := exec.Command("git", "add", ".mem")
	add.Dir = w.path("home/app")
	w.must(add.Run())
	if !one.Tracked() {
		t.Error("it is not tracked")
	}
	w.must(site.WriteGitFiles(root, false))
	if one.Shared() || !one.Tracked() {
		t.Error("git tracks it still, so others write to it")
	}
}

// On a branch without the .mem that another one has, git leaves what it ignores: that is no store.
func TestTakenAway(t *testing.T) {
	w := newWorld(t)
	w.repo("home/app")
	w.let("home/app/.mem")
	root := w.path("home/app/.mem")
	for _, name := range []string{"README.md", "log.jsonl", "state.jsonl", "watermark"} {
		w.must(os.WriteFile(filepath.Join(root, name), []byte("x\n"), 0o600))
	}
	w.must(site.WriteGitFiles(root, true))
	site := w.find("home/app").Project
	for _, name := range []string{".gitattributes", "README.md"} {
		w.must(os.Remove(filepath.Join(root, name)))
		if !w.find("home/app").Project.Dot || site.Shared() {
			t.Errorf("with a log, without %s: %+v", name, site)
		}
	}
	w.must(os.Remove(filepath.Join(root, ".gitignore")))
	w.must(os.Remove(filepath.Join(root, "log.jsonl")))
	if s := w.find("home/app"); s.Project.Dot || len(s.Skipped) > 0 || !site.Shared() {
		t.Errorf("taken away: %+v, skipped %v", s.Project, s.Skipped)
	}
}

func TestGiven(t *testing.T) {
	w := newWorld(t)
	w.dirs(".mem")
	site := &site.Site{Root: w.path(".mem")}
	for _, c := range []struct{ give, want int64 }{{0, 0}, {4, 4}, {3, 4}, {12, 12}} {
		w.must(site.Give(c.give))
		if got := site.LastNoteNumber(); got != c.want {
			t.Errorf("after %d: %d, want %d", c.give, got, c.want)
		}
	}
	for _, text := range []string{"", "x", "-3\n", "007\n", strings.Repeat("9", 100)} {
		w.must(os.WriteFile(w.path(".mem/given"), []byte(text), 0o600))
		if got := site.LastNoteNumber(); got != 0 {
			t.Errorf("%q: %d", text, got)
		}
	}
}

// On a branch that has no .mem, git leaves of it what it never tracked. That is not used: git would
// take all that is written to it for new files.
func TestLeftover(t *testing.T) {
	w := newWorld(t)
	w.repo("home/app")
	w.let("home/app/.mem")
	if s := w.find("home/app"); s.Project == nil || !s.Project.Dot {
		t.Fatalf("%+v", s)
	}
	w.must(os.Remove(w.path("home/app/.mem/.gitignore")))
	s := w.find("home/app")
	if s.Project == nil || s.Project.Dot || len(s.Skipped) != 1 || s.Skipped[0].Untrusted {
		t.Errorf("%+v", s)
	}
	// Outside of a repository there is no git to mind.
	w.let("home/notes/.mem")
	w.must(os.Remove(w.path("home/notes/.mem/.gitignore")))
	if got := w.project("home/notes"); got != "home/notes/.mem" {
		t.Errorf("%q", got)
	}
}

// Where two repositories come to one name and one hash, the second has a store of another name.
func TestTwoOfOneName(t *testing.T) {
	w := newWorld(t)
	w.repo("home/app")
	first := w.find("home/app").Project.Root
	text := site.RepositoryText(w.path("home/app/.git"))
	w.must(os.MkdirAll(first, 0o700))
	w.must(os.WriteFile(filepath.Join(first, site.RepositoryFile), text, 0o600))
	if got := w.find("home/app").Project.Root; got != first {
		t.Errorf("its own: %s, want %s", got, first)
	}
	text = site.RepositoryText(w.path("home/evil/.git"))
	w.must(os.WriteFile(filepath.Join(first, site.RepositoryFile), text, 0o600))
	got := w.find("home/app").Project.Root
	if got == first || !strings.HasPrefix(got, first) || len(got) < len(first)+32 {
		t.Errorf("another's: %s", got)
	}
}

// The path of a repository need not be UTF-8: it is kept byte by byte, and two that differ in such
// a byte differ.
func TestRepositoryNotUTF8(t *testing.T) {
	root := t.TempDir()
	for _, path := range []string{"/src/caf\xe9/.git", "/src/caf\xe8/.git", "/\xff\"\\\n/.git",
		"/\\\xff/.git", "/src/café/.git"} {
		text := site.RepositoryText(path)
		if err := os.WriteFile(filepath.Join(root, site.RepositoryFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := site.RepositoryOf(root); got != path || err != nil {
			t.Errorf("%q: %q, %v", path, got, err)
		}
	}
	damaged := []byte("{\"common_dir\":\"/caf\xe9")
	if err := os.WriteFile(filepath.Join(root, site.RepositoryFile), damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := site.RepositoryOf(root); err == nil {
		t.Errorf("damaged: %q", got)
	}
}

// Two repositories of one name and one hash are distinguished by bytes that are not UTF-8, too.
func TestTwoOfOneNameNotUTF8(t *testing.T) {
	w := newWorld(t)
	w.repo("home/caf\xe9")
	first := w.find("home/caf\xe9").Project.Root
	w.must(os.MkdirAll(first, 0o700))
	for path, own := range map[string]bool{"home/caf\xe9/.git": true, "home/caf\xe8/.git": false} {
		text := site.RepositoryText(w.path(path))
		w.must(os.WriteFile(filepath.Join(first, site.RepositoryFile), text, 0o600))
		if got := w.find("home/caf\xe9").Project.Root; (got == first) != own {
			t.Errorf("%q: %s", path, got)
		}
	}
}

// A .mem in a repository of another system, in a git directory, or in a work tree that only the
// variables of git name, came with a repository that may track all of it; one beside them did not.
func TestOtherRepositories(t *testing.T) {
	t.Setenv("GIT_DIR", "")
	t.Setenv("GIT_WORK_TREE", "")
	for mark, at := range map[string]string{".jj/repo": "home/app", ".hg/store": "home/app",
		".svn": "home", "_FOSSIL_": "home/app", ".bzr": "home/app/.mem", "objects/pack": "home/app",
		"git elsewhere": ""} {
		w := newWorld(t)
		w.must(os.Unsetenv("GIT_DIR"))
		w.let("home/app/.mem")
		if s := w.find("home/app"); s.Project == nil || s.Project.InRepository() {
			t.Fatalf("%s: before: %+v", mark, s)
		}
		w.must(os.MkdirAll(w.path("home/dot.git"), 0o700))
		if at == "" {
			t.Setenv("GIT_DIR", w.path("home/dot.git"))
			t.Setenv("GIT_WORK_TREE", w.path("home/app"))
		} else {
			w.must(os.MkdirAll(filepath.Join(w.path(at), mark), 0o700))
		}
		s := w.find("home/app").Project
		if s == nil || !s.InRepository() || !s.Tracked() || !s.HasForeignConfig() {
			t.Errorf("%s: %+v", mark, s)
		}
		w.let("home/app/other/.mem")
		if s := w.find("home/app/other").Project; at == "home/app/.mem" && s.InRepository() {
			t.Errorf("%s beside it: %+v", mark, s)
		}
		if err := s.Ignore(); err != nil {
			t.Errorf("%s: %v", mark, err)
		}
	}
	// Inside of a git repository, only what lies in that one counts.
	w := newWorld(t)
	w.must(errors.Join(os.Unsetenv("GIT_DIR"), os.Unsetenv("GIT_WORK_TREE")))
	w.repo("home/app")
	w.let("home/app/.mem")
	w.must(os.MkdirAll(w.path("home/.hg"), 0o700))
	if s := w.find("home/app").Project; s.Tracked() || s.HasForeignConfig() {
		t.Errorf("git in hg: %+v", s)
	}
}
