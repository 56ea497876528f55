package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The file behind a link is changed, and the link stays: relative, in a chain, or to a file that
// does not exist yet.
func TestLinksAreFollowed(t *testing.T) {
	const first, second, target = ".gemini/settings.json", "dot/link.json", "dot/real.json"
	for _, exists := range []bool{true, false} {
		f := newFixture(t)
		r := f.request("gemini", User)
		if exists {
			write(t, filepath.Join(f.home, target), "{}\n")
		}
		write(t, f.home+"/dot/x", "")
		os.MkdirAll(f.home+"/.gemini", 0o700)
		os.Symlink("../dot/link.json", filepath.Join(f.home, first))
		os.Symlink("real.json", filepath.Join(f.home, second))
		f.install(r)
		got := f.snapshot()
		if got[first] != "-> ../dot/link.json" || got[second] != "-> real.json" ||
			!strings.Contains(got[target], "mem hook gemini") {
			t.Errorf("%q", got)
		}
		f.uninstall(r)
		got = f.snapshot()
		if got[first] != "-> ../dot/link.json" ||
			exists != strings.HasPrefix(got[target], "{}\n-") || !exists && got[target] != "" {
			t.Errorf("%q", got)
		}
	}
	f := newFixture(t)
	os.MkdirAll(f.home+"/.gemini", 0o700)
	os.Symlink("settings.json", f.home+"/.gemini/settings.json")
	if err := apply(Install, f.request("gemini", User)); err == nil {
		t.Error("a link to itself is edited")
	}
}

func TestModeStays(t *testing.T) {
	f := newFixture(t)
	name := f.home + "/.claude/settings.json"
	write(t, name, "{}")
	os.Chmod(name, 0o640)
	f.install(f.request("claude-code", User))
	for _, path := range []string{name, name + BackupSuffix} {
		if fi, err := os.Stat(path); err != nil || fi.Mode() != 0o640 {
			t.Errorf("%s: %v, %v", path, err, fi)
		}
	}
}

// What a killed setup has left is removed by the next one: nothing of anybody else's.
func TestTemporaryFilesOfAKilledSetup(t *testing.T) {
	f := newFixture(t)
	r := f.request("codex", Project)
	f.install(r)
	state := filepath.Join(f.home, ".local", "state", "mem", "setup")
	left := []string{f.home + "/project/.codex/.mem-setup-0123456789abcdef",
		f.home + "/project/.mem-setup-fedcba9876543210", state + "/.mem-setup-0000000000000000"}
	kept := []string{f.home + "/project/.mem-setup-notes",
		f.home + "/project/.codex/mem-setup-0123456789abcdef"}
	for _, plan := range []func(Request) ([]Change, error){Install, Uninstall} {
		for _, name := range append(left, kept...) {
			write(t, name, "x")
		}
		if err := apply(plan, r); err != nil {
			t.Fatal(err)
		}
		for _, name := range left {
			if _, err := os.Lstat(name); err == nil {
				t.Errorf("%s is left", name)
			}
		}
		for _, name := range kept {
			if read(name) != "x" {
				t.Errorf("%s is gone", name)
			}
		}
	}
}
