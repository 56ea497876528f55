package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// With a home that cannot be written everything is read as ever; a write to the user's store fails
// and says so, one to a store in the project does not.
func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	testkit.Need(t, os.Geteuid() == 0, "root")
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bin, app := buildMem(t), filepath.Join(home, "app")
	const prepare = `mkdir app && cd app && git init -q && mem init -q >/dev/null 2>&1
		mem note 'the port is 5432' -q && mem note 'answer in German' --scope user -q`
	run := func(script string, wrap ...string) (string, int) {
		line := append(wrap, "/bin/sh", "-c", script)
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Dir, cmd.Env = home, sessionEnv(bin, home, "2026-02-22T10:00:00Z")
		out, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(out), home, "~"), cmd.ProcessState.ExitCode()
	}
	if out, code := run(prepare); code != 0 {
		t.Fatal(out)
	}
	mount := `mount --bind "$HOME" "$HOME" && mount -o remount,ro,bind "$HOME" && ` +
		`mount --bind "$HOME/app" "$HOME/app" && mount -o remount,rw,bind "$HOME/app" && cd ` + app +
		` && exec "$0" "$@"`
	readOnly := []string{"unshare", "--mount", "/bin/sh", "-c", mount}
	for _, c := range []struct {
		script, want string
		code         int
	}{
		{"mem notes --jq '.memories[].text'", "answer in German\nthe port is 5432\n", 0},
		{`echo '{"hook_event_name":"SessionStart"}' | mem hook codex | grep -o 'in German.n'`,
			"in German\\n\n", 0},
		{"mem note more --scope user", "mem: ~/.local/share/mem/lock: open: read-only file " +
			"system\nmem: hint: ", 6},
		{"mem note more", "mem: warning: ~/app/.mem: ", 0},
		{"mem notes --query more --jq .count", "1\n", 0},
	} {
		out, code := run(c.script, readOnly...)
		if !strings.HasPrefix(out, c.want) || code != c.code {
			t.Errorf("%s: exit %d: %s", c.script, code, out)
		}
	}
	fsckAll(t, bin, home)
}

// A repository whose path is not UTF-8, as an old archive brings it, has a store as any other has,
// and is in no other's way.
func TestPathNotUTF8(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bin := buildMem(t)
	for _, dir := range []string{"caf\xe9", "plain", "in\xff/.mem"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run := func(dir, script string) (string, int) {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Dir = filepath.Join(home, dir)
		cmd.Env = append(sessionEnv(bin, home, "2026-02-22T10:00:00Z"),
			"MEM_TRUST="+filepath.Join(home, "in\xff"))
		out, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	const hook = `echo '{"hook_event_name":"SessionStart","session_id":"s"}' | mem hook codex | ` +
		"grep -o "
	for _, c := range []struct {
		dir, script, want string
		code              int
	}{
		{"caf\xe9", "git init -q && mem note 'the port is 5432' -q", "", 0},
		{"caf\xe9", "mem where --jq '.stores[0]|.memories,.why'", "1\nof the repository " +
			home + "/caf\ufffd\n", 0},
		{"caf\xe9", hook + "'port is 5432'", "port is 5432\n", 0},
		{"caf\xe9", "mem doctor | grep -c 'project: root .*caf'", "1\n", 0},
		{"plain", "git init -q && mem note x -q && mem where --all | cut -f 1,2",
			"project\t1\nuser\t0\nother\t1\n", 0},
		{"plain", "mem doctor --all | grep -c 'caf-.*: root'", "1\n", 0},
		{"plain", "mem move --from ../.local/share/mem-projects/caf-* --to project --yes -q && " +
			"mem notes --jq .count", "2\n", 0},
		{"in\xff", "CLAUDECODE=1 mem set /p/x 1 -q && mem get /p/x -q", "1\n", 0},
		{"in\xff", hook + "p/x", "p/x\n", 0},
		{"in\xff", "mem fsck -q", "", 0},
	} {
		if out, code := run(c.dir, c.script); out != c.want || code != c.code {
			t.Errorf("%q: %s: exit %d: %q, want %q", c.dir, c.script, code, out, c.want)
		}
	}
	fsckAll(t, bin, home)
}
