package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Nothing of the person who runs the checks is in a lab's environment, or above it.
func TestLabIsOutsideOfHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", home)
	t.Setenv("MEM_ROOT", home)
	if err := os.Mkdir(filepath.Join(home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(home, ".cache", "mem-clients")
	t.Setenv("TMPDIR", t.TempDir())
	labs, err := newLabs()
	if err != nil {
		t.Fatal(err)
	}
	b := bench{mem: "/x/mem", cache: cache, labs: labs}
	l := &lab{bench: b, client: clients[0], ctx: context.Background(), dir: labs + "/c/x"}
	l.home = l.dir + "/home"
	env := l.environment()
	if slices.ContainsFunc(env, func(v string) bool { return strings.Contains(v, home) }) ||
		!slices.Contains(env, "HOME="+l.home) || strings.HasPrefix(l.home, home) {
		t.Errorf("%q in %s", env, l.dir)
	}
	// Where the directory for temporary files is at home, this says so in place of failing checks.
	t.Setenv("TMPDIR", filepath.Join(home, "tmp"))
	if err := os.Mkdir(filepath.Join(home, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	if labs, err := newLabs(); err == nil || !strings.Contains(err.Error(), "set TMPDIR") {
		t.Errorf("%s, %v", labs, err)
	}
}
