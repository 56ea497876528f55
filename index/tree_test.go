package index

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func newTree(t *testing.T, durable bool) (*Tree, string) {
	t.Helper()
	root := t.TempDir()
	dir, err := disk.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Open(dir, durable)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close(); dir.Close() })
	return tree, root
}

func line(key, content string) []byte {
	return log.Envelope{Key: keypath.MustParse(key), TS: 1, Source: []byte(`"s"`),
		Content: []byte(content)}.Line()
}

func put(t *testing.T, tree *Tree, key, content string) {
	t.Helper()
	if err := tree.Put(keypath.MustParse(key), line(key, content)); err != nil {
		t.Fatal(err)
	}
}

func TestPutGetRemove(t *testing.T) {
	for _, durable := range []bool{false, true} {
		tree, root := newTree(t, durable)
		keys := []string{"/a", "/a/b", "/a/b/c", "/User", "/user", "/用户/日程/牙科",
			"/x/" + strings.Repeat("长", 100)}
		for _, key := range keys {
			put(t, tree, key, `{"n":1.0}`)
			put(t, tree, key, `{"n":2.0}`)
		}
		for _, key := range keys {
			rec, err := tree.Get(keypath.MustParse(key))
			if err != nil || string(rec.Line) != string(line(key, `{"n":2.0}`)) {
				t.Errorf("%s: %s, %v", key, rec.Line, err)
			}
		}
		for _, key := range keys {
			for range 2 {
				if err := tree.Remove(keypath.MustParse(key)); err != nil {
					t.Errorf("remove %s: %v", key, err)
				}
			}
			if _, err := tree.Get(keypath.MustParse(key)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s after its removal: %v", key, err)
			}
		}
		if left, _ := os.ReadDir(filepath.Join(root, DirName)); len(left) > 0 {
			t.Errorf("directories left behind: %v", left)
		}
	}
}

func TestModes(t *testing.T) {
	tree, root := newTree(t, false)
	put(t, tree, "/a/b", "1")
	for name, want := range map[string]fs.FileMode{"index": 0o700, "index/a": 0o700,
		"index/a/b@662b7b.json": 0o600} {
		fi, err := os.Stat(filepath.Join(root, name))
		if err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, fi.Mode(), err)
		}
	}
}

func TestGetToldApart(t *testing.T) {
	tree, root := newTree(t, false)
	put(t, tree, "/a", `"value"`)
	path := tree.Path(keypath.MustParse("/a"))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := string(line("/other", "1"))
	for _, c := range []struct {
		text string
		want error
	}{
		{strings.Replace(string(good), "value", "valve", 1), ErrEdited},
		{"hello", ErrForeign},
		{"", ErrForeign},
		{`{"key":"/a"}`, ErrForeign},
		{other, ErrForeign},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := tree.Get(keypath.MustParse("/a")); !errors.Is(err, c.want) {
			t.Errorf("%.20q: %v, want %v", c.text, err, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(root, DirName)); err != nil {
		t.Error(err)
	}
}

// Links inside and out of the root, in every place of a path: nothing is written or read through
// them.
func TestPlantedLinks(t *testing.T) {
	outside := t.TempDir()
	for name, plant := range map[string]func(root string) error{
		"a directory out of the root": func(root string) error {
			return os.Symlink(outside, filepath.Join(root, "index", "user"))
		},
		"a directory inside the root": func(root string) error {
			return os.Symlink("../inside", filepath.Join(root, "index", "user"))
		},
		"a file in place of a folder": func(root string) error {
			return os.WriteFile(filepath.Join(root, "index", "user"), nil, 0o600)
		},
		"a dangling link": func(root string) error {
			return os.Symlink("nowhere", filepath.Join(root, "index", "user"))
		},
		"the tree itself is a link": func(root string) error {
			os.Remove(filepath.Join(root, "index"))
			return os.Symlink(outside, filepath.Join(root, "index"))
		},
	} {
		tree, root := newTree(t, false)
		if err := os.MkdirAll(filepath.Join(root, "index"), 0o700); err != nil {
			t.Fatal(err)
		}
		os.Mkdir(filepath.Join(root, "inside"), 0o700)
		if err := plant(root); err != nil {
			t.Fatal(err)
		}
		err := tree.Put(keypath.MustParse("/user/x"), line("/user/x", "1"))
		if !errors.Is(err, disk.ErrIrregular) {
			t.Errorf("%s: put: %v", name, err)
		}
		for _, dir := range []string{outside, filepath.Join(root, "inside")} {
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%s: written into %s: %v", name, dir, left)
			}
		}
	}
}

func TestAPlantedLinkAtTheFileItselfIsReplaced(t *testing.T) {
	tree, root := newTree(t, false)
	put(t, tree, "/user/y", "1")
	victim := filepath.Join(root, "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, tree.Path(keypath.MustParse("/user/x"))); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Get(keypath.MustParse("/user/x")); !errors.Is(err, disk.ErrIrregular) {
		t.Errorf("get through a link: %v", err)
	}
	put(t, tree, "/user/x", "2")
	if data, _ := os.ReadFile(victim); string(data) != "precious" {
		t.Errorf("the link's target now holds %q", data)
	}
}

func TestWalkTellsKinds(t *testing.T) {
	tree, root := newTree(t, false)
	put(t, tree, "/a/b", "1")
	put(t, tree, "/c", "1")
	at := func(name string) string { return filepath.Join(root, "index", name) }
	for _, err := range []error{
		os.WriteFile(at(".tmp-0123456789abcdef"), nil, 0o600),
		os.WriteFile(at("notes.txt"), nil, 0o600),
		os.Symlink("/etc", at("link")), os.Mkdir(at("empty"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]Kind{}
	for e, err := range tree.Walk() {
		if err != nil {
			t.Fatal(err)
		}
		got[e.Path] = e.Kind
	}
	want := map[string]Kind{
		"a/b@662b7b.json": KindFile, string(keypath.MustParse("/c").Path()): KindFile,
		".tmp-0123456789abcdef": KindTemp,
		"notes.txt":             KindForeign, "link": KindIrregular, "empty": KindEmptyDir,
	}
	for name, kind := range want {
		if k, ok := got[name]; !ok || k != kind {
			t.Errorf("%s: kind %d, want %d", name, k, kind)
		}
	}
	if len(got) != len(want) {
		t.Errorf("walked %v", got)
	}
}

// A removal costs the same however many files stand beside the one that goes: no directory is
// listed, and empty ones go all the same.
func TestRemoveListsNoDirectory(t *testing.T) {
	for _, durable := range []bool{false, true} {
		tree, root := newTree(t, durable)
		for _, key := range []string{"/a/b/c/1", "/a/b/c/2", "/a/x", "/other"} {
			put(t, tree, key, "1")
		}
		remove := func(key string) {
			t.Helper()
			disk.SetHook(func(op disk.Op, path string) error {
				if op == disk.OpRead {
					t.Errorf("removing %s reads %s", key, path)
				}
				return nil
			})
			defer disk.SetHook(nil)
			if err := tree.Remove(keypath.MustParse(key)); err != nil {
				t.Fatal(err)
			}
		}
		exists := func(dir string, want bool) {
			t.Helper()
			_, err := os.Stat(filepath.Join(root, DirName, dir))
			if (err == nil) != want {
				t.Errorf("%s: %v", dir, err)
			}
		}
		remove("/a/b/c/1")
		exists("a/b/c", true)
		remove("/a/b/c/2")
		exists("a/b", false)
		exists("a", true)
		remove("/a/x")
		exists("a", false)
		exists(".", true)
	}
}
