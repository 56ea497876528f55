package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A go command that lists as the real one does, and only says what it was to test.
const sayingGo = `#!/bin/sh
[ "$1" = test ] || exec "$REAL_GO" "$@"
echo "$@" >>"$TESTED"
`

// "race.sh" and "race.sh rest" together run each test of each package once: what one takes by
// patterns the other skips by the same, in the same packages, and no other package is in both.
func TestRaceAndRestRunEachTestOnce(t *testing.T) {
	sh, realGo := Program(t, "sh"), Program(t, "go")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(sayingGo), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (whole, parts []string, pattern string) {
		tested := filepath.Join(t.TempDir(), "tested")
		cmd := exec.Command(sh, append([]string{top + "/scripts/race.sh"}, args...)...)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "REAL_GO="+realGo,
			"TESTED="+tested)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		text, err := os.ReadFile(tested)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var list []string
			at := ""
			words := strings.Fields(line)
			for i, word := range words {
				path, ok := strings.CutPrefix(word, "github.com/set-memory/mem")
				switch {
				case word == "-run" || word == "-skip":
					at = words[i+1]
				case ok || word == "." || strings.HasPrefix(word, "./"):
					list = append(list, strings.Trim(path, "./"))
				}
			}
			if at == "" {
				whole = append(whole, list...)
			} else {
				parts, pattern = append(parts, list...), at
			}
		}
		return whole, parts, pattern
	}
	raced, racedParts, pattern := run()
	rest, restParts, skipped := run("rest")
	if pattern == "" || pattern != skipped || !slices.Equal(racedParts, restParts) {
		t.Errorf("%q of %q, and then all but %q of %q", pattern, racedParts, skipped, restParts)
	}
	cmd := exec.Command(realGo, "list", "./...")
	cmd.Dir = top
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(slices.Values(slices.Concat(raced, racedParts, rest)))
	var want []string
	for _, path := range strings.Fields(string(out)) {
		path = strings.TrimPrefix(path, "github.com/set-memory/mem")
		want = append(want, strings.Trim(path, "./"))
	}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("packages\n%q\nwant\n%q", got, want)
	}
}
