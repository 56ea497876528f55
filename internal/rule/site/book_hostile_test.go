//go:build unix

package site_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/test/testkit"
)

// What can stand in the place of an id, each leading to the right digits. elsewhere has them.
var plants = map[string]func(path, elsewhere string) error{
	"link":          func(path, elsewhere string) error { return os.Symlink(elsewhere, path) },
	"dangling link": func(path, _ string) error { return os.Symlink("nothing", path) },
	"fifo":          func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
	"directory":     func(path, _ string) error { return os.Mkdir(path, 0o700) },
	"device":        func(path, _ string) error { return os.Symlink("/dev/zero", path) },
}

func TestHostileID(t *testing.T) {
	t.Parallel()
	for name, plant := range plants {
		d := newDesk(t)
		root := d.store("a")
		g := d.grant(root)
		elsewhere := d.dir + "/elsewhere"
		must(t, os.Rename(root+"/id", elsewhere))
		must(t, plant(root+"/id", elsewhere))
		if d.trusts(root) {
			t.Errorf("%s: trusted", name)
		}
		list, err := d.List()
		if err != nil || len(list) != 1 || !errors.Is(list[0].Err, site.ErrID) {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		h, err := d.Grant(root, stamp(1))
		if got := read(t, elsewhere); got != g.ID+"\n" {
			t.Errorf("%s: Grant has written elsewhere: %q", name, got)
		}
		if name == "directory" {
			if !errors.Is(err, disk.ErrIrregular) || !strings.Contains(err.Error(), root+"/id") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || h.ID == g.ID || !d.trusts(root) {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}

// The id may be a hard link, as backups make them; it is replaced, and never written through.
func TestHardLinkedID(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	root, other := d.store("a"), d.store("b")
	g := d.grant(root)
	must(t, os.Link(root+"/id", other+"/id"))
	if !d.trusts(root) || d.trusts(other) {
		t.Error("the link is trusted, or takes the trust away")
	}
	if h := d.grant(other); h.ID == g.ID || !d.trusts(root) || read(t, root+"/id") != g.ID+"\n" {
		t.Error("the id was written through the link")
	}
}

func TestModes(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	d := newDesk(t)
	root := d.store("a")
	must(t, d.Learn(d.grant(root), env(0)))
	must(t, filepath.WalkDir(d.dir+"/state", func(path string, e fs.DirEntry, err error) error {
		must(t, err)
		fi, err := e.Info()
		must(t, err)
		want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[e.IsDir()]
		if fi.Mode().Perm() != want {
			t.Errorf("%s: %v", path, fi.Mode())
		}
		return nil
	}))
	if fi, err := os.Stat(root + "/id"); err != nil || fi.Mode() != 0o600 {
		t.Errorf("%v, %v", fi, err)
	}
}

// A record lets nothing in that is damaged, of another path, or another's.
func TestBadRecords(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	root, other := d.store("a"), d.store("b")
	g := d.grant(root)
	record := d.record()
	good := read(t, record)
	for name, text := range map[string]string{
		"empty":        "",
		"cut":          good[:len(good)/2],
		"no JSON":      "{}{}",
		"other path":   strings.Replace(good, root, other, 1),
		"no path":      strings.Replace(good, "path", "p", 1),
		"no id":        strings.Replace(good, g.ID, "", 1),
		"id of a path": strings.Replace(good, g.ID, "../../../../../../etc/passwd0000", 1),
		"no time":      strings.Replace(good, "2026", "then", 1),
		"large":        good + strings.Repeat(" ", 1<<20),
	} {
		put(t, record, text)
		list, err := d.List()
		if d.trusts(root) || err != nil || len(list) != 1 ||
			!errors.Is(list[0].Err, site.ErrRecord) {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
	must(t, os.Remove(record))
	elsewhere := d.dir + "/elsewhere"
	put(t, elsewhere, good)
	for name, plant := range plants {
		must(t, plant(record, elsewhere))
		list, err := d.List()
		if d.trusts(root) || err != nil || len(list) != 1 || list[0].Err == nil {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		must(t, os.Remove(record))
	}
	put(t, record, good)
	put(t, filepath.Dir(record)+"/"+strings.Repeat("0", 32)+".json", good)
	if !d.trusts(root) || d.trusts(other) {
		t.Error("the good record does not count, or its copy does")
	}
}

func TestForeignFiles(t *testing.T) {
	t.Parallel()
	testkit.Need(t, os.Geteuid() == 0, "only root can give files away")
	d := newDesk(t)
	root := d.store("a")
	g := d.grant(root)
	must(t, d.Learn(g, env(0)))
	lines := d.dir + "/state/mem/lines/" + g.ID
	must(t, os.Chown(lines, 4711, 4711))
	if _, err := d.Lines(g); !errors.Is(err, site.ErrForeign) {
		t.Errorf("another's lines: %v", err)
	}
	if err := d.Learn(g, env(1)); !errors.Is(err, site.ErrForeign) {
		t.Errorf("another's lines: %v", err)
	}
	must(t, os.Chown(d.record(), 4711, 4711))
	list, err := d.List()
	if d.trusts(root) || err != nil || len(list) != 1 || !errors.Is(list[0].Err, site.ErrForeign) {
		t.Errorf("another's record: %+v, %v", list, err)
	}
	if h := d.grant(root); h.ID == g.ID || !d.trusts(root) {
		t.Error("another's record cannot be replaced")
	}
}

// Where nothing can be read or written, nothing is trusted, and only who wants to hears why.
func TestStateThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(path string) error{
		"file":          func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"dangling link": func(path string) error { return os.Symlink("nowhere/at/all", path) },
		"link to itself": func(path string) error {
			return os.Symlink(filepath.Base(path), path)
		},
	} {
		d := newDesk(t)
		root := d.store("a")
		must(t, plant(d.dir+"/state"))
		if d.trusts(root) {
			t.Errorf("%s: trusted", name)
		}
		_, err := d.Grant(root, stamp(0))
		if err == nil || !strings.Contains(err.Error(), d.dir+"/state") || d.trusts(root) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d := newDesk(t)
	must(t, os.MkdirAll(d.dir+"/real", 0o700))
	must(t, os.Symlink("real", d.dir+"/state"))
	if d.grant(d.store("a")); !d.trusts(d.dir + "/a/.mem") {
		t.Error("a state directory that is a link")
	}
}
