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
	} {
		if got := site.NormalOrigin(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// former returns the names of the stores that Former finds for a directory, without their hash.
func (w *world) former(dir string) (names []string) {
	w.Helper()
	s := w.find(dir)
	list, err := s.Former()
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
	want("two clones", "home/clone")
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

// The inode of a repository is used again by another one: that is not the same repository.
func TestInodeUsedAgain(t *testing.T) {
	w := newWorld(t)
	w.repo("home/first")
	root := w.wrote("home/first").Root
	w.must(os.Rename(w.path("home/first"), w.path("home/other")))
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
