package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/testkit"
)

func TestPlanLine(t *testing.T) {
	got, err := command{argv: []string{"/bin/mem", "set", `{"a": 1}`}, stdin: "in"}.planLine()
	if want := "in\t/dev/null\t/bin/mem\tset\t{\"a\": 1}\n"; err != nil || got != want {
		t.Errorf("planLine = %q, %v; want %q", got, err, want)
	}
}

func TestPlanLineRefusesWhatWouldBreakThePlan(t *testing.T) {
	for _, arg := range []string{"a\tb", "a\nb"} {
		if line, err := cmd("/bin/mem", arg).planLine(); err == nil {
			t.Errorf("the argument %q became the plan %q", arg, line)
		}
	}
}

func TestParseTimings(t *testing.T) {
	got, err := parseTimings([]byte("1500000 640\n2 1\n"))
	want := sample{{1500 * time.Microsecond, 640}, {2, 1}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("parseTimings = %v, %v; want %v", got, err, want)
	}
	if _, err := parseTimings([]byte("12\n")); err == nil {
		t.Error("half a line was taken for a timing")
	}
}

func TestDealGivesEachSubjectItsSecondRuns(t *testing.T) {
	hands := deal(samples(1, 2, 3, 4, 5, 6, 7, 8), 2) // AaBb AaBb
	if !slices.Equal(hands[0], samples(2, 6)) || !slices.Equal(hands[1], samples(4, 8)) {
		t.Errorf("deal = %v", hands)
	}
}

func TestCleanEnvDropsOnlyOurs(t *testing.T) {
	got := cleanEnv([]string{"HOME=/root", "MEM_ROOT=/x", "MEMORY=1", "MEM_NOW=y"})
	if want := []string{"HOME=/root", "MEMORY=1"}; !slices.Equal(got, want) {
		t.Errorf("cleanEnv = %v, want %v", got, want)
	}
}

// newSpawner builds the C spawner; a machine without a C compiler has nothing to test here.
func newSpawner(t *testing.T) spawner {
	t.Helper()
	testkit.Program(t, "cc")
	dir := t.TempDir()
	s := spawner{filepath.Join(dir, "spawn"), filepath.Join(dir, "plan")}
	err := buildC(context.Background(), "spawn", s.binary)
	testkit.Need(t, err == nil, fmt.Sprintf("cc builds no static binary: %v", err))
	return s
}

func TestSpawnerRunsAPlan(t *testing.T) {
	s := newSpawner(t)
	out := filepath.Join(t.TempDir(), "out")
	sh := lookPath("sh")
	got, err := s.run(t.Context(), cmd(sh, "-c", "exit 0"), command{argv: []string{sh, "-c", "echo $1", "sh", "two words"}, stdout: out})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].wall <= 0 || got[0].peak <= 0 {
		t.Errorf("timings = %v", got)
	}
	if text := readFile(out); text != "two words\n" {
		t.Errorf("the command printed %q", text)
	}
}

func TestSpawnerTellsOfAFailure(t *testing.T) {
	s := newSpawner(t)
	_, err := s.run(t.Context(), cmd(lookPath("sh"), "-c", "echo no such key >&2; exit 3"))
	if err == nil || !strings.Contains(err.Error(), "no such key") || !strings.Contains(err.Error(), "status 3") {
		t.Errorf("err = %v; want the status and what was printed", err)
	}
}
