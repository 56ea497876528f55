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
	bin := filepath.Join(buildMem(t), "mem")
	const most = 285
	least, trace := most+1, ""
	for n := 0; n < 20 && least > most; n++ { // what runs beside it allocates, too, now and then
		if total, text := allocsBeforeMain(t, bin); total < least || trace == "" {
			least, trace = total, text
		}
	}
	if least > most {
		t.Errorf("%d allocations before main, want at most %d:\n%s", least, most, trace)
	}
}

// allocsBeforeMain returns how many allocations a start takes before main, but for gojq's, and its
// trace.
func allocsBeforeMain(t *testing.T, bin string) (total int, trace string) {
	t.Helper()
	cmd := exec.Command(bin, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	line := regexp.MustCompile(`(?m)^init (\S+) .* (\d+) allocs$`)
	traced := line.FindAllStringSubmatch(string(out), -1)
	if err != nil || len(traced) < 30 {
		t.Fatalf("no trace: %v\n%s", err, out)
	}
	for _, m := range traced {
		allocs, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if m[1] != "github.com/itchyny/gojq" {
			total += allocs
		}
		if strings.HasPrefix(m[1], module+"/internal/rule/secret") {
			t.Errorf("package secret does something at start: %s", m[0])
		}
	}
	return total, string(out)
}

const module = "github.com/set-memory/mem"
