package site_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/test/testkit"
)

func TestGrantLookRevoke(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	root := d.store("a")
	if d.trusts(root) {
		t.Error("trusted without a word")
	}
	if _, err := os.Stat(d.dir + "/state"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a look has left something: %v", err)
	}
	g := d.grant(root)
	if g.Path != root || g.Since != stamp(0) || g.Whole ||
		!regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(g.ID) {
		t.Errorf("%+v", g)
	}
	d.reopen()
	if got, ok, err := d.Look(root); !ok || err != nil || got != g {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	if got := read(t, root+"/id"); got != g.ID+"\n" {
		t.Errorf("the id is %q", got)
	}
	want := `{"path":"` + root + `","id":"` + g.ID + `","since":"` + stamp(0).String() + `"}` + "\n"
	if got := read(t, d.record()); got != want {
		t.Errorf("the record is %s", got)
	}
	if got, err := d.Grant(root, stamp(1)); err != nil || got != g {
		t.Errorf("let in again: %+v, %v", got, err)
	}
	must(t, d.Learn(g, env(0)))
	if was, err := d.Revoke(root); !was || err != nil {
		t.Errorf("revoked: %v, %v", was, err)
	}
	if d.trusts(root) || len(d.lines()) != 0 {
		t.Errorf("still trusted, or known: %q", d.lines())
	}
	if was, err := d.Revoke(root); was || err != nil {
		t.Errorf("revoked again: %v, %v", was, err)
	}
	if again := d.grant(root); again.ID == g.ID {
		t.Error("the id of old counts again")
	}
}

// Whatever way leads to the store, its real path counts.
func TestPathsAreReal(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	root := d.store("a/b\nc \"牙\"")
	must(t, os.Symlink(filepath.Dir(root), d.dir+"/link"))
	d.grant(d.dir + "/link/.mem")
	for _, path := range []string{root, root + "/", d.dir + "/link/.mem",
		d.dir + "/a/../link/.mem/."} {
		if g, ok, err := d.Look(path); !ok || err != nil || g.Path != root {
			t.Errorf("%q: %+v, %v, %v", path, g, ok, err)
		}
	}
	must(t, os.Remove(d.dir+"/link"))
	must(t, os.Symlink(d.store("other"), d.dir+"/link"))
	if d.trusts(d.dir + "/link") {
		t.Error("a link is trusted for what it led to once")
	}
	bad := d.store("a\xff")
	if _, err := d.Grant(bad, stamp(0)); !errors.Is(err, site.ErrPath) || d.trusts(bad) {
		t.Errorf("a path that is not UTF-8: %v", err)
	}
	if _, err := d.Grant(d.dir+"/nowhere", stamp(0)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path of nothing: %v", err)
	}
	put(t, d.dir+"/file", "")
	if _, err := d.Grant(d.dir+"/file", stamp(0)); err == nil || d.trusts(d.dir+"/file") {
		t.Error("a file is let in")
	}
}

// A store is revoked by any path that leads to it, or did while it was there.
func TestRevokeThroughALink(t *testing.T) {
	t.Parallel()
	for _, gone := range []bool{false, true} {
		d := newDesk(t)
		root := d.store("a/b")
		d.grant(root)
		must(t, os.Symlink("a", d.dir+"/link"))
		if gone {
			must(t, os.RemoveAll(d.dir+"/a/b"))
		}
		if was, err := d.Revoke(d.dir + "/link/b/.mem/"); !was || err != nil {
			t.Errorf("gone %v: %v, %v", gone, was, err)
		}
		if list, err := d.List(); len(list) != 0 || err != nil {
			t.Errorf("gone %v: %+v, %v", gone, list, err)
		}
	}
}

// A store at another path, or another store at the path, is another store.
func TestCopiesAndMoves(t *testing.T) {
	t.Parallel()
	cp := testkit.Program(t, "cp")
	d := newDesk(t)
	root := d.store("a")
	g := d.grant(root)
	must(t, exec.Command(cp, "-a", d.dir+"/a", d.dir+"/copy").Run())
	if d.trusts(d.dir+"/copy/.mem") || !d.trusts(root) {
		t.Error("the copy is trusted, or the original is not")
	}
	if h := d.grant(d.dir + "/copy/.mem"); h.ID == g.ID || !d.trusts(root) {
		t.Error("the copy shares the id, or the original lost it")
	}
	must(t, os.Rename(d.dir+"/a", d.dir+"/moved"))
	if d.trusts(d.dir+"/moved/.mem") || d.trusts(root) {
		t.Error("a moved store is trusted")
	}
	must(t, d.Learn(g, env(0)))
	clone := d.store("a")
	for _, id := range []string{"", "\n", strings.Repeat("0", 32) + "\n", g.ID, g.ID + "\n\n",
		strings.ToUpper(g.ID) + "\n", g.ID + "\r\n", g.ID + strings.Repeat("\n", 5000)} {
		put(t, clone+"/id", id)
		if d.trusts(clone) {
			t.Errorf("a clone with the id %.40q is trusted", id)
		}
	}
	if h := d.grant(clone); h.ID == g.ID || len(d.knows(h, 9)) != 0 {
		t.Errorf("a clone inherits: %+v", h)
	}
	if got := d.lines(); len(got) != 0 {
		t.Errorf("lines of nobody: %q", got)
	}
}

func TestMemTrust(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	project, mem, other := d.store("project"), d.store("mem"), d.store("other")
	below := d.store("project/below")
	recorded := d.grant(project)
	must(t, os.Symlink("project", d.dir+"/link"))
	d.env["MEM_TRUST"] = strings.Join([]string{"", ".", "other", d.dir + "/nowhere",
		d.dir + "/link/", mem}, string(filepath.ListSeparator))
	d.reopen()
	for root, want := range map[string]bool{
		project: true, d.dir + "/link/.mem": true, mem: true, other: false, below: false,
		filepath.Dir(mem): false,
	} {
		if g, ok, err := d.Look(root); ok != want || err != nil || g.Whole != want {
			t.Errorf("%s: %+v, %v, %v", root, g, ok, err)
		}
	}
	for root, id := range map[string]string{project: recorded.ID, mem: ""} {
		g, _, err := d.Look(root)
		must(t, err)
		if g.ID != id || g.Path != root {
			t.Errorf("%+v", g)
		}
		must(t, d.Learn(g, env(1)))
		if got := d.knows(g, 3); len(got) != 3 {
			t.Errorf("%s: only %d lines are told", root, got)
		}
	}
	if got := d.knows(recorded, 3); len(got) != 1 {
		t.Errorf("without the variable: %d", got)
	}
	if g, err := d.Grant(mem, stamp(0)); err != nil || g.ID == "" || !g.Whole {
		t.Errorf("a record beside the variable: %+v, %v", g, err)
	}
	if was, err := d.Revoke(mem); !was || err != nil || !d.trusts(mem) {
		t.Errorf("the variable stays: %v, %v", was, err)
	}
}

// What is not absolute would let in whatever one walks into.
func TestMemTrustIsAbsolute(t *testing.T) {
	d := newDesk(t)
	root := d.store("a")
	t.Chdir(d.dir + "/a")
	for _, list := range []string{".", ".mem", "", ":", "./:.mem/"} {
		d.env["MEM_TRUST"] = list
		if d.reopen(); d.trusts(root) {
			t.Errorf("%q lets in where one is", list)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if list, err := d.List(); len(list) != 0 || err != nil {
		t.Errorf("%+v, %v", list, err)
	}
	grants := map[string]site.Grant{}
	want := map[string]error{"fine": nil, "gone": site.ErrGone, "linked": site.ErrGone,
		"no id": site.ErrID, "other": site.ErrID}
	for name := range want {
		grants[name] = d.grant(d.store(name))
	}
	must(t, os.RemoveAll(d.dir+"/gone"))
	must(t, os.Rename(d.dir+"/linked", d.dir+"/real"))
	must(t, os.Symlink("real", d.dir+"/linked"))
	must(t, os.Remove(d.dir+"/no id/.mem/id"))
	put(t, d.dir+"/other/.mem/id", strings.Repeat("a", 32)+"\n")
	put(t, d.dir+"/state/mem/trust/"+strings.Repeat("0", 32)+".json", "{}")
	put(t, d.dir+"/state/mem/trust/.tmp-0123456789abcdef", "{")
	list, err := d.List()
	if err != nil || len(list) != len(want)+1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if e := list[0]; !errors.Is(e.Err, site.ErrRecord) || e.Path != "" || e.Record == "" {
		t.Errorf("the damaged one: %+v", e)
	}
	for _, e := range list[1:] {
		name := filepath.Base(filepath.Dir(e.Path))
		g := grants[name]
		if e.Path != g.Path || e.ID != g.ID || e.Since != g.Since || !errors.Is(e.Err, want[name]) {
			t.Errorf("%s: %+v", name, e)
		}
		if was, err := d.Revoke(e.Path); !was || err != nil {
			t.Errorf("%s is not revoked: %v, %v", name, was, err)
		}
	}
	if list, err := d.List(); len(list) != 1 || err != nil {
		t.Errorf("left: %+v, %v", list, err)
	}
}

func TestWhereTheBookIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ state, home, want string }{
		{"/s", "/home", "/s/mem"},
		{"", "/home", "/home/.local/state/mem"},
		{"relative", "/home", "/home/.local/state/mem"},
		{"relative", "home", ""},
		{"", "", ""},
	} {
		dir := t.TempDir()
		in := func(path string) string {
			if filepath.IsAbs(path) {
				return dir + path
			}
			return path
		}
		b := site.OpenBook(func(name string) string {
			return map[string]string{"XDG_STATE_HOME": in(c.state)}[name]
		}, in(c.home))
		root := dir + "/a/.mem"
		must(t, os.MkdirAll(root, 0o700))
		_, err := b.Grant(root, stamp(0))
		_, statErr := os.Stat(in(c.want) + "/trust")
		if c.want != "" && (err != nil || statErr != nil) ||
			c.want == "" && !errors.Is(err, site.ErrNoState) {
			t.Errorf("%+v: %v, %v", c, err, statErr)
		}
		_, ok, err := b.Look(root)
		was, revokeErr := b.Revoke(root)
		if want := c.want != ""; ok != want || was != want || err != nil || revokeErr != nil {
			t.Errorf("%+v: %v, %v, %v, %v", c, ok, was, err, revokeErr)
		}
		if list, err := b.List(); len(list) != 0 || err != nil {
			t.Errorf("%+v: %+v, %v", c, list, err)
		}
	}
}
