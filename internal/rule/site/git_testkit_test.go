package site_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// realTemp returns the real path of a new directory.
func realTemp(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

// git runs git in a directory and returns what it prints.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(t, dir, args...)
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

// gitFrom is git with a file as its input.
func gitFrom(t testing.TB, dir, input string, args ...string) {
	t.Helper()
	f, err := os.Open(input)
	must(t, err)
	defer f.Close()
	cmd := command(t, dir, args)
	cmd.Stdin = f
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func tryGit(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	out, err := command(t, dir, args).CombinedOutput()
	return string(out), err
}

// command returns a call of git that depends on nobody's settings.
func command(t testing.TB, dir string, args []string) *exec.Cmd {
	t.Helper()
	args = append([]string{"-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main",
		"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)
	cmd := exec.Command(testkit.Program(t, "git"), args...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	return cmd
}

// committed makes a repository with some files.
func committed(t testing.TB, dir string, files ...string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	git(t, dir, "init", "-q")
	for _, name := range files {
		put(t, filepath.Join(dir, name), name+"\n")
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
}
