//go:build linux

package e2e

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// A start has the facts of a project beside thousands of tasks or handoffs, before a compaction,
// where all records are read, and after it, where the ranking columns are.
func TestStartBesideACrowd(t *testing.T) {
	t.Parallel()
	bin := buildMem(t)
	for _, crowd := range []string{`"type":"task","status":"done"`, `"type":"task"`,
		`"type":"handoff"`} {
		t.Run(crowd, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			run := func(line, in string) string {
				t.Helper()
				cmd := exec.Command("bash", "-c", line)
				cmd.Dir, cmd.Env = home, sessionEnv(bin, home, "")
				cmd.Stdin = strings.NewReader(in)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v: %.300s", line, err, out)
				}
				return string(out)
			}
			var in strings.Builder
			for i := range 2000 {
				fmt.Fprintf(&in, `{"key":"/x/%d","content":{%s,"text":"Step %d of x%d"},"source":"t"}`+
					"\n", i, crowd, i, i)
			}
			for i := range 10 {
				fmt.Fprintf(&in, `{"key":"/f/%d","content":{"type":"convention","text":"Ground%d is %d"},`+
					`"source":"t"}`+"\n", i, i, i)
			}
			run("mem set - -q", in.String())
			for range 2 {
				event := `{"hook_event_name":"SessionStart","session_id":"s"}`
				if said := run("mem hook claude-code", event); strings.Count(said, "Ground") != 10 {
					t.Errorf("%d of 10 facts: %.500s", strings.Count(said, "Ground"), said)
				}
				run("rm -f .local/share/mem/injections.jsonl; mem compact -q; mem fsck", "")
			}
		})
	}
}
