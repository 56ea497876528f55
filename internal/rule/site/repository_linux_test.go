package site_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
)

// An origin is recorded without a user, a password and a port, the same for each of its forms. A
// text that names no repository leaves nothing, so no part of a password.
func TestOriginIsNormal(t *testing.T) {
	for text, want := range map[string]string{
		"https://github.com/acme/orders.git":               "github.com/acme/orders",
		"https://GitHub.com/acme/orders/":                  "github.com/acme/orders",
		"https://me:s3cret@github.com/acme/orders":         "github.com/acme/orders",
		"https://github.com:443/acme/orders?token=s3cret#": "github.com/acme/orders",
		"ssh://git@github.com:22/acme/orders.git":          "github.com/acme/orders",
		"git@github.com:acme/orders.git":                   "github.com/acme/orders",
		"git@github.com:/acme/orders":                      "github.com/acme/orders",
		"github.com:acme/orders.git/":                      "github.com/acme/orders",
		"git://github.com/Acme/orders":                     "github.com/Acme/orders",
		"ssh://git@[::1]:22/orders":                        "::1/orders",
		"/srv/git/orders.git":                              "/srv/git/orders",
		"file:///srv/git/orders.git":                       "/srv/git/orders",
		"/home/me/orders/.git":                             "/home/me/orders",
		"":                                                 "",
		"/":                                                "",
		"../orders":                                        "",
		"orders.git":                                       "",
		"./a:b":                                            "",
		"C:/git/orders":                                    "",
		"me:s3cret@github.com:acme/orders":                 "",
		"https://me:s3/cret@github.com/acme/orders":        "",
		"ext::sh -c s3cret":                                "",
		"https:/me:s3cret@host/orders":                     "",
		"https://me:123/s3cret@host/orders":                "",
		"https://me:12/s3#cret@host/orders":                "",
		"https://me:12/s3?cret@host/orders":                "",
		"me:/s3cret@host/orders":                           "",
		"//me:s3cret@host/orders":                          "",
		"file:///me:s3cret@host/orders":                    "",
		"https://github.com/ghp_s3cret@acme/orders":        "",
		"me@s3cret@github.com:acme/orders":                 "github.com/acme/orders",
	} {
		if got := site.NormalOrigin(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// former returns the names of the stores that match a directory whose own has memories, without
// their hash.
func (w *world) former(dir string) (names []string) {
	w.Helper()
	return w.matches(dir, false)
}

func (w *world) matches(dir string, isEmpty bool) (names []string) {
	w.Helper()
	s := w.find(dir)
	list, err := s.Matches(func() bool { return isEmpty })
	w.must(err)
	for _, one := range list {
		name := filepath.Base(one.Root)
		names = append(names, name[:strings.LastIndexByte(name, '-')])
	}
	return names
}

// wrote makes the store of a repository, as a write does.
func (w *world) wrote(dir string) *site.Site {
	w.Helper()
	one := w.find(dir).Project
	w.must(os.MkdirAll(one.Root, 0o700))
	one.RecordRepository()
	return one
}

// origin sets the origin of a repository.
func (w *world) origin(dir, url string) {
	w.Helper()
	w.must(exec.Command("git", "-C", w.path(dir), "config", "remote.origin.url", url).Run())
}

// A store is of the repository here where that has moved, in place or elsewhere, or where it is
// another clone of an origin whose clone is gone.
func TestFormerPlaces(t *testing.T) {
	w := newWorld(t)
	const url = "https://me:s3cret@example.com/acme/orders.git"
	want := func(what, dir string, names ...string) {
		t.Helper()
		if got := w.former(dir); !slices.Equal(got, names) {
			t.Errorf("%s: %q, want %q", what, got, names)
		}
	}
	move := func(from, to string) {
		t.Helper()
		w.must(os.Rename(w.path(from), w.path(to)))
	}
	w.dirs("home/a", "home/b")
	w.repo("home/a/local")
	w.wrote("home/a/local")
	want("at its place", "home/a/local")
	move("home/a/local", "home/a/renamed")
	want("renamed", "home/a/renamed", "local")
	move("home/a/renamed", "home/b/local")
	want("in another directory", "home/b/local", "local")

	w.repo("home/orders")
	w.origin("home/orders", url)
	w.wrote("home/orders")
	w.repo("home/clone")
	w.origin("home/clone", "git@example.com:acme/orders")
	want("two clones", "home/clone", "orders")
	w.must(os.RemoveAll(w.path("home/orders")))
	want("a clone of a gone one's origin", "home/clone", "orders")
	w.origin("home/clone", "git@example.com:acme/other")
	want("of another origin", "home/clone")
	w.origin("home/clone", url)
	w.repo("home/second")
	w.origin("home/second", url)
	w.wrote("home/second")
	w.must(os.RemoveAll(w.path("home/second")))
	want("two gone clones", "home/clone", "orders", "second")
	w.must(os.WriteFile(w.path("home/second"), nil, 0o600))
	want("a file in its place", "home/clone", "orders", "second")
	want("of another repository", "home/b/local", "local")
}

// Another repository at the path gets a store of its own, and the record of the first one stays: by
// that it is found where it has gone, and proposed to the other one where that may be the same.
func TestPathUsedAgain(t *testing.T) {
	w := newWorld(t)
	const acme, other = "https://example.com/acme/shop", "https://example.com/other/blog"
	for _, c := range []struct {
		name, was, is string // the origins
		own, proposed bool   // the store of the path is the other one's, or proposed to it
	}{
		{"another", acme, other, false, false},
		{"cloned-again", acme, acme, true, false},
		{"made-anew", "", "", true, false},
		{"with-an-origin", "", other, true, false},
		{"without-the-origin", acme, "", false, true},
	} {
		dir := "home/" + c.name
		w.repo(dir)
		if c.was != "" { // each its own
			w.origin(dir, c.was+c.name)
		}
		first := w.wrote(dir)
		w.must(os.Rename(w.path(dir), w.path(dir+"-old")))
		w.repo(dir)
		if c.is != "" {
			w.origin(dir, c.is+c.name)
		}
		if root := w.find(dir).Project.Root; (root == first.Root) != c.own {
			t.Errorf("%s: %s, of %s", c.name, root, first.Root)
		}
		if got := w.former(dir); slices.Contains(got, c.name) != c.proposed {
			t.Errorf("%s: proposed: %q", c.name, got)
		}
		first.RecordRepository() // of a server that has not heard of it
		if got := w.former(dir + "-old"); !slices.Contains(got, c.name) {
			t.Errorf("%s: where it went: %q", c.name, got)
		}
	}
}

// A third repository at a path has a store of its own, too, and each keeps its own.
func TestPathUsedThrice(t *testing.T) {
	w := newWorld(t)
	var roots []string
	for _, name := range []string{"a", "b", "c"} {
		w.repo("home/app")
		w.origin("home/app", "https://example.com/acme/"+name)
		roots = append(roots, w.wrote("home/app").Root)
		w.must(os.Rename(w.path("home/app"), w.path("home/"+name)))
	}
	if roots[0] == roots[1] || roots[1] == roots[2] || roots[2] == roots[0] {
		t.Errorf("%q", roots)
	}
	for i, name := range []string{"a", "b", "c"} {
		if got := w.former("home/" + name); len(got) != 1 {
			t.Errorf("%s: %q", name, got)
		}
		w.must(os.Rename(w.path("home/"+name), w.path("home/app")))
		if one := w.find("home/app").Project; one.Root != roots[i] {
			t.Errorf("%s is back: %s, not %s", name, one.Root, roots[i])
		}
		w.must(os.Rename(w.path("home/app"), w.path("home/"+name)))
	}
}

// A repository whose file system numbers its files anew, and one whose origin has changed, is the
// same at its path.
func TestSameAtItsPath(t *testing.T) {
	w := newWorld(t)
	w.repo("home/app")
	first := w.wrote("home/app")
	path := filepath.Join(first.Root, site.RepositoryFile)
	text, err := os.ReadFile(path)
	w.must(err)
	w.must(os.WriteFile(path, []byte(
		strings.Replace(string(text), `"directory":"`, `"directory":"1`, 1)), 0o600))
	w.origin("home/app", "https://example.com/acme/app")
	if root := w.find("home/app").Project.Root; root != first.Root {
		t.Errorf("%s", root)
	}
	first.RecordRepository()
	w.origin("home/app", "https://example.com/acme/other")
	if root := w.find("home/app").Project.Root; root != first.Root {
		t.Errorf("of another origin: %s", root)
	}
	if got := w.former("home/app"); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// A link at the old place that leads to the repository does not keep it there.
func TestLinkAtOldPlace(t *testing.T) {
	w := newWorld(t)
	w.repo("home/app")
	w.wrote("home/app")
	w.must(os.Rename(w.path("home/app"), w.path("home/new")))
	for _, to := range []string{"new", "gone"} {
		w.must(os.Symlink(to, w.path("home/app")))
		if got := w.former("home/new"); !slices.Equal(got, []string{"app"}) {
			t.Errorf("to %s: %q", to, got)
		}
		w.must(os.Remove(w.path("home/app")))
	}
}

// The inode of a repository is used again by another one: that is not the same repository.
func TestInodeUsedAgain(t *testing.T) {
	w := newWorld(t)
	w.repo("home/first")
	root := w.wrote("home/first").Root
	w.must(os.Rename(w.path("home/first"), w.path("home/other")))
	w.must(os.Remove(w.path("home/other/.git/mem-id"))) // by which it is known, too
	path := filepath.Join(root, site.RepositoryFile)
	text, err := os.ReadFile(path)
	w.must(err)
	inode, birth, found := strings.Cut(string(text), "-")
	if !found || len(w.former("home/other")) != 1 {
		t.Fatalf("%s", text)
	}
	w.must(os.WriteFile(path, []byte(inode+"-1"+birth), 0o600))
	if got := w.former("home/other"); len(got) != 0 {
		t.Errorf("born at another time: %q", got)
	}
}

// A write completes the record of an older build, and follows a change of the origin. No password
// is ever in it, and a record that is complete is not written again.
func TestRecordIsCompleted(t *testing.T) {
	w := newWorld(t)
	w.repo("home/app")
	one := w.find("home/app").Project
	one.RecordRepository()
	if _, err := os.Stat(one.Root); !os.IsNotExist(err) {
		t.Errorf("no store, and a record: %v", err)
	}
	w.must(os.MkdirAll(one.Root, 0o700))
	path := filepath.Join(one.Root, site.RepositoryFile)
	old := `{"common_dir":"` + w.path("home/app/.git") + `"}` + "\n"
	w.must(os.WriteFile(path, []byte(old), 0o600))
	record := func() string {
		t.Helper()
		one.RecordRepository()
		text, err := os.ReadFile(path)
		w.must(err)
		return string(text)
	}
	if got := record(); !strings.Contains(got, `"directory":"`) || strings.Contains(got, "origin") {
		t.Errorf("%s", got)
	}
	w.origin("home/app", "https://me:s3cret@example.com:8443/acme/app.git")
	got := record()
	if !strings.Contains(got, `"origin":"example.com/acme/app"`) || strings.Contains(got, "s3cret") {
		t.Errorf("%s", got)
	}
	before, err := os.Stat(path)
	w.must(err)
	record()
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("written without a change: %v", err)
	}
	w.must(os.WriteFile(w.path("home/app/.git/config"), []byte("[core\n"), 0o600))
	if record() != got {
		t.Error("an unreadable configuration takes the origin away")
	}
}
