package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
)

// A store that an earlier build kept for all projects is the user's now: get, ls and search find
// all that is in it, hooks tell inside of a project what is the user's own and nothing else, and
// mem move files the rest.
func TestUpgradeToLayers(t *testing.T) {
	t.Parallel()
	testkit.Program(t, "git")
	lists, err := filepath.Glob("testdata/compat/v*.live")
	if err != nil || len(lists) < 2 {
		t.Fatalf("%d stores (%v)", len(lists), err)
	}
	bin := buildMem(t)
	for _, list := range lists {
		byLayers := []string{"v1-records.live", "v1-claimed.live", "v1-0.2.0.live"}
		if slices.Contains(byLayers, filepath.Base(list)) {
			continue // a build that had layers wrote it
		}
		t.Run(strings.TrimSuffix(filepath.Base(list), ".live"), func(t *testing.T) {
			home, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			u := &upgrade{T: t, bin: bin, home: home, app: filepath.Join(home, "app")}
			store := filepath.Join(home, ".local", "share", "mem")
			u.must(os.CopyFS(store, os.DirFS(strings.TrimSuffix(list, ".live"))))
			u.must(exec.Command("git", "init", "-q", u.app).Run())
			u.test(liveKeys(t, list))
		})
	}
}

// liveKeys returns the keys that a list of live memories names.
func liveKeys(t *testing.T, list string) (keys []keypath.Key) {
	t.Helper()
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, "\t")
		key, err := keypath.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	return keys
}

type upgrade struct {
	*testing.T
	bin, home, app string
}

func (u *upgrade) must(err error) {
	u.Helper()
	if err != nil {
		u.Fatal(err)
	}
}

// mem runs mem in a directory and returns what it prints.
func (u *upgrade) mem(dir, stdin string, args ...string) string {
	u.Helper()
	cmd := exec.Command(filepath.Join(u.bin, "mem"), args...)
	cmd.Dir, cmd.Env = dir, sessionEnv(u.bin, u.home, "2027-02-22T10:00:00Z")
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		u.Fatalf("mem %q: %v", args, err)
	}
	return string(out)
}

func (u *upgrade) keys() []string {
	u.Helper()
	out := u.mem(u.app, "", "ls", "--jq", `.memories[] | .key`)
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
}

func (u *upgrade) test(keys []keypath.Key) {
	var own, unfiled []string
	for _, key := range keys {
		if u.mem(u.app, "", "get", key.String()) == "" {
			u.Errorf("get %s finds nothing", key.Shown())
		}
		switch {
		case key.Untrusted():
		case policy.LayerOf(key, func() bool { return false }) == policy.UserLayer:
			own = append(own, key.String())
		default:
			unfiled = append(unfiled, key.String())
		}
	}
	if len(own) == 0 || len(unfiled) == 0 {
		u.Fatal("the store holds too little to try")
	}
	if got := u.keys(); len(got) != len(keys) {
		u.Errorf("ls lists %d keys, want %d", len(got), len(keys))
	}
	found := u.mem(u.app, "", "search", "key:/", "--limit", "1000", "--jq", ".memories[].key")
	for _, key := range slices.Concat(own, unfiled) {
		if !strings.Contains(found, key+"\n") {
			u.Errorf("search does not find %s", key)
		}
	}
	u.told("inside", u.app, own, unfiled)
	u.told("outside", u.home, slices.Concat(own, unfiled), nil)
	if said := u.mem(u.app, "", "doctor"); !strings.Contains(said, "mem move --unfiled") {
		u.Errorf("doctor does not name mem move --unfiled:\n%s", said)
	}
	u.mem(u.app, "", "move", "--unfiled")
	moved := u.keys() // notes have other ids there
	if len(moved) != len(keys) {
		u.Errorf("after the move ls lists %d keys, want %d", len(moved), len(keys))
	}
	u.told("moved", u.app, slices.DeleteFunc(moved, func(key string) bool {
		return keypath.MustParse(key).Untrusted()
	}), nil)
	// Files that came out of a copy have the modes of that copy.
	u.mem(u.app, "", "fsck", "--repair")
	fsckAll(u.T, u.bin, u.home)
}

// told checks which memories the start of a conversation brings.
func (u *upgrade) told(name, dir string, want, not []string) {
	u.Helper()
	u.mem(dir, `{"hook_event_name":"SessionStart","session_id":"`+name+`"}`, "hook", "codex")
	told := u.mem(dir, "", "injections", "--conversation", name, "--jq",
		`.injections[].memories[].key`)
	lines := strings.Split(told, "\n")
	for _, key := range want {
		if !slices.Contains(lines, key) {
			u.Errorf("%s: %q is not told", name, key)
		}
	}
	for _, key := range not {
		if slices.Contains(lines, key) {
			u.Errorf("%s: %q is told", name, key)
		}
	}
}
