package mem_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/testkit"
)

// locateIn returns where the root is for a directory, with a home directory and nothing else in the
// environment but sudo's variable.
func locateIn(t *testing.T, home, dir, sudo string) mem.Location {
	t.Helper()
	t.Setenv("HOME", home)
	at, err := mem.Locate("", dir, func(name string) string {
		return map[string]string{"SUDO_UID": sudo}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// makeDirs makes directories below a base.
func makeDirs(t *testing.T, base string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(base, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// The search looks in the home directory, and never above it; outside of it, up to the root.
func TestLocateEndsAtHome(t *testing.T) {
	base := t.TempDir()
	makeDirs(t, base, ".mem", "home/a/b/.mem", "home/a/c", "home2/.mem", "home2/a", "other/x")
	if err := os.Symlink("home", filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ home, dir, want string }{
		{"home", "home/a/b", "home/a/b/.mem"},
		{"home", "home/a/c", "home/.local/share/mem"},
		{"home", "home", "home/.local/share/mem"},
		{"link", "home/a/c", "link/.local/share/mem"},
		{"home", "link/a/c", "home/.local/share/mem"},
		{"home2", "home2/a", "home2/.mem"},
		{"home", "other/x", ".mem"},
		{"home", "other/gone/away", ".mem"},
	} {
		at := locateIn(t, filepath.Join(base, c.home), filepath.Join(base, c.dir), "")
		if at.Root != filepath.Join(base, c.want) || at.Ignored != "" {
			t.Errorf("at home in %s, from %s: %+v", c.home, c.dir, at)
		}
	}
}

// A .mem that somebody else may have put there is passed over, and named.
func TestLocateIgnoresWhatIsNotTheUsers(t *testing.T) {
	base := t.TempDir()
	makeDirs(t, base, "home", "mine/.mem", "mine/linked/sub", "mine/file")
	home, linked := filepath.Join(base, "home"), filepath.Join(base, "mine/linked")
	if err := os.Symlink("../.mem", linked+"/.mem"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(base+"/mine/file/.mem", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := mem.Location{Root: base + "/mine/.mem", Ignored: linked + "/.mem",
		Why: "it is a symbolic link"}
	if at := locateIn(t, home, linked+"/sub", ""); at != want {
		t.Errorf("a link: %+v", at)
	}
	if at := locateIn(t, home, base+"/mine/file", ""); at.Root != want.Root || at.Ignored != "" {
		t.Errorf("a file: %+v", at)
	}
}

func TestLocateIgnoresAnotherUser(t *testing.T) {
	testkit.Need(t, os.Geteuid() == 0, "root")
	base := t.TempDir()
	makeDirs(t, base, "home", "theirs/.mem", "theirs/project")
	if err := os.Chown(base+"/theirs/.mem", 65534, 65534); err != nil {
		t.Fatal(err)
	}
	home, dir := filepath.Join(base, "home"), base+"/theirs/project"
	at := locateIn(t, home, dir, "")
	want := mem.Location{Root: home + "/.local/share/mem", Ignored: base + "/theirs/.mem",
		Why: "it belongs to another user, of uid 65534"}
	if at != want {
		t.Errorf("%+v", at)
	}
	// Under sudo the user who called it is believed.
	if at := locateIn(t, home, dir, "65534"); at.Root != base+"/theirs/.mem" || at.Ignored != "" {
		t.Errorf("under sudo: %+v", at)
	}
}

// Nothing above the border of the file system is looked at.
func TestLocateEndsAtTheFileSystem(t *testing.T) {
	base := t.TempDir()
	makeDirs(t, base, "home", "above/.mem", "above/mount")
	mount := base + "/above/mount"
	err := syscall.Mount("mem-test", mount, "tmpfs", 0, "size=64k")
	testkit.Need(t, err == nil, "mounts")
	defer syscall.Unmount(mount, syscall.MNT_DETACH)
	at := locateIn(t, base+"/home", mount, "")
	if at.Root != base+"/home/.local/share/mem" {
		t.Errorf("%+v", at)
	}
}
