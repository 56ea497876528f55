package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
	"github.com/set-memory/mem/scripts/harness"
)

// Nothing of the person who runs the checks is in a lab's environment, or above it. The test's own
// directory stands for the root of the file system: other programs leave files in /tmp.
func TestLabIsOutsideOfHome(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, outside := filepath.Join(top, "home"), filepath.Join(top, "outside")
	for _, dir := range []string{filepath.Join(home, ".claude", "x"), filepath.Join(home, "tmp"), outside} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", home)
	t.Setenv("MEM_ROOT", home)
	cache := filepath.Join(home, ".cache", "mem-clients")
	t.Setenv("TMPDIR", outside)
	labs := newLabs(top)
	b := bench{mem: "/x/mem", cache: cache, labs: labs}
	l := &lab{bench: b, client: clients[0], ctx: context.Background(), dir: labs + "/c/x"}
	l.home = l.dir + "/home"
	env := l.environment()
	if slices.ContainsFunc(env, func(v string) bool { return strings.Contains(v, home) }) ||
		!slices.Contains(env, "HOME="+l.home) || strings.HasPrefix(l.home, home) {
		t.Errorf("%q in %s", env, l.dir)
	}
	// Where the directory for temporary files is at home, this says so in place of failing checks;
	// so it does where an agent's directory is at the top.
	t.Setenv("TMPDIR", filepath.Join(home, "tmp"))
	if err := harness.Try(func() { newLabs(top) }); err == nil || !strings.Contains(err.Error(), "set TMPDIR") {
		t.Error(err)
	}
	t.Setenv("TMPDIR", outside)
	if err := os.Mkdir(filepath.Join(top, ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	newLabs(top) // an empty directory is none to read
	if err := os.WriteFile(filepath.Join(top, ".codex", "hooks.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := harness.Try(func() { newLabs(top) }); err == nil || !strings.Contains(err.Error(), ".codex") {
		t.Error(err)
	}
}
