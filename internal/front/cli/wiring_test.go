package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/front/setup"
)

// Two rooms know the clients: setup what their files look like, hook what they say. Each event that
// setup wires in is answered by the hook it wires in.
func TestWhatSetupWiresIsAnswered(t *testing.T) {
	t.Setenv("MEM_NOW", "2026-02-22T10:00:00Z")
	t.Setenv("MEM_HOOK_DEADLINE", "1m")
	for _, name := range []string{
		"CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "PI_CODING_AGENT_DIR",
		"CLINE_DIR", "CONTINUE_GLOBAL_DIR",
		"XDG_CONFIG_HOME", "MEM_ROOT",
	} {
		t.Setenv(name, "")
	}
	asked := 0
	for _, c := range setup.Clients() {
		dir, root := t.TempDir(), filepath.Join(t.TempDir(), "memory")
		t.Chdir(dir)
		t.Setenv("HOME", dir)
		t.Setenv("USERPROFILE", dir)
		answered(t, "", "set", "/a", `"deploys run on Tuesday by ship.sh"`, "-s", "t", "--root", root, "-q")
		answered(t, "", "setup", c.Name, "-q")
		for _, event := range eventsIn(t, dir) {
			stdin := `{"hook_event_name":"` + event + `","prompt":"when do deploys run?",` +
				`"tool_name":"` + toolOf(c, event) + `","tool_input":{"file_path":"/x/ship.sh",` +
				`"command":"*** Update File: /x/ship.sh"}}`
			said := answered(t, stdin, "hook", c.Name, "--root", root)
			if captures(c, event) {
				if said != "" {
					t.Errorf("%s: %s only captures, and said %q", c.Name, event, said)
				}
			} else if !strings.Contains(said, "Tuesday") {
				t.Errorf("%s: nothing is said at %s", c.Name, event)
			}
			asked++
		}
	}
	if asked < 9 {
		t.Errorf("only %d events are wired in", asked)
	}
}

// captures reports whether an event only fills the memory.
func captures(c *setup.Client, event string) bool {
	return slices.ContainsFunc(c.Hooks.Events, func(e setup.Event) bool {
		return e.Name == event && e.Capture
	})
}

// toolOf returns a tool that the hook of an event is wired for; "" for none.
func toolOf(c *setup.Client, event string) string {
	for _, e := range c.Hooks.Events {
		if e.Name == event {
			tool, _, _ := strings.Cut(cmp.Or(e.Edits, e.Matcher), "|")
			return tool
		}
	}
	return ""
}

// answered runs a command that must succeed.
func answered(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	var out, stderr bytes.Buffer
	if exit := Run(args, strings.NewReader(stdin), &out, &stderr, testBuild); exit != exitDone {
		t.Fatalf("mem %v: exit %d: %s", args, exit, stderr.String())
	}
	return out.String()
}

// eventsIn returns the events of all settings below a directory, and those that a plugin names.
func eventsIn(t *testing.T, dir string) (events []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		var settings struct{ Hooks map[string]any }
		switch filepath.Ext(path) {
		case ".json":
			err = json.Unmarshal(text, &settings)
		case ".ts":
			for _, event := range []string{"SessionStart", "UserPromptSubmit"} {
				if bytes.Contains(text, []byte(event)) {
					events = append(events, event)
				}
			}
		}
		for event := range settings.Hooks {
			events = append(events, event)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}
