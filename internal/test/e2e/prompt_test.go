//go:build linux

package e2e

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the prompt teaches is run as an agent would run it, one command after another in one store:
// each works, and each verb in it exists.
func TestPromptCommandsWork(t *testing.T) {
	t.Parallel()
	bin, home := buildMem(t), t.TempDir()
	run := func(command string) string {
		t.Helper()
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir, cmd.Env = home, append(sessionEnv(bin, home, ""),
			"MEM_ROOT="+filepath.Join(home, "memory"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	prompt := run("mem prompt")
	shown := regexp.MustCompile(`(?m)^    (.*)$`).FindAllStringSubmatch(prompt, -1)
	if len(shown) < 5 {
		t.Errorf("the prompt shows %d commands", len(shown))
	}
	want := map[string]string{"set": "project/db@", "note": `"ok":true`, "forget": `"ok":true`,
		"search": "PostgreSQL 16 on port 5432"}
	taught := map[string]bool{}
	slices.SortStableFunc(shown, func(a, b []string) int { // there is something to be found then
		return strings.Count(a[1], " search ") - strings.Count(b[1], " search ")
	})
	for _, command := range shown {
		verb, _, _ := strings.Cut(strings.TrimPrefix(command[1], "mem "), " ")
		taught[verb] = true
		if out := run(command[1]); !strings.HasPrefix(command[1], "mem ") ||
			!strings.Contains(out, want[verb]) {
			t.Errorf("%s answers %s, want %s in it", command[1], out, want[verb])
		}
	}
	for _, verb := range regexp.MustCompile(`\bmem ([a-z]+)`).FindAllStringSubmatch(prompt, -1) {
		run("mem help " + verb[1])
	}
	for _, verb := range []string{"search", "set", "note", "pin", "forget"} {
		if !taught[verb] {
			t.Errorf("the prompt does not show mem %s", verb)
		}
	}
}
