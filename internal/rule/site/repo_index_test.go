package site_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
	"pgregory.net/rapid"
)

const blob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

// enter puts names into the index, for which there need be no files.
func enter(t testing.TB, dir string, names ...string) {
	t.Helper()
	var b strings.Builder
	id := blob
	if strings.TrimSpace(git(t, dir, "rev-parse", "--show-object-format")) == "sha256" {
		id = strings.Repeat("0e", 32)
	}
	for _, name := range names {
		fmt.Fprintf(&b, "100644 %s 0\t%s\x00", id, name)
	}
	list := filepath.Join(t.TempDir(), "list")
	put(t, list, b.String())
	gitFrom(t, dir, list, "update-index", "-z", "--index-info")
}

// listed returns what git tracks.
func listed(t testing.TB, dir string) []string {
	t.Helper()
	names := strings.Split(git(t, dir, "ls-files", "-z"), "\x00")
	return names[:len(names)-1]
}

// has reports what Tracks is to say of a name, judged by the list of git.
func has(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return n == name || strings.HasPrefix(n, name+"/")
	})
}

// around returns every name, every directory above one, and neighbours that sort close to them.
func around(names []string) []string {
	var list []string
	for _, name := range names {
		for ; name != "."; name = path.Dir(name) {
			list = append(list, name, name+"/x", name+"-", name+"0", name+".x",
				name[:len(name)-1], path.Join(path.Dir(name), ".mem"))
		}
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(name string) bool {
		return name == "" || strings.HasSuffix(name, "/")
	})
}

func tracks(t testing.TB, dir, name string) bool {
	t.Helper()
	r, ok, err := site.RepoAt(dir)
	if !ok || err != nil {
		t.Fatalf("no repository at %s: %v", dir, err)
	}
	got, err := r.Tracks(filepath.Join(dir, name))
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return got
}

// sameAsGit holds Tracks against git for every name around those that are tracked.
func sameAsGit(t testing.TB, dir string) {
	t.Helper()
	names := listed(t, dir)
	for _, name := range append(around(names), ".mem", "zzz") {
		if got, want := tracks(t, dir, name), has(names, name); got != want {
			t.Errorf("%s: %v, git: %v", name, got, want)
		}
	}
	if got := tracks(t, dir, "."); got != (len(names) > 0) {
		t.Errorf("the work tree: %v, and %d files", got, len(names))
	}
}

var sample = []string{
	".mem/log.jsonl", ".mem-x", ".mem.txt", ".member/x", "a/.mem/log.jsonl", "a/b/c", "a/b.c",
	"a/b-c", "a0", "牙/科 复诊", "new\nline/x", "z/" + strings.Repeat("long/", 900) + "end",
	"z/" + strings.Repeat("long/", 900) + "end2",
}

func TestTracksAsGitDoes(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		for _, version := range []string{"2", "3", "4"} {
			t.Run(format+" "+version, func(t *testing.T) {
				t.Parallel()
				dir := realTemp(t)
				git(t, dir, "init", "-q", "--object-format="+format)
				sameAsGit(t, dir) // no index
				git(t, dir, "config", "feature.manyFiles", "false")
				git(t, dir, "update-index", "--index-version", version)
				sameAsGit(t, dir) // an empty one
				enter(t, dir, sample...)
				if version == "3" {
					git(t, dir, "update-index", "--skip-worktree", "a/b/c", ".mem-x")
				}
				index, err := os.ReadFile(dir + "/.git/index")
				if err != nil || string(index[4:8]) != "\x00\x00\x00"+string(version[0]-'0') {
					t.Fatalf("version %q, %v", index[4:8], err)
				}
				sameAsGit(t, dir)
			})
		}
	}
}

// Stages of a conflict, submodules, extensions, and what is only meant to be added.
func TestTracksAfterMuchWork(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	committed(t, dir+"/lib", "x")
	dir += "/main"
	committed(t, dir, "a/1", "a/2", "both", "c/d/e")
	git(t, dir, "checkout", "-q", "-b", "other")
	put(t, dir+"/both", "theirs")
	git(t, dir, "commit", "-qam", "theirs")
	git(t, dir, "checkout", "-q", "main")
	put(t, dir+"/both", "ours")
	git(t, dir, "commit", "-qam", "ours")
	git(t, dir, "submodule", "--quiet", "add", "../lib", "b/lib")
	git(t, dir, "update-index", "--untracked-cache")
	git(t, dir, "commit", "-qm", "lib")
	if out, err := tryGit(t, dir, "merge", "other"); err == nil {
		t.Fatalf("no conflict: %s", out)
	}
	sameAsGit(t, dir)
	put(t, dir+"/meant", "")
	git(t, dir, "add", "-N", "meant")
	sameAsGit(t, dir)
	git(t, dir, "worktree", "add", "-q", "--detach", dir+"/../side")
	side := filepath.Clean(dir + "/../side")
	git(t, side, "rm", "-q", "--cached", "a/1")
	sameAsGit(t, side)
	if !tracks(t, dir, "a/1") || tracks(t, side, "a/1") {
		t.Error("a worktree has not its own index")
	}
}

func TestTracksInASplitIndex(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "4"} {
		dir := realTemp(t)
		git(t, dir, "init", "-q")
		git(t, dir, "config", "splitIndex.maxPercentChange", "100")
		git(t, dir, "update-index", "--index-version", version)
		enter(t, dir, sample...)
		git(t, dir, "update-index", "--split-index")
		sameAsGit(t, dir)
		enter(t, dir, "later/x", "A")
		put(t, dir+"/a0", "changed")
		git(t, dir, "add", "a0")
		shared, err := filepath.Glob(dir + "/.git/sharedindex.*")
		if err != nil || len(shared) != 1 {
			t.Fatalf("%q, %v", shared, err)
		}
		sameAsGit(t, dir)
		// What was removed since counts still: that is the careful side.
		git(t, dir, "rm", "-q", "--cached", "a/b-c")
		if has(listed(t, dir), "a/b-c") || !tracks(t, dir, "a/b-c") {
			t.Error("a file that was removed since the shared index was written")
		}
		must(t, os.Remove(shared[0]))
		r, _, err := site.FindRepo(dir)
		must(t, err)
		if _, err := r.Tracks(dir + "/zzz"); err != nil {
			t.Errorf("without any shared index the main one is all there is: %v", err)
		}
		put(t, dir+"/.git/sharedindex.other", "")
		if _, err := r.Tracks(dir + "/zzz"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the shared index is gone: %v", err)
		}
	}
}

func TestTracksInASparseIndex(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	committed(t, dir, "in/x", "in/deep/y", "out/x", "out/deep/y", "top", "zz/z")
	git(t, dir, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
	if !strings.Contains(git(t, dir, "ls-files", "--sparse"), "out/\n") {
		t.Fatal("the index is not sparse")
	}
	for name, want := range map[string]bool{
		"in/x": true, "in/deep": true, "in/.mem": false, "out": true, "out/x": true, "top": true,
		"out/.mem": true, // its names are not known
		"out.mem":  false, "ou": false, "zz/z": true, ".mem": false, "y": false,
	} {
		if got := tracks(t, dir, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTracksAnyNames(t *testing.T) {
	t.Parallel()
	name := rapid.StringMatching(`[a-c.\-]{1,3}(/[a-c.\-]{1,3}){0,3}`).Filter(func(s string) bool {
		return !strings.Contains("/"+s+"/", "/./") && !strings.Contains("/"+s+"/", "/../")
	})
	rapid.Check(t, func(rt *rapid.T) {
		names := rapid.SliceOfN(name, 1, 30).Draw(rt, "names")
		asked := rapid.SliceOfN(name, 1, 30).Draw(rt, "asked")
		version := rapid.SampledFrom([]uint32{2, 3, 4}).Draw(rt, "version")
		slices.Sort(names)
		index := encode(version, slices.Compact(names))
		for _, name := range append(asked, names...) {
			found, _, err := site.Search(index, name, false)
			if err != nil || found != has(names, name) {
				rt.Fatalf("%q in %q: %v, %v", name, names, found, err)
			}
		}
	})
}

func TestTracksOutside(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	put(t, dir+"/a/.git/HEAD", "")
	r, _, err := site.FindRepo(dir + "/a")
	must(t, err)
	for _, path := range []string{dir, dir + "/b", dir + "/a/../b", "a", "", "/"} {
		if _, err := r.Tracks(path); !errors.Is(err, site.ErrOutside) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if got, err := r.Tracks(dir + "/a/x/../.mem/"); got || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func BenchmarkFindRepo(b *testing.B) {
	dir := realTemp(b)
	committed(b, dir+"/main", "a/b/c/d")
	git(b, dir+"/main", "worktree", "add", "-q", dir+"/side")
	for b.Loop() {
		if _, ok, err := site.FindRepo(dir + "/side/a/b/c"); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

// BenchmarkTracks asks for the name that sorts first, and for one that sorts behind all.
func BenchmarkTracks(b *testing.B) {
	dir := realTemp(b)
	git(b, dir, "init", "-q")
	names := make([]string, 100_000)
	for i := range names {
		names[i] = fmt.Sprintf("some/directory/%03d/file_%06d.go", i/1000, i)
	}
	enter(b, dir, names...)
	r, _, err := site.FindRepo(dir)
	must(b, err)
	for _, name := range []string{".mem", "zzz"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got, err := r.Tracks(filepath.Join(dir, name)); got || err != nil {
					b.Fatal(got, err)
				}
			}
		})
	}
}
