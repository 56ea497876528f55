package e2e

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// A person at a laptop decides on all that waits at the team's server: their token is typed once,
// at the terminal, and stored nowhere.
func TestApproveAllAtServer(t *testing.T) {
	t.Parallel()
	tm := newColleagues(t)
	ada := tm.laptop("ada")
	token, err := exec.Command(filepath.Join(tm.bin, "mem"), "token", "add", "t1", "--person",
		"--member", "boss", "--yes", "-q", "--root", tm.srv).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line string
		exit int
		want string
	}{
		{"mem init --remote $URL --yes", 0, ".mem"},
		{"mem approve --all", 1, "nothing waits here"},
		{"mem note 'Never push to main' --pin -q", 0, ""},
		{"mem set /project/db --text postgres -s chat -q", 0, ""},
		{"mem pin /project/db -q", 0, ""},
		{"mem approve --all", 3, "for which mem asks at a terminal"},
		{"mem approve --all --yes < /dev/null", 3, "only a person decides this"},
		{"CLAUDECODE=1 mem approve --all", 3, "claude-code runs it"},
	} {
		tm.run(ada, c.line, c.exit, c.want)
	}
	master, slave := testkit.Terminal(t, 0)
	cmd := exec.Command(filepath.Join(tm.bin, "mem"), "approve", "--all")
	cmd.Dir, cmd.Stdin = ada+"/app", slave
	cmd.Env = append(sessionEnv(tm.bin, ada, ""), "MEM_HOOK_DEADLINE=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if _, err := master.Write(append(token, "y\n"...)); err != nil {
		t.Fatal(err)
	}
	err = cmd.Run()
	if says := out.String(); err != nil || strings.Count(says, "your own token of") != 1 ||
		!strings.Contains(says, "Never push to main") || !strings.Contains(says, "postgres") ||
		!strings.Contains(says, "approve 2 proposed changes? [y/N]") ||
		!strings.Contains(says, "stored: p-") {
		t.Errorf("%v: %s", err, says)
	}
	tm.run(ada, "mem forget m-1", 3, "a rule of the user")
	tm.run(ada, "mem approve --all", 1, "nothing waits here")
	tm.run(ada, "! grep -rl "+strings.TrimSpace(string(token))+" ..", 0, "")
	runMem(t, tm.bin, "fsck", "--root", tm.srv+"/tenants/t1")
}
