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

// A client whose program does not start here is listed, and none of its checks fails.
func TestBrokenProgramIsListed(t *testing.T) {
	labs := t.TempDir()
	b := bench{bin: labs, labs: labs}
	var out strings.Builder
	r := b.try(t.Context(), &out, clients[0], "setup")
	if r.broken == nil || len(r.ran)+r.failed > 0 || out.Len() > 0 {
		t.Errorf("%+v, %q", r, out.String())
	}
	runs := make([]result, len(clients))
	runs[0], runs[1] = r, result{ran: []string{"setup", "edit"}, left: []string{"clear", "capture"}}
	runs[2] = result{ran: []string{"setup"}, left: []string{"edit", "clear"}}
	printLeft(&out, runs, "")
	for _, want := range []string{"claude-code: claude: ", "codex: clear, capture\n",
		"gemini: all but setup\n", "cursor, "} {
		if !strings.Contains(out.String(), "\n"+want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}
