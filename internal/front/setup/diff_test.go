package setup

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
	"pgregory.net/rapid"
)

// The patch command makes one text of the other by the diff of the two.
func TestPatchAppliesDiffs(t *testing.T) {
	patch := testkit.Program(t, "patch")
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		before, after := drawLines(rt, "before"), drawLines(rt, "after")
		diff := unified("x", "x", []byte(before), []byte(after))
		if (diff == "") != (before == after) {
			rt.Fatalf("%q to %q: %q", before, after, diff)
		}
		if diff == "" {
			return
		}
		write(t, dir+"/x", before)
		cmd := exec.Command(patch, "--quiet", "--fuzz=0", "--output=-", dir+"/x")
		cmd.Stdin = strings.NewReader(diff)
		if out, err := cmd.Output(); err != nil || string(out) != after {
			rt.Fatalf("%v: %q to %q became %q by\n%s", err, before, after, out, diff)
		}
	})
}

// drawLines draws a text of few different lines, with a line end at its end or none.
func drawLines(t *rapid.T, label string) string {
	line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "{\n"})
	lines := rapid.SliceOfN(line, 0, 30).Draw(t, label)
	return strings.Join(lines, "") + rapid.SampledFrom([]string{"", "", "end"}).Draw(t, "end")
}

// Huge texts are compared quickly, however much of them differs.
func TestDiffOfHugeTexts(t *testing.T) {
	a, b := strings.Repeat("a\nx\n", 50_000), strings.Repeat("b\nx\n", 50_000)
	removed, added := 0, 0
	for line := range strings.Lines(unified("a", "b", []byte(a), []byte(b))) {
		switch line[0] {
		case '-':
			removed++
		case '+':
			added++
		}
	}
	if removed < 50_001 || added < 50_001 {
		t.Errorf("%d lines removed, %d added", removed, added)
	}
}
