package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/front/setup"
)

// rush runs an event in many hooks at a time, each with a store of its own on the same files as
// processes have, and returns their answers.
func (f *fixture) rush(event string) string {
	f.Helper()
	const hooks = 24
	var all, open sync.WaitGroup
	open.Add(hooks)
	answers := make([]strings.Builder, hooks)
	for i := range answers {
		h := f.hook
		h.Open = func(string) (*View, error) {
			view := f.view
			view.Store = f.open(f.dir)
			f.Cleanup(func() { view.Store.Close() })
			open.Done()
			open.Wait() // all read the record before one of them claims something
			return &view, nil
		}
		all.Go(func() { h.Run(strings.NewReader(event), &answers[i]) })
	}
	all.Wait()
	var text strings.Builder
	for i := range answers {
		text.WriteString(answers[i].String())
	}
	return text.String()
}

// Of concurrent hooks of a conversation one delivers a memory.
func TestConcurrentHooks(t *testing.T) {
	for _, client := range []string{"claude-code", "codex"} {
		f := newFixture(t, client, port, deploys)
		for round := range 8 {
			event := []string{askPort, start("startup")}[round%2]
			event = strings.ReplaceAll(event, "s1", fmt.Sprint("c", round))
			if n := strings.Count(f.rush(event), "5432"); n != 1 {
				t.Errorf("%s: %s: delivered %d times", client, event, n)
			}
		}
	}
}

// VS Code runs the hooks of Claude Code's settings beside its own: one of both starts delivers, and
// either alone does. A start of Claude Code itself is no start of VS Code.
func TestStartsOfVSCode(t *testing.T) {
	const event = `{"timestamp":"2026-02-09T10:30:00.000Z","cwd":"/k","sessionId":"s1",` +
		`"hookEventName":"SessionStart","source":"new"}`
	const snake = `{"session_id":"s1","hook_event_name":"SessionStart","source":"new"}`
	for _, order := range [][]string{{"vscode", "claude-code"}, {"claude-code", "vscode"}} {
		for _, event := range []string{event, snake} {
			f := newFixture(t, order[0], port)
			for i, client := range order {
				f.hook.Client = setup.ClientByName(client)
				var out strings.Builder
				f.hook.Run(strings.NewReader(event), &out)
				if got := strings.Count(out.String(), "5432"); got != 1-i {
					t.Errorf("%s after %s delivers %d times", client, order[:i], got)
				}
			}
			f.hook.Client = setup.ClientByName("claude-code")
			if got := f.deliver(start("startup")); !strings.Contains(got, "5432") {
				t.Errorf("Claude Code beside VS Code: %q", got)
			}
		}
	}
}

// Where nothing can be recorded, every hook answers.
func TestConcurrentHooksWithoutARecord(t *testing.T) {
	f := newFixture(t, "claude-code", port)
	file := filepath.Join(f.dir, "injections.jsonl")
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(f.rush(askPort), "5432"); n != 24 {
		t.Errorf("delivered %d times", n)
	}
	os.Remove(file)
	f.view.Unrecorded = true
	if n := strings.Count(f.rush(askPort), "5432"); n != 24 {
		t.Errorf("unrecorded: delivered %d times", n)
	}
}
