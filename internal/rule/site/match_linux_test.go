package site_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
)

const (
	template = "https://example.com/acme/template"
	renamed  = "https://example.com/acme/renamed"
)

// A store matches by the present identity of the repository. One that either has had before counts
// only where the repository here has no memories, or the other one is gone.
func TestMatchByIdentity(t *testing.T) {
	w := newWorld(t)
	want := func(what, dir string, isEmpty bool, names ...string) {
		t.Helper()
		if got := w.matches(dir, isEmpty); !slices.Equal(got, names) {
			t.Errorf("%s: %q, want %q", what, got, names)
		}
	}
	w.clone("home/shop", acme)
	w.wrote("home/shop")
	w.origin("home/shop", renamed)
	w.find("home/shop").Project.CompleteRepository()
	w.clone("home/fresh", renamed)
	want("a fresh clone of a renamed origin", "home/fresh", true, "shop")
	want("with memories of its own", "home/fresh", false)
	if fresh := w.wrote("home/fresh"); fresh.Identity() != "" {
		t.Errorf("it has got the identity %s, which the other one has had", fresh.Identity())
	}
	w.must(os.RemoveAll(w.path("home/shop")))
	want("where the other one is gone", "home/fresh", false, "shop")

	for _, name := range []string{"one", "two"} {
		w.clone("home/"+name, template)
		w.wrote("home/" + name)
		w.origin("home/"+name, "https://example.com/me/"+name)
		w.find("home/" + name).Project.CompleteRepository()
	}
	for _, name := range []string{"one", "two"} {
		want("of a template", "home/"+name, false)
	}
	want("of a template, without memories", "home/two", true, "one")
}

// What another machine says of a project's repository counts as if it were here, and its present
// identity for sure.
func TestMatchOfAnotherMachine(t *testing.T) {
	w := newWorld(t)
	data := w.path("home/.local/share")
	id := site.IdentityOf
	root, err := site.MakeFor(data, id(acme), "shop")
	w.must(err)
	w.must(site.AddIdentities(root, []string{"no identity", id(template), id(acme), id(renamed)}))
	for url, want := range map[string][2]bool{
		acme: {true, true}, renamed: {true, true}, template: {false, true},
		"https://example.com/me/other": {false, false},
	} {
		w.repo("home/app")
		w.origin("home/app", url)
		for i, isEmpty := range []bool{false, true} {
			if got := len(w.matches("home/app", isEmpty)) > 0; got != want[i] {
				t.Errorf("%s, %v: %v", url, isEmpty, got)
			}
		}
	}
	many := make([]string, 200)
	for i := range many {
		many[i] = id("https://example.com/" + strings.Repeat("x", i+1))
	}
	w.must(site.AddIdentities(root, many))
	w.must(site.AddIdentities(root, many[100:]))
	if got := (&site.Site{Root: root}).Identities(); len(got) > 64 {
		t.Errorf("%d identities are kept", len(got))
	}
}

// A link passes the identity of a store that is left to the one that has none, so that other
// machines go on with it; that takes the place of one that is gone, and the one left leads on.
func TestLinkTakesOver(t *testing.T) {
	w := newWorld(t)
	w.clone("home/a", acme)
	w.clone("home/b", acme)
	w.clone("home/c", acme)
	a, b, c := w.wrote("home/a"), w.wrote("home/b"), w.wrote("home/c")
	w.must(os.RemoveAll(w.path("home/b")))
	s := w.find("home/a")
	left, err := s.Link(b.Root)
	w.must(err)
	if !slices.Equal(left, []string{a.Root}) || a.Identity() != "" || !a.IsLeft() ||
		b.Identity() != site.IdentityOf(acme) || b.IsLeft() {
		t.Errorf("%q, %q and %q", left, a.Identity(), b.Identity())
	}
	if of, err := site.RepositoryOf(b.Root); err != nil || of != w.path("home/a/.git") {
		t.Errorf("of %s, %v", of, err)
	}
	s = w.find("home/c")
	left, err = s.Link(a.Root) // whose repository uses another one
	w.must(err)
	if !slices.Equal(left, []string{c.Root}) || w.find("home/c").Project.Root != a.Root {
		t.Errorf("%q, %s", left, w.find("home/c").Project.Root)
	}
	s = w.find("home/a")
	_, err = s.Link(b.Root)
	w.must(err)
	if got := w.find("home/c").Project.Root; got != b.Root {
		t.Errorf("a link to a store that is left leads to %s", got)
	}
	for _, dir := range []string{"home/a", "home/c"} {
		for _, isEmpty := range []bool{false, true} {
			s := w.find(dir)
			list, err := s.Matches(func() bool { return isEmpty })
			if err != nil || len(list) != 1 || !list[0].Own || list[0].ID != b.ID() {
				t.Errorf("%s: %+v, %v", dir, list, err)
			}
		}
	}
}

// The configuration is read only where its time or size tells of a change.
func TestConfigIsReadOnceChanged(t *testing.T) {
	w := newWorld(t)
	w.clone("home/app", acme)
	one := w.wrote("home/app")
	path := w.path("home/app/.git/config")
	fi, err := os.Stat(path)
	w.must(err)
	text, err := os.ReadFile(path)
	w.must(err)
	record := func() string {
		one.CompleteRepository()
		text, err := os.ReadFile(filepath.Join(one.Root, site.RepositoryFile))
		w.must(err)
		return string(text)
	}
	before := record()
	put(t, path, strings.Replace(string(text), "acme/shop", "acme/shed", 1))
	w.must(os.Chtimes(path, fi.ModTime(), fi.ModTime()))
	if record() != before {
		t.Error("read without a sign of a change")
	}
	w.must(os.Chtimes(path, fi.ModTime(), fi.ModTime().Add(1)))
	if after := record(); !strings.Contains(after, "acme/shed") || one.Identity() !=
		site.IdentityOf(acme) || len(one.Identities()) != 2 {
		t.Errorf("%s", after)
	}
}

// What was found is remembered for the day, until a record changes; that it was shown, for the day.
func TestRemembered(t *testing.T) {
	w := newWorld(t)
	w.clone("home/app", acme)
	w.wrote("home/app")
	s := w.find("home/app")
	check := func(what, day, id string, shown, known bool) {
		t.Helper()
		if n, k := s.Remembered(day); k != known || n.Shown != shown || known && n.ID != id {
			t.Errorf("%s: %+v, %v", what, n, k)
		}
	}
	check("nothing yet", "2026-02-22", "", false, false)
	s.Remember("2026-02-22", site.Nearest{})
	check("nothing is left where there is no other store", "2026-02-22", "", false, false)
	w.clone("home/third", "https://example.com/third.git")
	w.wrote("home/third")
	s.Remember("2026-02-22", site.Nearest{})
	check("none", "2026-02-22", "", false, true)
	s.Remember("2026-02-22", site.Nearest{ID: "01234567", Fewer: true})
	check("fewer here", "2026-02-22", "01234567", false, true)
	if n, _ := s.Remembered("2026-02-22"); !n.Fewer {
		t.Error("each start would not show it")
	}
	s.Remember("2026-02-22", site.Nearest{ID: "01234567", Shown: true})
	check("shown", "2026-02-22", "01234567", true, true)
	check("the next day", "2026-02-23", "", false, false)
	w.clone("home/other", acme)
	w.wrote("home/other")
	check("another record", "2026-02-22", "", true, false)
}
