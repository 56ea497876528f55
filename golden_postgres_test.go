//go:build linux

package mem_test

// The console sessions on PostgreSQL: a script that names its one store "memory", and looks into no
// file of it, prints the same where that is a space of a database.

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/pgtest"
	"github.com/set-memory/mem/testkit"
)

// ofFiles are the words of scripts that are about the files of a store.
var ofFiles = []string{"memory/", "index/", "log.jsonl", "--root", "cd memory", "find memory",
	"ls memory", "mkdir memory", "mem fsck", "mem compact", "MEM_ROOT=other"}

// leastOnPostgres is how many scripts must run on PostgreSQL.
const leastOnPostgres = 42

func TestGoldenOnPostgres(t *testing.T) {
	bash := testkit.Program(t, "bash")
	server := pgtest.Shared(t)
	t.Cleanup(pgtest.Stop)
	bin := buildMem(t)
	url := server.Database(t)
	runMem(t, bin, "migrate", "--root", url, "-q")
	scripts, err := filepath.Glob("testdata/golden/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for i, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if !onPostgres(string(text)) {
			continue
		}
		ran++
		space := fmt.Sprintf("g%d", i)
		runMem(t, bin, "space", "add", space, "--no-role", "--root", url, "-q")
		t.Run(strings.TrimSuffix(filepath.Base(script), ".sh"), func(t *testing.T) {
			t.Parallel()
			runOnPostgres(t, bash, bin, script, text, url+"&space="+space)
		})
	}
	if ran < leastOnPostgres {
		t.Errorf("%d scripts ran, want at least %d", ran, leastOnPostgres)
	}
}

// onPostgres reports whether a script may run on a store without files.
func onPostgres(text string) bool {
	if !strings.Contains(text, "MEM_ROOT=memory") || strings.HasPrefix(directive([]byte(text), "postgres"), "no") {
		return false
	}
	for _, word := range ofFiles {
		if strings.Contains(text, word) {
			return false
		}
	}
	return true
}

func runMem(t *testing.T, bin string, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "mem"), args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("mem %v: %v\n%s", args, err, out)
	}
}

func runOnPostgres(t *testing.T, bash, bin, script string, text []byte, url string) {
	for _, tool := range strings.Fields(directive(text, "needs")) {
		testkit.Program(t, tool)
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(home, ".script.sh")
	moved := bytes.ReplaceAll(text, []byte("MEM_ROOT=memory"), []byte("MEM_ROOT=$STORE"))
	if err := os.WriteFile(own, moved, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bash, "-v", own)
	cmd.Dir = home
	cmd.Env = append(sessionEnv(bin, home, "2026-02-22T10:00:00Z"), "STORE="+url)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", script, err)
	}
	for from, to := range map[string]string{home: "/home/you", "MEM_ROOT=$STORE": "MEM_ROOT=memory"} {
		out = bytes.ReplaceAll(out, []byte(from), []byte(to))
	}
	want, err := os.ReadFile(strings.TrimSuffix(script, ".sh") + ".out")
	if err != nil {
		t.Fatal(err)
	}
	got := filepath.Join(home, ".got")
	if err := os.WriteFile(got, withoutFiles(transcript(text, out)), 0o600); err != nil {
		t.Fatal(err)
	}
	diff := exec.Command("diff", "-U0", "-", got)
	diff.Stdin = bytes.NewReader(withoutFiles(want))
	if out, err := diff.CombinedOutput(); err != nil {
		t.Errorf("on PostgreSQL it prints:\n%s", out)
	}
	fsck := exec.Command(filepath.Join(bin, "mem"), "fsck", "--root", url)
	fsck.Env = sessionEnv(bin, home, later)
	if out, err := fsck.CombinedOutput(); err != nil {
		t.Errorf("fsck: %v\n%s", err, out)
	}
}

// What a transcript says of the files of a store.
var (
	fileMember = regexp.MustCompile(`,"path":"memory/index/[^"]*"`)
	fileOfKey  = regexp.MustCompile(`memory/index/[^ "\n]*\.json`)
	// There may be no store of files yet, and a space is made before all.
	noStore = regexp.MustCompile(`(?m)^mem: (warning: no store at memory yet|no memories|` +
		`warning: MEM_ROOT: memory is a relative path: .*|nothing found|agent ada keeps nothing that is active)$\n`)
)

// withoutFiles returns a transcript as it is where a memory has no file: there is its key instead.
func withoutFiles(text []byte) []byte {
	text = noStore.ReplaceAll(fileMember.ReplaceAll(text, nil), nil)
	return fileOfKey.ReplaceAllFunc(text, func(path []byte) []byte {
		key, exact, err := keypath.Decode(keypath.RelPath(strings.TrimPrefix(string(path),
			"memory/index/")))
		if err != nil || !exact {
			return path
		}
		return []byte(key.String())
	})
}
