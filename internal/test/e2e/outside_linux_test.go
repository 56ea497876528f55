package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// A program of another module has no way to make a forbidden write, whatever its options and the
// name of its operation (testdata/outside).
func TestOutsideCannotBypassRules(t *testing.T) {
	t.Parallel()
	testkit.Sources(t, ".")
	home, dir := t.TempDir(), t.TempDir()
	root := filepath.Join(home, "memory")
	bin := buildMem(t)
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, "mem"), append([]string{"--root", root}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+home, "MEM_AGENT=")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("mem %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("session", "create", "--id", "c", "-q")
	run("remember", "c", "x", "--type", "finding", "-q")
	run("session", "close", "c", "-q")
	run("session", "create", "--id", "d", "-q")
	run("session", "delete", "d", "-q")
	run("event", "--session", "s1", "--text", "it happened", "-q")
	run("core", "I am Bob", "--agent", "bob", "-q")
	before := readFile(t, root+"/log.jsonl")
	key := func(prefix string) string {
		_, rest, _ := strings.Cut(before, `{"key":"`+prefix)
		id, _, _ := strings.Cut(rest, `"`)
		return prefix + id
	}
	program := buildOutside(t, dir)
	cmd := exec.Command(program, root, "closed="+key("/session/c/"), "event="+key("/event/s1/"),
		"core="+key("/agent/bob/core/"))
	cmd.Env = append(os.Environ(), "HOME="+home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if last := lines[len(lines)-1]; last != "tried: 819 of 819" {
		t.Errorf("%s", last)
	}
	for _, line := range lines[:len(lines)-1] {
		t.Error(line)
	}
	if readFile(t, root+"/log.jsonl") != before {
		t.Error("the log has changed")
	}
	run("fsck")
}

// buildOutside builds testdata/outside as a module of its own.
func buildOutside(t *testing.T, dir string) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.sum", "testdata/outside/main.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module "+module, "module example.com/outside", 1) +
		"\nrequire " + module + " v0.0.0\nreplace " + module + " => " + root + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "outside")
	cmd := exec.Command("go", "build", "-mod=mod", "-o", program, ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
