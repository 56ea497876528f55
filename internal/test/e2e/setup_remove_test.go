//go:build linux

package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/set-memory/mem/internal/front/setup"
)

// After mem setup --remove a home directory is as it was before setup, but for the stores: whatever
// the client, with the files that it has already and without them.
func TestSetupRemoveLeavesTheStoresAlone(t *testing.T) {
	t.Parallel()
	bin := buildMem(t)
	var ran atomic.Int64
	t.Cleanup(func() {
		if ran.Load() < 40 {
			t.Errorf("%d parts were set up and removed", ran.Load())
		}
	})
	for _, c := range setup.Clients() {
		for _, scope := range setup.Scopes(c) {
			for _, flags := range []string{"", " --hooks-only", " --mcp", " --agent ada"} {
				t.Run(c.Name+"/"+string(scope)+flags, func(t *testing.T) {
					t.Parallel()
					testRemoved(t, bin, c, "mem setup "+c.Name+" --"+string(scope), flags, &ran)
				})
			}
		}
	}
}

func testRemoved(t *testing.T, bin string, c *setup.Client, command, flags string,
	ran *atomic.Int64) {
	home := t.TempDir()
	run := func(line string) (string, error) {
		cmd := exec.Command("bash", "-c", line)
		cmd.Dir, cmd.Env = filepath.Join(home, "project"), sessionEnv(bin, home, "")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	succeeds(t, os.MkdirAll(filepath.Join(home, "project/.git"), 0o755))
	succeeds(t, os.WriteFile(filepath.Join(home, "project/.git/HEAD"), []byte("ref: refs/heads/x\n"), 0o644))
	succeeds(t, os.WriteFile(filepath.Join(home, "project/AGENTS.md"), []byte("# Ours\n"), 0o644))
	before := allFiles(t, home)
	if _, err := run(command + flags); err != nil {
		return // the client has no such part
	}
	ran.Add(1)
	if len(allFiles(t, home)) <= len(before) {
		t.Error("setup has written nothing")
	}
	for _, line := range []string{"mem note 'Port 5433'", `printf '{"hook_event_name":"SessionStart",` +
		`"session_id":"1","cwd":"%s"}' "$PWD" | mem hook ` + c.Name, command + " --remove"} {
		if out, err := run(line); err != nil {
			t.Errorf("%s: %v: %s", line, err, out)
		}
	}
	after := allFiles(t, home)
	delete(after, "/project/.git/mem-id") // of the store, which stays
	for name, text := range after {
		if has, ok := before[name]; !ok || has != text {
			t.Errorf("%s is left or changed", name)
		}
		delete(before, name)
	}
	for name := range before {
		t.Errorf("%s is gone", name)
	}
}

// The folders and links of a person stay, also where nothing is in them any more.
func TestSetupRemoveKeepsWhatAPersonMade(t *testing.T) {
	t.Parallel()
	bin := buildMem(t)
	for _, c := range setup.Clients() {
		for _, scope := range setup.Scopes(c) {
			t.Run(c.Name+"/"+string(scope), func(t *testing.T) {
				t.Parallel()
				home, command := t.TempDir(), "mem setup "+c.Name+" --"+string(scope)
				run := func(line string) {
					t.Helper()
					cmd := exec.Command("bash", "-ec", "mkdir -p project/.git; cd project; "+line)
					cmd.Dir, cmd.Env = home, sessionEnv(bin, home, "")
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Fatalf("%s: %v: %s", line, err, out)
					}
				}
				// The folders that setup makes are now the person's, those of the home links.
				run("touch .git/HEAD; " + command + "; rm -rf ~/.local/state; cd; " +
					"find . -type f -delete; mkdir dot; shopt -s nullglob; for d in .[a-z]*; do " +
					"[ $d = .local ] || { mv $d dot/$d; ln -s dot/$d $d; }; done")
				before := allFiles(t, home)
				run(command + "; " + command + " --remove")
				after := allFiles(t, home)
				for name := range before {
					if _, ok := after[name]; !ok {
						t.Errorf("%s is gone", name)
					}
				}
				if len(after) > len(before) {
					t.Errorf("%d files and folders, want %d", len(after), len(before))
				}
			})
		}
	}
}

// What a project's settings name as the program of a hook is never deleted.
func TestSetupRemoveDeletesNoNamedProgram(t *testing.T) {
	t.Parallel()
	bin := buildMem(t)
	for _, at := range []string{"mem-programs", "$HOME/mem-programs"} {
		home := t.TempDir()
		cmd := exec.Command("bash", "-ec", `mkdir -p own mem-programs/users p/.git p/.claude .claude
touch p/.git/HEAD own/mem own/memd own/users mem-programs/mem mem-programs/users/x
ln -s ../own p/mem-programs; cd p
cat >.claude/settings.json <<END
{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"`+at+`/mem",
"args":["hook","claude-code"],"timeout":5}]}]}}
END
mem setup --all --remove; mem setup claude-code --project --remove
ls ~/own ~/mem-programs`)
		cmd.Dir, cmd.Env = home, sessionEnv(bin, home, "")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "own:\nmem\nmemd\nusers\n") ||
			!strings.Contains(string(out), "mem-programs:\nmem\nusers\n") {
			t.Errorf("%s: %v\n%s", at, err, out)
		}
	}
}

// allFiles returns the files below a directory and their content, without the stores.
func allFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	succeeds(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, dir)
		switch {
		case err != nil:
			return err
		case name == "/.local/share/mem" || name == "/.local/share/mem-projects":
			return fs.SkipDir
		case e.IsDir():
			if name != "/.local" && name != "/.local/share" && name != "/.local/state" {
				files[name] = ""
			}
			return nil
		}
		if e.Type()&fs.ModeSymlink != 0 {
			files[name], err = os.Readlink(path)
			return err
		}
		text, err := os.ReadFile(path)
		files[name] = string(text)
		return err
	}))
	return files
}

func succeeds(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
