package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"

	"github.com/set-memory/mem/scripts/harness"
)

func samples(millis ...int) sample {
	var s sample
	for _, ms := range millis {
		s = append(s, timing{wall: time.Duration(ms) * time.Millisecond})
	}
	return s
}

// The first record is pinned: figures of different days compare only if the records stay what they
// were.
func TestFirstRecordIsPinned(t *testing.T) {
	const want = `{"key":"/user/fact/000000","content":{"type":"preference","text":"bada sida dada dada loda bola muki vuka bada mada reko bada nada bida vuda bededa gada seda lida dode guna viga zifafa bada goneda sazada feda bada ladama nevada mofa dada tada bada sofa mibo pafa rabe rino gesa","tags":["偏好","go"],"importance":0},"source":{"kind":"user","name":"chat","retrieved_at":"2025-03-01T08:00:00Z","locator":{"conversation":"c0000","turn":0}}}`
	if got := recordAt(0).line(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A record is passed on a command line in a plan, and inside quotes in SQL.
func TestRecordsDifferAndSurviveShellAndSQL(t *testing.T) {
	keys := map[string]bool{}
	seen := map[int]bool{}
	for i := range 1000 {
		r := recordAt(i)
		keys[r.key] = true
		seen[scattered(i, 1000)] = true
		line := r.line()
		if at := strings.IndexAny(line, "'\t\n"); at >= 0 || len(line) < 400 || len(line) > 900 {
			t.Fatalf("record %d: %s", i, line)
		}
	}
	if len(keys) != 1000 || len(seen) != 1000 {
		t.Errorf("%d keys and %d scattered numbers for 1,000 records", len(keys), len(seen))
	}
}

func TestCells(t *testing.T) {
	two, four := samples(2), samples(4)
	tests := map[string]row{
		"a|2.00 ms (2.00 ms)|b|4.00 ms (4.00 ms)|0.50 ×|2.00 ms (2.00 ms)|": {"a", two, "b", four, two, ""},
		"a|2.00 ms (2.00 ms)||||2.00 ms (2.00 ms)|p99":                      {"a", two, "b", nil, two, "p99"},
		`a \| b||||||line one line two`:                                     {what: "a | b", note: "line one\nline two"},
	}
	for want, r := range tests {
		if got := strings.Join(r.cells(), "|"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestNumbersReadWell(t *testing.T) {
	for d, want := range map[time.Duration]string{
		36200 * time.Nanosecond: "36.2 µs",
		2410 * time.Microsecond: "2.41 ms",
		142 * time.Millisecond:  "142 ms",
		1230 * time.Millisecond: "1.23 s",
	} {
		if got := harness.Duration(d); got != want {
			t.Errorf("harness.Duration(%d) = %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 records", 1000: "1,000 records", 1234567: "1,234,567 records"} {
		if got := records(n); got != want {
			t.Errorf("records(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestQuantile(t *testing.T) {
	tests := []struct {
		s    sample
		q    float64
		want time.Duration
	}{
		{nil, 0.5, 0},
		{samples(9, 1, 5), 0.5, 5 * time.Millisecond},
		{samples(4, 2), 0.5, 3 * time.Millisecond},
		{samples(0, 10, 20), 0.1, 2 * time.Millisecond},
		{samples(3, 2, 1), 1, 3 * time.Millisecond},
	}
	for _, tt := range tests {
		in := slices.Clone(tt.s)
		if got := tt.s.quantile(tt.q); got != tt.want || !slices.Equal(in, tt.s) {
			t.Errorf("quantile(%v) of %v = %v, want %v", tt.q, in, got, tt.want)
		}
	}
}

func TestRatioInterval(t *testing.T) {
	var old, same, slower sample
	for i := range 200 {
		noise := time.Duration(i*7919%200) * time.Microsecond
		old = append(old, timing{wall: 5*time.Millisecond + noise})
		same = append(same, timing{wall: 5*time.Millisecond + 200*time.Microsecond - noise})
		slower = append(slower, timing{wall: 5500*time.Microsecond + noise})
	}
	if low, high := ratioInterval(old, same); low > 1 || high < 1 || high-low > 0.02 {
		t.Errorf("of equal times: %v to %v", low, high)
	}
	if low, high := ratioInterval(old, slower); low < 1.08 || high > 1.11 {
		t.Errorf("of times a tenth longer: %v to %v", low, high)
	}
}

func TestDrawFirstsIsBalanced(t *testing.T) {
	sum := 0
	for _, first := range drawFirsts(1000) {
		sum += first
	}
	if sum != 500 {
		t.Errorf("the new side is first in %d of 1,000 pairs", sum)
	}
}

func TestPlanLine(t *testing.T) {
	got := command{argv: []string{"/bin/mem", "set", `{"a": 1}`}, stdin: "in"}.planLine()
	if want := "in\t/dev/null\t/bin/mem\tset\t{\"a\": 1}\n"; got != want {
		t.Errorf("planLine = %q; want %q", got, want)
	}
	if err := harness.Try(func() { cmd("/bin/mem", "a\nb").planLine() }); err == nil {
		t.Error("a line break became a plan")
	}
}

func TestParseTimings(t *testing.T) {
	got := parseTimings([]byte("1500000 640 7\n2 1 3\n"))
	if !slices.Equal(got, sample{{1500 * time.Microsecond, 640, 7 * time.Microsecond},
		{2, 1, 3 * time.Microsecond}}) {
		t.Errorf("parseTimings = %v", got)
	}
	if err := harness.Try(func() { parseTimings([]byte("12\n")) }); err == nil {
		t.Error("half a line was taken for a timing")
	}
}

func TestCleanEnvDropsOnlyOurs(t *testing.T) {
	got := cleanEnv([]string{"HOME=/root", "MEM_ROOT=/x", "MEMORY=1", "MEM_NOW=y"})
	if want := []string{"HOME=/root", "MEMORY=1"}; !slices.Equal(got, want) {
		t.Errorf("cleanEnv = %v, want %v", got, want)
	}
}

// testLab has a spawner; a machine without a static C library has nothing to test here.
func testLab(t *testing.T) *lab {
	t.Helper()
	testkit.Program(t, "cc")
	l := &lab{disk: t.TempDir()}
	l.binary, l.plan = l.path("spawn"), l.path("plan")
	err := harness.Try(func() { buildC(t.Context(), "spawn", l.binary) })
	testkit.Need(t, err == nil, fmt.Sprintf("cc builds no static binary: %v", err))
	return l
}

func TestRaceCountsTheSecondRunOfEachTurn(t *testing.T) {
	l := testLab(t)
	out := l.path("out")
	say := func(who string) subject {
		return func(i int) command { return l.shell(`echo $1$2 >>"$3"`, who, newName(i), out) }
	}
	got := l.race(t.Context(), 2, say("a"), nil, say("b"))
	if len(got) != 3 || len(got[0]) != 2 || len(got[1]) != 0 || len(got[2]) != 2 || got[0][0].wall <= 0 {
		t.Errorf("race = %v", got)
	}
	text, err := os.ReadFile(out)
	const want = "a000000 a000001 b000000 b000001 a000002 a000003 b000002 b000003"
	if ran := strings.Join(strings.Fields(string(text)), " "); err != nil || ran != want {
		t.Errorf("ran %s, %v", ran, err)
	}
}

func TestSpawnerTellsOfAFailure(t *testing.T) {
	l := testLab(t)
	err := harness.Try(func() { l.run(t.Context(), l.shell("echo no such key >&2; exit 3")) })
	if err == nil || !strings.Contains(err.Error(), "no such key") || !strings.Contains(err.Error(), "status 3") {
		t.Errorf("err = %v; want the status and what was printed", err)
	}
}

// A stand-in for a compaction: it moves the log away, writes a state, and changes a file in place.
func TestCopyBesidesIndexUndoesACompaction(t *testing.T) {
	dir := t.TempDir()
	root, saved := filepath.Join(dir, "root"), filepath.Join(dir, "saved")
	run := func(script string) {
		t.Helper()
		if _, err := try(t.Context(), "sh", "-c", "cd '"+dir+"' && "+script); err != nil {
			t.Fatal(err)
		}
	}
	run("mkdir -p root/index && echo line >root/log.jsonl && echo before >root/mark && echo {} >root/index/b")
	copyBesidesIndex(root, saved)
	run("mkdir root/archive && mv root/log.jsonl root/archive/1 && echo after >root/mark && touch root/state")
	copyBesidesIndex(saved, root)
	run("test root/log.jsonl -ef saved/log.jsonl && grep -q before root/mark && grep -q {} root/index/b")
	run("test ! -e root/archive && test ! -e root/state && test ! -e saved/index")
}
