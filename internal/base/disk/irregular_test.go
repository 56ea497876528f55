//go:build unix

package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
)

// plants are what can stand in the place of a file. Beside them are the file "kept" and the
// directory "dir" inside the root, and the file "outside" and the directory "away" next to it.
var plants = map[string]func(path string) error{
	"link inside": func(path string) error { return os.Symlink("kept", path) },
	"link outside": func(path string) error {
		return os.Symlink("../outside", path)
	},
	"absolute link": func(path string) error {
		return os.Symlink("/etc/passwd", path)
	},
	"dangling link": func(path string) error { return os.Symlink("nothing", path) },
	"dangling link outside": func(path string) error {
		return os.Symlink("../nothing", path)
	},
	"link to itself":              func(path string) error { return os.Symlink("x", path) },
	"link to a directory":         func(path string) error { return os.Symlink("dir", path) },
	"link to a directory outside": func(path string) error { return os.Symlink("../away", path) },
	"link to a device":            func(path string) error { return os.Symlink("/dev/zero", path) },
	"fifo":                        func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"directory":                   func(path string) error { return os.Mkdir(path, 0o700) },
}

// planted returns a root in which something irregular has the name x.
func planted(t *testing.T, plant func(string) error) (around, root *disk.Dir) {
	t.Helper()
	around = openDir(t)
	for _, dir := range []string{"root", "root/dir", "away"} {
		must(t, around.Mkdir(dir))
	}
	for _, file := range []string{"root/kept", "root/dir/file", "outside", "away/file"} {
		put(t, around, file, "kept")
	}
	must(t, plant(around.Join("root/x")))
	root, err := disk.Open(around.Join("root"))
	must(t, err)
	t.Cleanup(func() { root.Close() })
	return around, root
}

func untouched(t *testing.T, around *disk.Dir) {
	t.Helper()
	for _, file := range []string{"root/kept", "root/dir/file", "outside", "away/file"} {
		expect(t, around, file, "kept")
	}
	expectNames(t, around, "away", "outside", "root")
	if got := names(t, around.Join("away")); !slices.Equal(got, []string{"file"}) {
		t.Errorf("away has %q", got)
	}
}

func TestIrregularFilesAreNotOpened(t *testing.T) {
	t.Parallel()
	for kind, plant := range plants {
		around, d := planted(t, plant)
		_, openErr := d.Open("x")
		_, editErr := d.Edit("x")
		_, appendErr := d.Append("x")
		_, readErr := d.ReadFile("x", 100)
		_, _, mapErr := d.Map("x")
		for call, err := range map[string]error{"Open": openErr, "Edit": editErr,
			"Append": appendErr, "ReadFile": readErr, "Map": mapErr} {
			if !errors.Is(err, disk.ErrIrregular) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s, %s: %v", call, kind, err)
			}
		}
		if kind != "directory" {
			_, listErr := d.ReadDir("x")
			_, subErr := d.Sub("x", true)
			_, deepErr := d.Sub("x/deep", true)
			for call, err := range map[string]error{"ReadDir": listErr, "Sub": subErr,
				"Sub below": deepErr, "Mkdir": d.Mkdir("x")} {
				if !errors.Is(err, disk.ErrIrregular) {
					t.Errorf("%s, %s: %v", call, kind, err)
				}
			}
		}
		untouched(t, around)
	}
}

// A name is replaced or removed, never what it leads to.
func TestIrregularFilesAreReplacedThemselves(t *testing.T) {
	t.Parallel()
	for kind, plant := range plants {
		if kind == "directory" {
			continue
		}
		for call, change := range map[string]func(*disk.Dir) error{
			"WriteFile":     func(d *disk.Dir) error { return d.WriteFile("x", []byte("new")) },
			"WriteFileSync": func(d *disk.Dir) error { return d.WriteFileSync("x", text("new")) },
			"Rename": func(d *disk.Dir) error {
				put(t, d, "y", "new")
				return d.Rename("y", "x")
			},
			"Remove": func(d *disk.Dir) error {
				defer put(t, d, "x", "new")
				return d.Remove("x")
			},
		} {
			around, d := planted(t, plant)
			if err := change(d); err != nil {
				t.Errorf("%s, %s: %v", call, kind, err)
			}
			untouched(t, around)
			expect(t, d, "x", "new")
			expectNames(t, d, "dir", "kept", "x")
		}
	}
}

func TestNothingBelowALinkThatLeadsOutside(t *testing.T) {
	t.Parallel()
	around, d := planted(t, plants["link to a directory outside"])
	_, openErr := d.Open("x/file")
	_, editErr := d.Edit("x/new")
	_, statErr := d.Lstat("x/file")
	_, listErr := d.ReadDir("x/.")
	for call, err := range map[string]error{
		"Open": openErr, "Edit": editErr, "Lstat": statErr, "ReadDir": listErr,
		"WriteFile": d.WriteFile("x/new", nil), "Remove": d.Remove("x/file"),
		"Rename": d.Rename("kept", "x/file"), "Rename from": d.Rename("x/file", "y"),
		"Mkdir": d.Mkdir("x/new"), "Chmod": d.Chmod("x/file", 0),
	} {
		if err == nil {
			t.Errorf("%s went outside", call)
		}
	}
	untouched(t, around)
}

func TestModesWhateverTheUmask(t *testing.T) {
	for _, umask := range []int{0, 0o022, 0o077} {
		old := syscall.Umask(umask)
		t.Cleanup(func() { syscall.Umask(old) })
		top := openDir(t)
		d, err := disk.Create(top.Join("a/b"))
		must(t, err)
		defer d.Close()
		f, err := d.Edit("edited")
		must(t, err)
		defer f.Close()
		g, err := d.Append("appended")
		must(t, err)
		defer g.Close()
		must(t, d.WriteFile("put", nil))
		must(t, d.WriteFileSync("replaced", text("xy")))
		must(t, d.Mkdir("made"))
		sub, err := d.Sub("sub/deep", true)
		must(t, err)
		defer sub.Close()
		syscall.Umask(old)
		want := map[string]fs.FileMode{"": disk.DirMode, "made": disk.DirMode, "sub": disk.DirMode,
			"sub/deep": disk.DirMode}
		for _, file := range []string{"edited", "appended", "put", "replaced"} {
			want[file] = disk.FileMode
		}
		for name, mode := range want {
			if fi, err := os.Lstat(d.Join(name)); err != nil || fi.Mode().Perm() != mode {
				t.Errorf("umask %03o, %q: %v, %v", umask, name, fi.Mode(), err)
			}
		}
		must(t, d.Chmod("put", 0o640))
		if fi, err := d.Lstat("put"); err != nil || fi.Mode() != 0o640 {
			t.Errorf("%v, %v", fi.Mode(), err)
		}
	}
}
