package site_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
)

// The usual spellings of one repository give one identity, and other repositories others.
func TestIdentityOfOrigin(t *testing.T) {
	seen := map[string]string{}
	for name, spellings := range map[string][]string{
		"orders": {"https://github.com/acme/orders.git", "https://github.com/acme/orders",
			"https://GitHub.com/acme/orders/", "https://me:s3cret@github.com/acme/orders.git/",
			"https://github.com:443/acme/orders?x=1#y", "http://github.com:80/acme/orders",
			"ssh://git@github.com/acme/orders.git", "ssh://git@github.com:22/acme/orders",
			"git@github.com:acme/orders.git", "git@GITHUB.com:/acme/orders",
			"github.com:acme/orders/",
			"git://github.com:9418/acme/orders"},
		"of another case": {"https://github.com/Acme/orders"},
		"another path":    {"https://github.com/acme/orders2.git"},
		"a longer path":   {"https://github.com/acme/orders/x"},
		"another host":    {"https://gitlab.com/acme/orders", "git@gitlab.com:acme/orders"},
		"another port": {"https://github.com:8443/acme/orders",
			"ssh://git@github.com:8443/acme/orders"},
		"a foreign port": {"https://github.com:22/acme/orders"},
	} {
		for _, text := range spellings {
			id := site.IdentityOf(text)
			if of, ok := seen[id]; len(id) != 64 || ok && of != name {
				t.Errorf("%s: %s is %q of %q", name, text, id, of)
			}
			seen[id] = name
		}
	}
	if len(seen) != 7 {
		t.Errorf("%d identities", len(seen))
	}
	// What names a repository of this machine alone says nothing on another one.
	for _, text := range []string{"", "/srv/git/orders.git", "file:///srv/git/orders",
		"file://host/srv/git/orders", "../orders", "C:/git/orders", "ssh://git@localhost/orders",
		"http://127.0.0.1:3000/me/orders", "http://[::1]:3000/me/orders",
		"https://me:s3/cret@github.com/acme/orders"} {
		if id := site.IdentityOf(text); id != "" {
			t.Errorf("%s: %q", text, id)
		}
	}
}

// clone makes a repository with an origin; "" for none.
func (w *world) clone(dir, url string) {
	w.Helper()
	w.repo(dir)
	if url != "" {
		w.origin(dir, url)
	}
}

// claimed returns the name of the store that has the identity which a repository asks for.
func (w *world) claimed(dir string) string {
	w.Helper()
	s := w.find(dir)
	if _, root := s.Claimed(); root != "" {
		return filepath.Base(root)
	}
	return ""
}

// stores returns the stores by their identities.
func (w *world) stores() map[string]string {
	w.Helper()
	ids, err := site.StoresByIdentity(w.path("home/.local/share"))
	w.must(err)
	return ids
}

const acme = "https://me:s3cret@example.com/acme/shop.git"

// The first clone has the identity of its origin; a second one has a store of its own, without an
// identity, until a person links it. Each keeps its store whatever becomes of its origin.
func TestSecondClone(t *testing.T) {
	w := newWorld(t)
	w.clone("home/a", acme)
	w.clone("home/b", "git@example.com:acme/shop")
	first := w.wrote("home/a")
	if first.Identity() != site.IdentityOf(acme) || w.claimed("home/a") != "" {
		t.Errorf("%q, %q", first.Identity(), w.claimed("home/a"))
	}
	if got := w.claimed("home/b"); got != filepath.Base(first.Root) {
		t.Errorf("before the first write: %q", got)
	}
	second := w.wrote("home/b")
	if second.Root == first.Root || second.Identity() != "" || len(w.stores()) != 1 ||
		w.claimed("home/b") != filepath.Base(first.Root) {
		t.Errorf("%q, %v, %q", second.Identity(), w.stores(), w.claimed("home/b"))
	}
	s := w.find("home/b")
	left, err := s.Link(first.Root)
	w.must(err)
	own := strings.Join(left, " ")
	linked := w.find("home/b")
	if own != second.Root || linked.Project.Root != first.Root || w.claimed("home/b") != "" {
		t.Errorf("%s, %+v, %q", own, linked.Project, w.claimed("home/b"))
	}
	linked.Project.RecordRepository()
	if of, err := site.RepositoryOf(first.Root); err != nil || of != w.path("home/a/.git") {
		t.Errorf("the record of the first is of %s, %v", of, err)
	}
	if got, err := linked.Matches(nil); err != nil || len(got) != 1 || got[0].Root != own ||
		!got[0].Own || got[0].ID != linked.Project.ID() {
		t.Errorf("what a crash has left: %v, %v", got, err)
	}
	w.origin("home/a", "https://example.com/acme/renamed")
	if first.RecordRepository(); first.Identity() != site.IdentityOf(acme) {
		t.Errorf("of another origin: %q", first.Identity())
	}
	_, err = linked.Link(own)
	w.must(err)
	if got := w.find("home/b").Project.Root; got != own {
		t.Errorf("no longer linked: %s", got)
	}
	_, err = linked.Link(first.Root)
	w.must(err)
	w.must(os.RemoveAll(first.Root))
	if got := w.find("home/b").Project.Root; got != own {
		t.Errorf("linked to a store that is gone: %s", got)
	}
	if w.find("home/b").Project.RecordRepository(); second.Identity() != site.IdentityOf(acme) {
		t.Errorf("when nobody has it: %q", second.Identity())
	}
}

// Without an origin the identity is a random one that all work trees have, and that a repository
// takes along. The first origin replaces it, and the store is known by both.
func TestRandomIdentity(t *testing.T) {
	w := newWorld(t)
	committed(t, w.path("home/app"))
	git(t, w.path("home/app"), "worktree", "add", "-q", "../tree")
	if w.find("home/app").Project.RecordRepository(); len(w.stores()) != 0 {
		t.Error("an identity without a store")
	}
	one := w.wrote("home/app")
	random := one.Identity()
	if tree := w.find("home/tree").Project; len(random) != 64 || tree.Identity() != random {
		t.Errorf("%q, of a work tree %q", random, tree.Identity())
	}
	text, err := os.ReadFile(w.path("home/app/.git/mem-id"))
	if err != nil || len(text) != 65 || strings.Contains(string(text), random) {
		t.Errorf("%q, %v", text, err)
	}
	git(t, w.path("home"), "clone", "-q", "app", "clone") // its origin is of this machine
	if other := w.wrote("home/clone").Identity(); len(other) != 64 || other == random {
		t.Errorf("of a clone: %q", other)
	}
	w.must(os.CopyFS(w.path("home/copy"), os.DirFS(w.path("home/app"))))
	if own := w.wrote("home/copy"); own.Identity() != "" || w.claimed("home/copy") == "" {
		t.Errorf("of a copy: %q", own.Identity())
	}
	w.origin("home/app", acme)
	one.CompleteRepository()
	ids := w.stores()
	if id := site.IdentityOf(acme); one.Identity() != id || ids[id] != one.Root ||
		ids[random] != one.Root {
		t.Errorf("with an origin: %q, %v", one.Identity(), ids)
	}
	if w.wrote("home/copy"); w.claimed("home/copy") != filepath.Base(one.Root) {
		t.Error("the copy is no longer one of it")
	}
}

// Whatever an archive says of itself, it gets a store of its own, and no identity that another
// store has.
func TestHostileRepositories(t *testing.T) {
	w := newWorld(t)
	w.clone("home/shop", acme)
	w.repo("home/blog")
	shop, blog := w.wrote("home/shop"), w.wrote("home/blog")
	blogID, err := os.ReadFile(w.path("home/blog/.git/mem-id"))
	w.must(err)
	id := func(text string) func(string) {
		return func(dir string) { put(t, w.path(dir+"/.git/mem-id"), text) }
	}
	gitFile := func(text string) func(string) {
		return func(dir string) {
			must(t, os.RemoveAll(w.path(dir+"/.git")))
			put(t, w.path(dir+"/.git"), "gitdir: "+text+"\n")
		}
	}
	for name, prepare := range map[string]func(dir string){
		"its origin":    func(dir string) { w.origin(dir, "ssh://git@example.com/acme/shop") },
		"its random id": id(string(blogID)),
		"an identity":   id(shop.Identity() + "\n"),
		"another one":   id(blog.Identity() + "\n"),
		"no id":         id(strings.Repeat("x", 1<<20)),
		"a link": func(dir string) {
			must(t, os.Symlink("../../../blog/.git/mem-id", w.path(dir+"/.git/mem-id")))
		},
		"a directory":    func(dir string) { w.dirs(dir + "/.git/mem-id") },
		"a record":       func(dir string) { put(t, w.path(dir+"/repository.json"), `{"link":"shop"}`) },
		"a wrong config": func(dir string) { put(t, w.path(dir+"/.git/config"), "[core\n") },
		"a git file":     gitFile(w.path("home/shop/.git")),
		"a submodule":    gitFile("../../shop/.git/modules/x"),
	} {
		dir := "home/evil/" + strings.ReplaceAll(name, " ", "-")
		w.repo(dir)
		prepare(dir)
		one := w.wrote(dir)
		for _, other := range []*site.Site{shop, blog} {
			if id := one.Identity(); one.Root == other.Root || id == other.Identity() {
				t.Errorf("%s: %s has the identity %q", name, one.Root, id)
			}
		}
		if want := name == "its origin" || name == "its random id"; (w.claimed(dir) != "") != want {
			t.Errorf("%s: claims %q", name, w.claimed(dir))
		}
	}
	if ids := w.stores(); ids[shop.Identity()] != shop.Root || ids[blog.Identity()] != blog.Root {
		t.Errorf("%v", ids)
	}
	// A repository that has an identity takes no other one, nor does one with a random id take one
	// that is in use; files without a .git are those of the directory that they lie in.
	own := w.wrote("home/evil/no-id")
	w.origin("home/evil/no-id", acme)
	w.clone("home/mine", "https://example.com/evil/mine")
	mine := w.wrote("home/mine")
	put(t, w.path("home/mine/.git/mem-id"), mine.Identity()+"\n")
	w.origin("home/mine", "https://example.com/not/used")
	for _, one := range []*site.Site{own, mine} {
		id := one.Identity()
		if one.RecordRepository(); one.Identity() != id {
			t.Errorf("%s: from %q to %q", one.Root, id, one.Identity())
		}
	}
	w.dirs("home/unpacked/shop")
	put(t, w.path("home/unpacked/config"), "[remote \"origin\"]\n\turl = "+acme+"\n")
	if one := w.find("home/unpacked/shop").Project; one != nil {
		t.Errorf("%+v", one)
	}
}

// A submodule has the identity of its own origin, whatever the one of the repository around it, and
// reaches no store of another place.
func TestIdentityOfSubmodule(t *testing.T) {
	w := newWorld(t)
	committed(t, w.path("home/lib"))
	w.clone("home/shop", acme)
	shop := w.wrote("home/shop")
	committed(t, w.path("home/app"))
	git(t, w.path("home/app"), "submodule", "--quiet", "add", w.path("home/lib"), "sub")
	git(t, w.path("home/app/sub"), "config", "remote.origin.url", acme) // as .gitmodules may say
	app, sub := w.wrote("home/app"), w.wrote("home/app/sub")
	if sub.Root == shop.Root || sub.Root == app.Root || sub.Identity() != "" ||
		w.claimed("home/app/sub") != filepath.Base(shop.Root) {
		t.Errorf("%s: %q", sub.Root, sub.Identity())
	}
}

// A store that came without a path belongs to nobody here before a person links a repository to it,
// which then gives it its path.
func TestStoreWithoutPath(t *testing.T) {
	w := newWorld(t)
	data, id := w.path("home/.local/share"), site.IdentityOf(acme)
	root, err := site.MakeFor(data, id, "../my\nshop")
	w.must(err)
	if want := data + "/mem-projects/my-shop-" + id[:8]; root != want {
		t.Errorf("%s, want %s", root, want)
	}
	if again, err := site.MakeFor(data, id, "other"); err != nil || again != root {
		t.Errorf("again: %s, %v", again, err)
	}
	w.clone("home/shop", acme)
	if own := w.wrote("home/shop"); own.Root == root || own.Identity() != "" ||
		w.claimed("home/shop") != filepath.Base(root) {
		t.Errorf("%s: %q", own.Root, own.Identity())
	}
	s := w.find("home/shop")
	if list, err := s.Unplaced(); err != nil || len(list) != 1 || list[0].Root != root {
		t.Errorf("unplaced: %v, %v", list, err)
	}
	_, err = s.Link(root)
	w.must(err)
	if list, err := s.Unplaced(); err != nil || len(list) != 0 {
		t.Errorf("unplaced after the link: %v, %v", list, err)
	}
	one := w.find("home/shop").Project
	one.CompleteRepository()
	if of, err := site.RepositoryOf(root); err != nil || one.Root != root ||
		of != w.path("home/shop/.git") || one.Identity() != id {
		t.Errorf("%s of %s, %v: %q", one.Root, of, err, one.Identity())
	}
	for _, bad := range []string{"", "../../x", id[:63], strings.ToUpper(id), id + "0"} {
		got, err := site.MakeFor(data, bad, "x")
		if !errors.Is(err, site.ErrIdentity) || got != "" {
			t.Errorf("%q: %q, %v", bad, got, err)
		}
	}
}

// The name of such a store is that of no repository: where it is taken the other has a longer one.
func TestNamesOfStoresWithoutPath(t *testing.T) {
	w := newWorld(t)
	data := w.path("home/.local/share")
	w.repo("home/app")
	taken := filepath.Base(w.find("home/app").Project.Root) // app- and eight digits
	id := strings.TrimPrefix(taken, "app-") + strings.Repeat("0", 56)
	root, err := site.MakeFor(data, id, "app")
	w.must(err)
	own := w.wrote("home/app").Root
	if filepath.Base(root) != taken || own == root || !strings.HasPrefix(own, root[:len(root)-8]) {
		t.Errorf("%s, and of the repository %s", root, own)
	}
	w.repo("home/second/app")
	taken = filepath.Base(w.wrote("home/second/app").Root)
	id = strings.TrimPrefix(taken, "app-") + strings.Repeat("1", 56)
	if root, err = site.MakeFor(data, id, "app"); err != nil || filepath.Base(root) != "app-"+id {
		t.Errorf("%s, %v", root, err)
	}
}

// Of clones that record one identity at once one gets it.
func TestIdentityAtOnce(t *testing.T) {
	w := newWorld(t)
	const clones = 8
	var all sync.WaitGroup
	for i := range clones {
		dir := fmt.Sprint("home/clone", i)
		w.clone(dir, acme)
		one := w.find(dir).Project
		w.dirs(strings.TrimPrefix(one.Root, w.base+"/"))
		all.Go(one.RecordRepository)
		all.Go(one.CompleteRepository)
	}
	all.Wait()
	n := 0
	for i := range clones {
		if w.find(fmt.Sprint("home/clone", i)).Project.Identity() != "" {
			n++
		}
	}
	if n != 1 || len(w.stores()) != 1 {
		t.Errorf("%d have it, %v", n, w.stores())
	}
}

// What records an identity, links or makes a store may be cut at every call of the disk: the record
// is the old one or the new one, and the next call puts all right.
func TestIdentityCutAnywhere(t *testing.T) {
	for _, url := range []string{"", acme} {
		for n, cut := 0, true; cut; n++ {
			w := newWorld(t)
			w.clone("home/app", url)
			one := w.find("home/app").Project
			w.must(os.MkdirAll(one.Root, 0o700))
			old := `{"common_dir":"` + w.path("home/app/.git") + `"}` + "\n"
			put(t, filepath.Join(one.Root, site.RepositoryFile), old)
			cut, _ = cutAt(n, func() error { one.RecordRepository(); return nil })
			text, err := os.ReadFile(filepath.Join(one.Root, site.RepositoryFile))
			if err != nil || string(text) != old && len(one.Identity()) != 64 {
				t.Errorf("cut at %d: %s, %v", n, text, err)
			}
			before := one.Identity()
			one.CompleteRepository()
			if id := one.Identity(); len(id) != 64 || before != "" && id != before {
				t.Errorf("cut at %d: %q, then %q", n, before, id)
			}
		}
	}
	for n, cut := 0, true; cut; n++ {
		w := newWorld(t)
		data := w.path("home/.local/share")
		w.clone("home/app", acme)
		root := ""
		var err error
		cut, err = cutAt(n, func() (err error) {
			root, err = site.MakeFor(data, site.IdentityOf(acme), "shop")
			return err
		})
		if err == nil && len(w.stores()) != 1 {
			t.Errorf("make, cut at %d: %v, %v", n, err, w.stores())
		}
		root, err = site.MakeFor(data, site.IdentityOf(acme), "shop")
		w.must(err)
		if ids := w.stores(); len(ids) != 1 || ids[site.IdentityOf(acme)] != root {
			t.Errorf("make, cut at %d: %v", n, ids)
		}
		s := w.find("home/app")
		own := s.Project.Root
		linking := func() error {
			_, err := s.Link(root)
			return err
		}
		if err := cutToo(n, &cut, linking); err == nil {
			own = root
		}
		if now := w.find("home/app").Project.Root; now != own && now != root {
			t.Errorf("link, cut at %d: %s", n, now)
		}
		_, err = s.Link(root)
		w.must(err)
		if now := w.find("home/app").Project.Root; now != root {
			t.Errorf("link after a cut at %d: %s", n, now)
		}
	}
}

// cutToo is cutAt for the second of two functions, of which each may be the longer one.
func cutToo(n int, cut *bool, fn func() error) error {
	too, err := cutAt(n, fn)
	*cut = *cut || too
	return err
}
