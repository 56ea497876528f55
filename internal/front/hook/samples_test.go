package hook

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const samples = "../../../testdata/hook"

// The events in testdata/hook were captured from the clients. Each is answered as if it were the
// first of its conversation. "go test ./hook -update" writes the answers anew.
func TestCapturedEvents(t *testing.T) {
	files, err := filepath.Glob(samples + "/*/*.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	var out strings.Builder
	for _, file := range files {
		client := filepath.Base(filepath.Dir(file))
		f := newFixture(t, client, "The indentation that I like: tabs & <nothing> else",
			"The database has port 5432: 数据库端口")
		if strings.Contains(file, "Tool") {
			f.set("/k/file", "src/price.go rounds half to even")
			f.view.Root = "/home/ada/project"
		}
		fmt.Fprintf(&out, "-- %s/%s\n%s", client, filepath.Base(file), f.answer(file))
	}
	golden := filepath.Join(samples, "answers.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("the answers have changed; they are\n%s", out.String())
	}
}

// answer returns, byte for byte, what the hook prints for a sample.
func (f *fixture) answer(file string) string {
	f.Helper()
	in, err := os.Open(file)
	if err != nil {
		f.Fatal(err)
	}
	defer in.Close()
	var out strings.Builder
	f.hook.Run(in, &out)
	return out.String()
}

// Conversations of captured events: what is delivered at each of them.
func TestCapturedConversations(t *testing.T) {
	const both = "tabs, port"
	for client, steps := range map[string][][2]string{
		"claude-code": {
			{"SessionStart-startup", both},
			{"UserPromptSubmit", ""},
			{"SubagentStart", both},
			{"UserPromptSubmit-letters", ""},
			{"SessionStart-resume", ""},
			{"UserPromptSubmit", ""},
			{"SessionStart-compact", both},
			{"UserPromptSubmit", ""},
			{"Stop", ""},
		},
		"codex": {
			{"SessionStart-startup", both},
			{"UserPromptSubmit", ""},
			{"SubagentStart", both},
			{"UserPromptSubmit-subagent", ""},
			{"SessionStart-resume", ""},
			{"UserPromptSubmit", ""},
			{"SessionStart-compact", both},
			{"SessionStart-resume", ""},
		},
		"gemini": {
			{"SessionStart-startup", both},
			{"BeforeAgent-with-context", ""},
			{"AfterAgent-with-context", ""},
			{"SessionStart-resume", both},
			{"BeforeAgent", "tabs"},
			{"BeforeAgent-with-context", ""},
		},
		"qwen": {
			{"SessionStart-startup", both},
			{"UserPromptSubmit", ""},
			{"UserPromptSubmit-after-tool", ""},
			{"SessionStart-resume", both},
			{"UserPromptSubmit", ""},
		},
		"copilot": {
			{"UserPromptSubmit", "tabs"}, // which the client keeps
			{"SessionStart-resume", "port"},
			{"UserPromptSubmit-subagent", ""},
			{"SessionStart-resume", "port"},
			{"SubagentStart", ""},
		},
	} {
		f := newFixture(t, client, "The indentation that I like: tabs",
			"The database has port 5432")
		for i, step := range steps {
			answer := f.answer(filepath.Join(samples, client, step[0]+".json"))
			for _, word := range strings.Split(both, ", ") {
				if strings.Contains(answer, word) != strings.Contains(step[1], word) {
					t.Errorf("%s, step %d, %s: want %q, delivered %s",
						client, i, step[0], step[1], answer)
				}
			}
		}
	}
}

// VS Code documents two names that its source does not use; either is read.
func TestNamesThatVSCodeDocuments(t *testing.T) {
	f := newFixture(t, "vscode", port)
	for _, want := range []string{"port 5432", ""} {
		var out strings.Builder
		f.hook.Run(strings.NewReader(`{"sessionId":"s1","hookEventName":"SessionStart",`+
			`"source":"new","timestamp":"2026-02-09T10:30:00.000Z"}`), &out)
		if got := out.String(); (got != "") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("want %q: %q", want, got)
		}
	}
}
