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

// differing returns the lines that only one of two trees has.
func differing(one, two string) (lines string) {
	for line := range strings.Lines(one + two) {
		if !strings.Contains(one, line) || !strings.Contains(two, line) {
			lines += line
		}
	}
	return lines
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
		t.Errorf("changed:\n%s", differing(before, after))
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

// reading are the verbs that change no memory, with what makes others of them read.
var reading = []string{"get /j", "get /soon", "read", "read --format private --agent a",
	"search word",
	"ls", "ls -l", "ls --expired", "notes", "query {key}", "history /j", "history", "diff /j",
	"prompt", "export", "bundle --session s1 --agent a", "injections", "session list",
	"session show s1", "doctor", "stat", "fsck", "audit", "config list", "agent list", "where",
	"approve", "setup --check claude-code", "compact --if-needed", "version"}

// To read at another time changes nothing on disk but the journals, by a person too: what has
// expired at that time has not expired at the clock's.
func TestReadingAtAnotherTimeChangesNothing(t *testing.T) {
	seedJSON(t)
	prompt := `{"hook_event_name":"UserPromptSubmit","session_id":"c","prompt":` +
		`"Always run make fmt before a commit"}`
	for _, line := range []string{"set /soon --text soon -s t --ttl 30d",
		"set /rules/user/r --type rule --text rule -s t --ttl 30d --yes"} {
		if code, _, stderr := runAt(t, time.Now(), "", line); code != exitDone {
			t.Fatalf("%s: %s", line, stderr)
		}
	}
	t.Setenv("CLAUDECODE", "1")
	runAt(t, time.Now(), "", "forget /rules/user/r --propose")
	start := `{"hook_event_name":"SessionStart","source":"startup","session_id":"c"}`
	for _, event := range []string{start, prompt, start} { // which leaves nothing to derive
		runAt(t, time.Now(), event, "hook claude-code")
	}
	os.Unsetenv("CLAUDECODE")
	_, waiting, _ := runAt(t, time.Now(), "", "approve --json")
	if strings.Count(waiting, `"id"`) != 2 {
		t.Fatalf("what waits: %s", waiting)
	}
	before := treeHere(t, "ops.jsonl", "injections.jsonl")
	for _, years := range []int{10, -10} {
		for _, line := range append([]string{"hook claude-code"}, reading...) {
			code, _, stderr := runAt(t, time.Now().AddDate(years, 0, 0), start, line)
			if code > exitNo {
				t.Errorf("%s: exit %d, %s", line, code, stderr)
			}
			if after := treeHere(t, "ops.jsonl", "injections.jsonl"); after != before {
				t.Fatalf("%s %d years off: %s", line, years, differing(before, after))
			}
		}
	}
	if _, now, _ := runAt(t, time.Now(), "", "approve --json"); now != waiting {
		t.Errorf("what waits was %s, and is %s", waiting, now)
	}
	if code, out, _ := runAt(t, time.Now(), "", "fsck"); code != exitDone {
		t.Error(out)
	}
}

// After a compaction by a clock that was ahead each verb and the hooks still have what has not
// expired, and the next compaction puts the state right.
func TestACompactionByAWrongClockHidesNothing(t *testing.T) {
	seedJSON(t)
	now := time.Now()
	expiry := ` --expires ` + now.AddDate(0, 1, 0).UTC().Format(time.RFC3339)
	for _, line := range []string{"set /user/dentist --text dentist -s t" + expiry,
		"set /rules/user/r --type rule --text dentist-rule -s t --yes" + expiry,
		"touch m-1 --tag dentist" + expiry,
		"set /past --text dentist-past -s t --expires 2026-01-01T00:00:00Z"} {
		if code, _, stderr := runAt(t, now, "", line); code != exitDone {
			t.Fatalf("%s: %s", line, stderr)
		}
	}
	start := `{"hook_event_name":"SessionStart","source":"startup","session_id":"%d"}`
	verbs := []string{"get /user/dentist", "ls --keys", "search dentist", "read --tags dentist",
		"query {key}", "notes", "export", "hook claude-code", "history"}
	said := func(turn int) (answers []string) {
		for _, line := range verbs {
			code, out, stderr := runAt(t, now, fmt.Sprintf(start, turn), line)
			if code != exitDone || strings.Contains(out, "dentist-past") && line != "history" {
				t.Errorf("%s: exit %d, %s%s", line, code, out, stderr)
			}
			answers = append(answers, line+": "+out)
		}
		return answers
	}
	runAt(t, now, "", "compact")
	want := said(1)
	if all := strings.Join(want, ""); strings.Count(all, "dentist-rule") < 3 {
		t.Fatalf("%s", all)
	}
	if code, _, stderr := runAt(t, now.AddDate(10, 0, 0), "", "compact"); code != exitDone {
		t.Fatal(stderr)
	}
	same := func(turn int) {
		for i, got := range said(turn) {
			if got != want[i] {
				t.Errorf("turn %d: the answer was\n%s\nand is\n%s", turn, want[i], got)
			}
		}
	}
	same(2)
	if code, out, _ := runAt(t, now, "", "fsck"); code != exitDone {
		t.Error(out)
	}
	if _, out, _ := runAt(t, now, "", "doctor"); !strings.Contains(out, "a clock that was ahead") {
		t.Errorf("doctor: %s", out)
	}
	if _, out, _ := runAt(t, now, "", "compact --if-needed"); !strings.Contains(out, "folded in") {
		t.Errorf("nothing is due: %s", out)
	}
	state, err := os.ReadFile("memory/state.jsonl")
	if err != nil || !strings.Contains(string(state), "/user/dentist") ||
		strings.Contains(string(state), "/past") {
		t.Errorf("%v: the state is %s", err, state)
	}
	same(3)
}
