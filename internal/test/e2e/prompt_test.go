//go:build linux

package e2e

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the prompt teaches is run as a person and as an agent would run it, one command after another
// in one store or in two layers: each works, and each verb in it exists.
func TestPromptCommandsWork(t *testing.T) {
	t.Parallel()
	bin := buildMem(t)
	for _, c := range []struct{ prompt, env string }{
		{"mem prompt", "MEM_ROOT=memory"},
		{"mem prompt", "A=person"},
		{"mem prompt", "CODEX_THREAD_ID=1"},
		{"mem prompt --client claude-code", "A=person"},
		{"mem prompt --client claude-code", "CLAUDECODE=1"},
		{"mem prompt --client codex", "A=person"},
		{"mem prompt --client cursor", "MEM_AGENT=ada"},
	} {
		testPromptCommands(t, bin, c.prompt, c.env)
	}
}

func testPromptCommands(t *testing.T, bin, prompted, env string) {
	home := t.TempDir()
	run := func(command string) string {
		t.Helper()
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir, cmd.Env = home, append(sessionEnv(bin, home, ""), env)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s, %s: %v\n%s", env, command, err, out)
		}
		return string(out)
	}
	run("git init -q")
	prompt := run(prompted)
	shown := regexp.MustCompile(`(?m)^    (.*)$`).FindAllStringSubmatch(prompt, -1)
	if strings.Contains(prompt, "`pin m-1`") {
		shown = append(shown, []string{"", "mem pin m-1"})
	}
	if len(shown) < 5 {
		t.Errorf("the prompt shows %d commands", len(shown))
	}
	want := map[string]string{"set": "project/db@", "note": `"ok":true`, "forget": "1 memory forgotten",
		"search": "PostgreSQL 16 on port 5432"}
	taught := map[string]bool{}
	slices.SortStableFunc(shown, func(a, b []string) int { // there is something to be found then
		late := []string{" --replaces ", " search ", " forget "}
		rank := func(line string) int {
			return slices.IndexFunc(late, func(verb string) bool { return strings.Contains(line, verb) })
		}
		return rank(a[1]) - rank(b[1])
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
	source := map[string]string{"A=person": "\tset\tchat\t", "CLAUDECODE=1": "\tset\tagent claude-code\t"}
	if said := run("mem history project/db"); !strings.Contains(said, source[env]) {
		t.Errorf("%s: the source is %s", env, said)
	}
	run("mem fsck")
}
