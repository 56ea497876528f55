package site_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
)

// expect holds what is found from a directory against the three paths, all below base; no work tree
// stands for no repository.
func expect(t *testing.T, base, from, tree, git, common string) {
	t.Helper()
	want := site.Repo{}
	if tree != "" {
		want = site.Repo{WorkTree: filepath.Join(base, tree), GitDir: filepath.Join(base, git),
			Common: filepath.Join(base, common)}
	}
	got, ok, err := site.FindRepo(filepath.Join(base, from))
	if err != nil || ok != (tree != "") || got != want {
		t.Errorf("%s: %+v, %v, %v\nwant %+v", from, got, ok, err, want)
	}
}

func TestFindWhatGitMakes(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	committed(t, dir+"/lib", "x")
	committed(t, dir+"/main", "a/b/c")
	git(t, dir+"/main", "worktree", "add", "-q", dir+"/side")
	git(t, dir+"/main", "submodule", "--quiet", "add", dir+"/lib", "third/lib")
	git(t, dir+"/main", "worktree", "add", "-q", dir+"/main/a/inner")
	git(t, dir+"/main/third/lib", "worktree", "add", "-q", dir+"/libside")
	must(t, os.Mkdir(dir+"/store", 0o700))
	git(t, dir, "init", "-q", "--separate-git-dir", dir+"/store/sep", dir+"/apart")
	git(t, dir, "clone", "-q", "--bare", "main", "proj/.bare")
	put(t, dir+"/proj/.git", "gitdir: ./.bare\n")
	git(t, dir+"/proj", "worktree", "add", "-q", "topic")
	must(t, os.Symlink("main/a/b", dir+"/link"))

	expect(t, dir, "main", "main", "main/.git", "main/.git")
	expect(t, dir, "main/a/b", "main", "main/.git", "main/.git")
	expect(t, dir, "link", "main", "main/.git", "main/.git")
	expect(t, dir, "main/.git/refs", "main", "main/.git", "main/.git")
	expect(t, dir, "side/a", "side", "main/.git/worktrees/side", "main/.git")
	expect(t, dir, "main/a/inner/a/b", "main/a/inner", "main/.git/worktrees/inner", "main/.git")
	expect(t, dir, "main/third", "main", "main/.git", "main/.git")
	expect(t, dir, "main/third/lib", "main/third/lib", "main/.git/modules/third/lib",
		"main/.git/modules/third/lib")
	expect(t, dir, "libside", "libside", "main/.git/modules/third/lib/worktrees/libside",
		"main/.git/modules/third/lib")
	expect(t, dir, "apart", "apart", "store/sep", "store/sep")
	expect(t, dir, "proj", "proj", "proj/.bare", "proj/.bare")
	expect(t, dir, "proj/topic", "proj/topic", "proj/.bare/worktrees/topic", "proj/.bare")
	expect(t, dir, "store", "", "", "")

	// A submodule whose own settings moved into config.worktree.
	git(t, dir+"/main/third/lib", "config", "extensions.worktreeConfig", "true")
	git(t, dir+"/main/third/lib", "config", "--unset", "core.worktree")
	expect(t, dir, "main/third/lib", "main/third/lib", "main/third/lib/.git",
		"main/third/lib/.git")
	git(t, dir+"/main/third/lib", "config", "--worktree", "core.worktree", "../../../../third/lib")
	expect(t, dir, "main/third/lib", "main/third/lib", "main/.git/modules/third/lib",
		"main/.git/modules/third/lib")

	// A worktree that was moved by other hands has nobody who knows of it.
	must(t, os.Rename(dir+"/side", dir+"/moved"))
	expect(t, dir, "moved", "moved", "moved/.git", "moved/.git")
	git(t, dir+"/moved", "worktree", "repair")
	expect(t, dir, "moved", "moved", "main/.git/worktrees/side", "main/.git")
}

func TestFindPassesOver(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	put(t, dir+"/.git/HEAD", "ref: refs/heads/main\n")
	for name, text := range map[string]string{
		"empty": "", "no path": "gitdir: \n", "no word": "/somewhere\n", "no space": "gitdir:x\n",
		"indented": " gitdir: x\n", "NUL": "gitdir: x\x00\n",
		"large": "gitdir: " + strings.Repeat("/x", 64<<10),
	} {
		put(t, filepath.Join(dir, name, ".git"), text)
		expect(t, dir, name, ".", ".git", ".git")
	}
	must(t, os.MkdirAll(dir+"/hollow/.git/refs", 0o700))
	expect(t, dir, "hollow", ".", ".git", ".git")
	must(t, os.MkdirAll(dir+"/dangling", 0o700))
	must(t, os.Symlink("nothing", dir+"/dangling/.git"))
	expect(t, dir, "dangling", ".", ".git", ".git")
	must(t, os.MkdirAll(dir+"/hollow link", 0o700))
	must(t, os.Symlink("../hollow/.git", dir+"/hollow link/.git"))
	expect(t, dir, "hollow link", ".", ".git", ".git")

	// A HEAD that leads nowhere is that of a repository without a commit.
	must(t, os.MkdirAll(dir+"/unborn/.git", 0o700))
	must(t, os.Symlink("refs/heads/main", dir+"/unborn/.git/HEAD"))
	expect(t, dir, "unborn", "unborn", "unborn/.git", "unborn/.git")

	if _, ok, err := site.FindRepo(dir + "/nowhere"); ok || err == nil {
		t.Errorf("a directory that is gone: %v, %v", ok, err)
	}
	if _, ok, err := site.RepoAt(dir + "/empty"); ok || err != nil {
		t.Errorf("At looks above: %v, %v", ok, err)
	}
}

// lies are what directories say of others that do not know of them: in each, "evil" wants to be
// taken for a repository of the person.
var lies = map[string]func(t *testing.T, dir string){
	"file":              leads("../secret/.git"),
	"nothing":           leads("nowhere"),
	"no repository":     leads("../away"),
	"worktree":          leads("../secret/.git/worktrees/side"),
	"submodule":         leads("../secret/.git/modules/lib"),
	"old submodule":     leads("../secret/.git/modules/old"),
	"bare":              leads("../bare.git"),
	"another's tree":    leads("../withtree"),
	"damaged config":    leads("../damaged"),
	"link":              links("../secret/.git"),
	"link to worktree":  links("../secret/.git/worktrees/side"),
	"link to its file":  links("../side/.git"),
	"link to submodule": links("../secret/lib/.git"),
	"worktree of its own making": func(t *testing.T, dir string) {
		fakeWorktree(t, dir, dir+"/evil/fake")
		leads("fake")(t, dir)
	},
	"worktree in worktrees": func(t *testing.T, dir string) {
		fakeWorktree(t, dir, dir+"/evil/worktrees/fake")
		leads("worktrees/fake")(t, dir)
	},
	"directory": func(t *testing.T, dir string) {
		fakeWorktree(t, dir, dir+"/evil/.git")
		put(t, dir+"/evil/.git/config", "[core]\nworktree = "+dir+"/secret\n")
	},
	"linked commondir": func(t *testing.T, dir string) {
		put(t, dir+"/evil/x/HEAD", "")
		must(t, os.Symlink("../../secret/.git/worktrees/side/commondir", dir+"/evil/x/commondir"))
		leads("x")(t, dir)
	},
}

// Who lies becomes a repository of his own.
func TestFindBelievesNoLies(t *testing.T) {
	t.Parallel()
	for name, plant := range lies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := realTemp(t)
			victims(t, dir)
			must(t, os.Mkdir(dir+"/evil", 0o700))
			plant(t, dir)
			expect(t, dir, "evil", "evil", "evil/.git", "evil/.git")
			r, _, err := site.FindRepo(dir + "/evil")
			if err != nil || r.Name() != "evil" {
				t.Errorf("%+v is named %q, %v", r, r.Name(), err)
			}
			_, err = r.Tracks(dir + "/evil/.mem")
			if name != "directory" && !errors.Is(err, site.ErrDisowned) {
				t.Errorf("what it tracks nobody can tell, but: %v", err)
			}
		})
	}
}

// victims makes what git would have made of a repository with a worktree and a submodule, a bare
// one, and one whose git directory knows another work tree.
func victims(t *testing.T, dir string) {
	t.Helper()
	git := dir + "/secret/.git"
	for _, name := range []string{git, git + "/worktrees/side", git + "/modules/lib",
		git + "/modules/old", dir + "/bare.git", dir + "/withtree", dir + "/damaged"} {
		put(t, name+"/HEAD", "ref: refs/heads/main\n")
	}
	put(t, dir+"/away/x", "")
	put(t, git+"/worktrees/side/commondir", "../..\n")
	put(t, git+"/worktrees/side/gitdir", dir+"/side/.git\n")
	put(t, git+"/modules/lib/config", "[core]\n\tworktree = ../../../lib\n")
	put(t, dir+"/side/.git", "gitdir: "+git+"/worktrees/side\n")
	put(t, dir+"/secret/lib/.git", "gitdir: ../.git/modules/lib\n")
	put(t, dir+"/bare.git/config", "[core]\n\tbare\n")
	put(t, dir+"/withtree/config", "[core] worktree = \"../secret\" ; not evil\n")
	put(t, dir+"/damaged/config", "[core\n")
	expect(t, dir, "side", "side", "secret/.git/worktrees/side", "secret/.git")
	expect(t, dir, "secret/lib", "secret/lib", "secret/.git/modules/lib",
		"secret/.git/modules/lib")
}

func leads(to string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		put(t, dir+"/evil/.git", "gitdir: "+to+"\n")
	}
}

func links(to string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		must(t, os.Symlink(to, dir+"/evil/.git"))
	}
}

// fakeWorktree makes a git directory that says that it is a worktree of the secret repository.
func fakeWorktree(t *testing.T, dir, git string) {
	t.Helper()
	put(t, git+"/HEAD", "ref: refs/heads/main\n")
	put(t, git+"/commondir", dir+"/secret/.git\n")
	put(t, git+"/gitdir", dir+"/evil/.git\n")
}

// The variables of git do not move the repository.
func TestVariablesAreIgnored(t *testing.T) {
	dir := realTemp(t)
	put(t, dir+"/a/.git/HEAD", "")
	put(t, dir+"/b/.git/HEAD", "")
	t.Setenv("GIT_DIR", dir+"/b/.git")
	t.Setenv("GIT_WORK_TREE", dir+"/b")
	t.Setenv("GIT_CEILING_DIRECTORIES", dir+"/a")
	put(t, dir+"/a/c/x", "")
	expect(t, dir, "a/c", "a", "a/.git", "a/.git")
}

func TestName(t *testing.T) {
	t.Parallel()
	for common, want := range map[string]string{
		"/home/u/work/.git":                        "work",
		"/home/u/work.git/.git":                    "work",
		"/srv/tool.git":                            "tool",
		"/srv/tool":                                "tool",
		"/home/u/proj/.bare":                       "proj",
		"/home/u/a/.git/modules/third/lib":         "lib",
		"/home/u/工具 №7/.git":                       "工具--7",
		"/home/u/-rf/.git":                         "rf",
		"/home/u/..x/.git":                         "x",
		"/home/u/a\nb\x1b[31m/.git":                "a-b--31m",
		"/home/u/a\xffb/.git":                      "a-b",
		"/home/u/$(id)/.git":                       "id",
		"/.git":                                    "project",
		"/home/u/***/.git":                         "project",
		"/w/" + strings.Repeat("x", 99) + "/.git":  strings.Repeat("x", 60),
		"/w/" + strings.Repeat("牙", 30) + "/.git":  strings.Repeat("牙", 20),
		"/w/x" + strings.Repeat("é", 40) + "/.git": "x" + strings.Repeat("é", 29),
	} {
		if got := (site.Repo{Common: common}).Name(); got != want {
			t.Errorf("%q: %q, want %q", common, got, want)
		}
	}
}
