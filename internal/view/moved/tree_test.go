package moved_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/site"
	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
	"github.com/set-memory/mem/internal/view/moved"
)

// folder returns a project with some files, and its tree.
func folder(t *testing.T) (string, moved.Tree) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "web/a.ts", "a\nb\n")
	write(t, dir, "web/b.ts", "b")
	write(t, dir, "large", strings.Repeat("x", moved.MaxFile+1))
	one := &site.Site{Layer: site.Project, Root: filepath.Join(dir, ".mem"), Dot: true}
	return dir, moved.NewTree(&site.Sites{Project: one}, one, dir)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRecord(t *testing.T) {
	dir, tree := folder(t)
	if err := os.Symlink("a.ts", filepath.Join(dir, "web", "link.ts")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, name, path string
		sum              bool
	}{
		{"", "web/a.ts", "web/a.ts", true}, {"web", "a.ts", "web/a.ts", true},
		{"web", "../large", "large", false}, {"", dir + "/web/b.ts", "web/b.ts", true},
		{"", "./web/", "web/", false}, {"", "web/**/*.ts", "web/**/*.ts", false},
		{"", "web/new.ts", "web/new.ts", false}, {"", "web/link.ts", "web/link.ts", false},
		{"", "/etc/hosts", "/etc/hosts", false}, {"", "web/../../x", "", false},
		{"", "", "", false}, {"", "a\x00", "", false}, {"", "a\nb", "", false},
		{"", strings.Repeat("x", 301), "", false}, {"", "\xff", "", false},
	} {
		files, err := tree.Record(filepath.Join(dir, c.from), []string{c.name})
		if c.path == "" {
			if !errors.Is(err, mem.ErrInput) {
				t.Errorf("%q: %v, %v", c.name, files, err)
			}
			continue
		}
		if err != nil || files[0].Path != c.path || (files[0].Sum != "") != c.sum {
			t.Errorf("%q: %+v, %v", c.name, files, err)
		}
	}
	if _, err := tree.Record(dir, make([]string, 5)); !errors.Is(err, mem.ErrInput) {
		t.Errorf("five files: %v", err)
	}
	files, err := moved.Tree{}.Record("", []string{"web/a.ts"})
	if err != nil || files[0] != (content.File{Path: "web/a.ts"}) {
		t.Errorf("without a directory: %+v, %v", files, err)
	}
}

func TestRemark(t *testing.T) {
	dir, tree := folder(t)
	files, err := tree.Record(dir, []string{"web/a.ts"})
	if err != nil {
		t.Fatal(err)
	}
	path, later := filepath.Join(dir, "web", "a.ts"), time.Now().Add(time.Hour)
	for _, step := range []struct {
		name   string
		change func() error
		want   string
	}{
		{"nothing", func() error { return nil }, ""},
		{"touched", func() error { return os.Chtimes(path, later, later) }, ""},
		{"line ends", func() error { return os.WriteFile(path, []byte("a\r\nb\r"), 0o644) }, ""},
		{"another text", func() error { return os.WriteFile(path, []byte("a\nc\n"), 0o644) },
			moved.Changed},
		{"grown", func() error { return os.Truncate(path, moved.MaxFile+1) }, moved.Changed},
		{"unreadable", func() error {
			return errors.Join(os.WriteFile(path, []byte("a\nb\n"), 0o644), os.Chmod(path, 0))
		}, ""},
		{"removed", func() error { return os.Remove(path) }, moved.Gone},
		{"a link out", func() error { return os.Symlink("/etc/hostname", path) }, moved.Changed},
		{"a folder", func() error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
		}, moved.Changed},
		{"no project", func() error { return os.Rename(dir, dir+"-gone") }, ""},
	} {
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		if got := tree.Remark(site.Project, files); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
	}
}

// A memory cannot make a reader look outside of the project: what it names there is no change.
func TestRemarkStaysInside(t *testing.T) {
	dir, tree := folder(t)
	secret := t.TempDir()
	write(t, secret, "key", "x")
	if err := os.Symlink(secret, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../" + filepath.Base(secret) + "/key", secret + "/key",
		"out/key", "/etc/passwd", "..", "", "web/\x00"} {
		f := content.File{Path: path, Size: 9, Sum: strings.Repeat("0", 64)}
		if got := tree.Remark(site.Project, []content.File{f}); got != "" {
			t.Errorf("%q: %q", path, got)
		}
	}
}

// Only an absolute path can name a file outside of the project.
func TestIsOutside(t *testing.T) {
	dir, tree := folder(t)
	for name, want := range map[string]bool{
		"/etc/passwd": true, filepath.Join(dir, "a.go"): false, "a.go": false,
		filepath.Join(dir, "..", "b.go"): true,
	} {
		if got := tree.IsOutside(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if (moved.Tree{}).IsOutside("/etc/passwd") {
		t.Error("outside of no project")
	}
}
