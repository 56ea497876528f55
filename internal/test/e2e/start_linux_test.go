package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The rules for secrets cost a command that needs none of them nothing: all tables are laid out by
// the linker.
func TestSecretsCostNothingAtStart(t *testing.T) {
	cmd := exec.Command(filepath.Join(buildMem(t), "mem"), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "init "+module+"/log ") {
		t.Fatalf("no trace: %v\n%s", err, out)
	}
	if strings.Contains(string(out), "init "+module+"/internal/rule/secret") {
		t.Errorf("package secret does something at start:\n%s", out)
	}
}

const module = "github.com/set-memory/mem"
