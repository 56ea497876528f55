package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/scripts/harness"
)

func TestDerivedProposalsAreCountedByHalf(t *testing.T) {
	const tool = `{"type":"tool","tool":"Bash","command":`
	lines := []string{
		`{"id":"sit-002","events":[{"type":"prompt","text":"a"},` + tool + `"pytest","exit":1},` +
			tool + `"uv run pytest","exit":0}],"want":[{"class":"command-after-failure","text":"t","must":["UV run"]},` +
			`{"class":"decision","text":"missing even","must":["cents"]},{"class":"correction","must":["x"]}]}`,
		`{"id":"sit-003","events":[{"type":"prompt","text":"b"},{"type":"assistant","text":"## Decisions\n- odd secret line"}],"want":[]}`,
	}
	dir := t.TempDir()
	err := os.WriteFile(filepath.Join(dir, "sessions.jsonl"), []byte(strings.Join(lines, "\n")), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	evaluateDerived(dir, &out)
	for _, want := range []string{
		"sit-002 missed decision: missing even\n", "even: 1 turns, 0 proposals where none is wanted\n",
		"odd: 1 turns, 1 proposals where none is wanted\n",
		"all                        1     1     0  100 % (21 to 100)        2     1  50 % (9 to 91)\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "odd secret") || strings.Contains(out.String(), "sit-003") {
		t.Errorf("a text of an odd id:\n%s", out.String())
	}
	if harness.Try(func() { evaluateDerived(filepath.Join(dir, "none"), &out) }) == nil {
		t.Error("no error without the file")
	}
}
