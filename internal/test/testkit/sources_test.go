package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const looking = "MEM_TESTKIT_LOOKING"

// What the go command is told of a test that builds mem: packages that only mem imports, what they
// embed, and go.mod.
func TestSourcesAreSeen(t *testing.T) {
	if os.Getenv(looking) != "" {
		Sources(t, "../../../cmd/mem")
		return
	}
	list := filepath.Join(t.TempDir(), "seen")
	cmd := exec.Command(os.Args[0], "-test.run=^TestSourcesAreSeen$", "-test.testlogfile="+list)
	cmd.Env = append(os.Environ(), looking+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	seen := strings.Split(string(text), "\n")
	for _, want := range []string{"open .", "open internal/front/hook",
		"stat internal/front/setup/plugin.ts", "stat go.mod"} {
		call, path, _ := strings.Cut(want, " ")
		if !slices.Contains(seen, call+" "+filepath.Join(root, path)) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
