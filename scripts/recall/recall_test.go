package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/scripts/harness"
)

func TestJudge(t *testing.T) {
	q := query{Evidence: []string{"/a", "/b"}, Alt: map[string][]string{"/b": {"/b2"}}}
	s := judge(q, answer{found: []string{"/x", "/b2", "/b", "/y", "/z", "/a"}, clear: 3, packed: []string{"/b2"}})
	if s != (score{0, .5, 1, 1, .5, .5, .5}) {
		t.Errorf("%+v", s)
	}
	if s := judge(q, answer{}); s != (score{}) {
		t.Errorf("%+v", s)
	}
}

// A small set, from its files to the table.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	mem := testkit.Mem(t)
	files := map[string]string{
		"tiny.corpus.jsonl": `{"key":"/s/b","ts":"2026-01-02T00:00:00Z","content":{"text":"The port is 5432."}}
{"key":"/s/a","ts":"2026-01-01T00:00:00Z","content":{"text":"Backups lie on the old laptop."}}
{"key":"/t/a","ts":"2026-01-01T00:00:00Z","content":{"text":"Backups lie elsewhere."}}
`,
		"tiny.queries.jsonl": `{"id":"q1","query":"Where are the backups?","evidence":["/s/a"],"scope":"/s/","now":"2026-02-01T00:00:00Z"}
{"id":"q2","query":"which one","context":"the port","evidence":["/s/b"],"scope":"/s/","now":"2026-02-01T00:00:00Z"}
`,
		"off.txt": "ok\n\nthanks, go on\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ flag, want string }{{"-set=tiny", "tiny 3 2 50.0 50.0 50.0 50.0 50.0 50.0 50.0 0.0"}, {"-context", "tiny 3 2 100.0 100.0 100.0 100.0 100.0 100.0 100.0 0.0"}} {
		run := filepath.Join(dir, "run.json")
		opt := parseOptions([]string{"-mem", mem, "-data", dir, "-off", filepath.Join(dir, "off.txt"), "-run", run, c.flag})
		var out strings.Builder
		measure(opt, &out)
		_, line, _ := strings.Cut(out.String(), "\n")
		if got := strings.Join(strings.Fields(line), " "); got != c.want {
			t.Errorf("%s: %s", c.flag, got)
		}
		if data, err := os.ReadFile(run); err != nil || !strings.Contains(string(data), `"id":"q1","keys":["/s/a"`) {
			t.Errorf("%s, %v", data, err)
		}
	}
	if err := harness.Try(func() { measure(options{data: t.TempDir()}, &strings.Builder{}) }); err == nil {
		t.Error("nothing to measure is no error")
	}
}
