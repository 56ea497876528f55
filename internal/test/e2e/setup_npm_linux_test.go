package e2e

import (
	"os/exec"
	"strings"
	"testing"
)

// Hooks start copies of npm's programs. After an update of the package doctor names the copy that
// is of another version, with the command that renews it.
func TestDoctorNamesAnOutdatedCopy(t *testing.T) {
	t.Parallel()
	bin, home := buildMem(t), t.TempDir()
	cmd := exec.Command("bash", "-euc", `mkdir -p node_modules/.bin p/.git p/.claude .claude
touch p/.git/HEAD
cp "$(command -v mem)" "$(command -v memd)" node_modules/
PATH=~/node_modules:$PATH
cd p
mem setup claude-code >/dev/null
for program in mem memd; do
	mem doctor | grep 'mem-programs' || true
	echo >>~/node_modules/$program  # an update
	mem doctor | grep 'mem-programs' && mem setup claude-code --user >/dev/null
done
mem doctor | grep 'mem-programs' || true`)
	cmd.Dir, cmd.Env = home, sessionEnv(bin, home, "")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var warned []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "mem-programs") {
			warned = append(warned, line)
		}
	}
	if len(warned) != 2 {
		t.Fatalf("%d lines name a copy, want 2:\n%s", len(warned), out)
	}
	for i, name := range []string{"/mem ", "/memd "} {
		if !strings.HasPrefix(warned[i], "warn") ||
			!strings.Contains(warned[i], "/.local/share/mem-programs"+name) ||
			!strings.Contains(warned[i], "mem setup claude-code --user") {
			t.Errorf("%s", warned[i])
		}
	}
}
