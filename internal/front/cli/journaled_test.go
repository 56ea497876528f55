package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The journal names the newest record of a compaction, also where nothing is left: it is a
// tombstone then, or a record that has expired.
func TestJournalOfCompactionWithoutRecords(t *testing.T) {
	for name, c := range map[string]struct {
		lines [][]string
		want  string
	}{
		"deleted": {[][]string{{"rm", "/a", "-s", "ada"}},
			`"key":"/a","ts":"2026-02-22T11:00:00.000000Z","valid":false,"source":"ada"`},
		"expired": {[][]string{{"set", "/a", `{"text":"x","expires_at":"2026-02-22T10:30:00Z"}`,
			"-s", "eve", "--now", "2026-02-22T10:00:01Z"}},
			`"key":"/a","ts":"2026-02-22T10:00:01.000000Z","valid":true,"source":"eve"`},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			t.Setenv("MEM_ROOT", root)
			t.Setenv("MEM_NOW", "2026-02-22T11:00:00Z")
			set := []string{"set", "/a", "1", "-s", "t", "--now", "2026-02-22T10:00:00Z"}
			for _, args := range append([][]string{set}, append(c.lines, []string{"compact"})...) {
				if code := Run(args, strings.NewReader(""), io.Discard, io.Discard,
					testBuild); code != exitDone {
					t.Fatalf("%v: exit %d", args, code)
				}
			}
			text, err := os.ReadFile(filepath.Join(root, "ops.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			_, line, _ := strings.Cut(string(text), `"op":"compact",`)
			if !strings.HasPrefix(line, c.want) {
				t.Errorf("%s\nwant %s", line, c.want)
			}
		})
	}
}
