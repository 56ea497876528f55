package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"
)

// runAt runs a command line with a time in MEM_NOW.
func runAt(t *testing.T, at time.Time, stdin, line string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("MEM_NOW", at.UTC().Format(time.RFC3339))
	var out, failed bytes.Buffer
	code = Run(strings.Fields(line), strings.NewReader(stdin), &out, &failed, testBuild)
	return code, out.String(), failed.String()
}

// treeHere returns the names and the sums of all files below the working directory, but those that
// a test leaves out.
func treeHere(t *testing.T, without ...string) string {
	t.Helper()
	var text strings.Builder
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		for _, name := range without {
			if e.Name() == name {
				return nil
			}
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&text, "%s %x\n", path, sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// A client runs no verb at a time later than the clock's, and no file changes.
func TestEveryVerbRefusesAClientALaterTime(t *testing.T) {
	seedJSON(t)
	t.Setenv("CLAUDECODE", "1")
	before := treeHere(t)
	for _, name := range namesOfVerbs() {
		if name == "hook" {
			continue
		}
		line := name + " " + jsonArgs[name]
		code, out, stderr := runAt(t, time.Now().Add(time.Hour), "", line)
		if code != exitInput || out != "" || strings.Count(stderr, "\n") != 2 ||
			!strings.HasPrefix(stderr, "mem: MEM_NOW: it is later than the clock") ||
			!strings.HasSuffix(stderr, "mem: hint: unset MEM_NOW\n") {
			t.Errorf("%s: exit %d, %q, %q", line, code, out, stderr)
		}
	}
	for _, line := range []string{"compact", "import notes.jsonl", "sync", "backup x", "restore x",
		"fsck --repair", "fsck --repair --trust-clock"} {
		code, _, stderr := runAt(t, time.Now().Add(-25*time.Hour), "", line)
		if code != exitInput || !strings.Contains(stderr, "more than a day before the clock") {
			t.Errorf("%s a day ago: exit %d, %q", line, code, stderr)
		}
	}
	if after := treeHere(t); after != before {
		t.Errorf("the files were\n%sand are\n%s", before, after)
	}
	if code, _, stderr := runAt(t, time.Now(), "", "fsck --trust-clock"); code != exitRefused {
		t.Errorf("a client trusts the clock: exit %d, %q", code, stderr)
	}
	if code, _, stderr := runAt(t, time.Now().Add(-25*time.Hour), "", "fsck"); code != exitDone {
		t.Errorf("a check a day ago: exit %d, %q", code, stderr)
	}
}

// A hook answers by the clock where MEM_NOW is ahead of it, or no time.
func TestHooksAnswerByTheClock(t *testing.T) {
	seedJSON(t)
	t.Setenv("CLAUDECODE", "1")
	start := func(session string) string {
		return `{"hook_event_name":"SessionStart","source":"startup","session_id":"` + session + `"}`
	}
	_, want, _ := runAt(t, time.Now(), start("one"), "hook claude-code")
	later := time.Now().AddDate(10, 0, 0)
	code, got, stderr := runAt(t, later, start("two"), "hook claude-code")
	if code != exitDone || got != want || !strings.Contains(got, "word") || stderr != "" {
		t.Errorf("exit %d, %q, and at the clock's time %q; %q", code, got, want, stderr)
	}
	journal, err := os.ReadFile("memory/injections.jsonl")
	if err != nil || strings.Contains(string(journal), later.Format(`"2006-`)) {
		t.Errorf("%v: %s", err, journal)
	}
	t.Setenv("MEM_NOW", "tomorrow")
	var out bytes.Buffer
	code = Run([]string{"hook", "claude-code"}, strings.NewReader(start("three")), &out, &out,
		testBuild)
	if code != exitDone || out.String() != want {
		t.Errorf("exit %d, %q", code, out.String())
	}
}
