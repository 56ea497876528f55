//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"github.com/set-memory/mem/internal/test/testkit"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// ran is how a program ended, and what it printed.
type ran struct {
	code        int
	out, stderr string
}

func run(t testing.TB, cmd *exec.Cmd) ran {
	t.Helper()
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ran{cmd.ProcessState.ExitCode(), out.String(), stderr.String()}
}

// copied puts copies of programs into a directory of their own.
func copied(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(programs(t), name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// mem hands a verb of memd over with its arguments, streams and exit code, and memd speaks as mem.
func TestMemHandsOver(t *testing.T) {
	mem := filepath.Join(programs(t), "mem")
	root := filepath.Join(t.TempDir(), "root")
	added := run(t, exec.Command(mem, "token", "add", "--yes", "t1", "--agent", "ada",
		"--root", root))
	if added.code != 0 || !strings.HasPrefix(added.out, "mem_") {
		t.Fatalf("%+v", added)
	}
	gone := exec.Command(mem, "--root", root, "token", "revoke", "-")
	gone.Stdin = strings.NewReader("mem_nonsense\n")
	if got := run(t, gone); got.code != 1 || got.stderr != "mem: no such token\nmem: hint: mem "+
		"token list --root DIR shows the ids\n" {
		t.Errorf("%+v", got)
	}
	revoke := exec.Command(mem, "--root", root, "token", "revoke", "-")
	revoke.Stdin = strings.NewReader(added.out)
	if got := run(t, revoke); got.code != 0 {
		t.Errorf("%+v", got)
	}
	help := run(t, exec.Command(mem, "help", "serve"))
	if help.code != 0 || !strings.Contains(help.out, "\n  mem serve [flags]\n") {
		t.Errorf("%+v", help)
	}
}

// The process stays the same one: its id, what it has open, its environment without what was added.
func TestMemBecomesMemd(t *testing.T) {
	mem := filepath.Join(programs(t), "mem")
	root := t.TempDir()
	script := `echo $$; exec "$0" --root "$1" serve --socket "$1/s" 2> "$1/err"`
	cmd := exec.Command("sh", "-c", script, mem, root)
	cmd.Env = append(os.Environ(), "MEM_HANDED_OVER=nonsense")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	}()
	shell, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	testkit.WaitFor(t, "a signed lock", func() bool {
		text, err := os.ReadFile(filepath.Join(root, "s.lock"))
		return err == nil && bytes.Contains(text, []byte(`"pid":`+strings.TrimSpace(shell)))
	})
}

// Without memd beside it, or with one of another build, mem refuses, and says what to do.
func TestMemWithoutItsMemd(t *testing.T) {
	alone := copied(t, "mem")
	// One in the PATH may be anybody's.
	t.Setenv("PATH", programs(t)+":"+os.Getenv("PATH"))
	got := run(t, exec.Command(filepath.Join(alone, "mem"), "serve", "--root", "x"))
	want := "mem: serve: it needs memd, which is not beside this program\n" +
		"mem: hint: make build in mem's sources writes both to bin/; memd belongs in " + alone +
		"\n"
	if got != (ran{2, "", want}) {
		t.Errorf("%+v", got)
	}
	asJSON := run(t, exec.Command(filepath.Join(alone, "mem"), "serve", "--json"))
	if asJSON.code != 2 || !strings.HasPrefix(asJSON.stderr, `{"error":{"code":"input",`) {
		t.Errorf("%+v", asJSON)
	}
	if help := run(t, exec.Command(filepath.Join(alone, "mem"), "help", "serve")); help.code != 0 ||
		!strings.Contains(help.out, "serve memories to many agents") {
		t.Errorf("%+v", help)
	}
	shell := run(t, exec.Command(filepath.Join(alone, "mem"), "__complete", "ser"))
	if !strings.HasPrefix(shell.out, "serve\tserve memories to many agents") {
		t.Errorf("%+v", shell)
	}
	if err := os.Mkdir(filepath.Join(alone, "memd"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := run(t, exec.Command(filepath.Join(alone, "mem"), "serve")); got.code != 2 {
		t.Errorf("a directory: %+v", got)
	}
}

func TestMemWithAnothersMemd(t *testing.T) {
	dir := copied(t, "mem")
	if err := testkit.Build(dir, "-X main.version=1.2.4 -X main.commit=abc", "."); err != nil {
		t.Fatal(err)
	}
	got := run(t, exec.Command(filepath.Join(dir, "mem"), "token", "list", "--root", "x"))
	if got.code != 2 || !strings.HasPrefix(got.stderr, "mem: token: "+dir+"/memd is of another "+
		"build: 1.2.4 (abc), and mem is 1.2.3 (abc)\nmem: hint: ") {
		t.Errorf("%+v", got)
	}
}
