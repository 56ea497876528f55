package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A start pays for all that packages do before main: tables are laid out by the linker, patterns
// and advice are made when they are used. gojq builds the syntax trees of its functions.
func TestLittleRunsBeforeMain(t *testing.T) {
	cmd := exec.Command(filepath.Join(buildMem(t), "mem"), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	line := regexp.MustCompile(`(?m)^init (\S+) .* (\d+) allocs$`)
	traced := line.FindAllStringSubmatch(string(out), -1)
	if err != nil || len(traced) < 30 {
		t.Fatalf("no trace: %v\n%s", err, out)
	}
	const most = 290
	total, ours := 0, 0
	for _, m := range traced {
		allocs, err := strconv.Atoi(m[2])
		switch {
		case err != nil:
			t.Fatal(err)
		case m[1] == "github.com/itchyny/gojq":
			continue
		case strings.HasPrefix(m[1], module):
			ours += allocs
		}
		total += allocs
		if strings.HasPrefix(m[1], module+"/internal/rule/secret") {
			t.Errorf("package secret does something at start: %s", m[0])
		}
	}
	if total > most {
		t.Errorf("%d allocations before main, %d of them in mem; want at most %d:\n%s",
			total, ours, most, out)
	}
}

const module = "github.com/set-memory/mem"
