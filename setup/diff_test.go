package setup

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/set-memory/mem/testkit"
	"pgregory.net/rapid"
)

// What a diff says leads from one text to the other, by the word of patch.
func TestDiffsLeadFromOneToTheOther(t *testing.T) {
	patch := testkit.Program(t, "patch")
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.Custom(func(rt *rapid.T) string {
			body := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "{\n"}), 0, 30).Draw(rt, "lines"), "")
			return body + rapid.SampledFrom([]string{"", "", "end"}).Draw(rt, "end")
		})
		before, after := text.Draw(rt, "before"), text.Draw(rt, "after")
		diff := unified("x", "x", before, after)
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

// Texts of which too much differs are shown as replaced, and quickly.
func TestDiffOfHugeTexts(t *testing.T) {
	a, b := strings.Repeat("a\nx\n", 50_000), strings.Repeat("b\nx\n", 50_000)
	olds, nows := 0, 0
	for line := range strings.Lines(unified("a", "b", a, b)) {
		switch line[0] {
		case '-':
			olds++
		case '+':
			nows++
		}
	}
	if olds < 50_001 || nows < 50_001 {
		t.Errorf("%d lines out, %d in", olds, nows)
	}
}
