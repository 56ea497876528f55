package cli

import (
	"encoding/json"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/test/testkit"
)

// A hook meets every fault at each of its calls of the disk, once, and from there on: it leaves
// with 0, says nothing on stderr, and on stdout what it would have said without, or nothing; or, to
// the person, that a request is not stored or may be lost.
func TestFaultsNeverDisturbAConversation(t *testing.T) {
	t.Setenv("MEM_NOW", "2026-02-22T11:00:00Z")
	t.Setenv("MEM_HOOK_DEADLINE", "1m")
	for _, tc := range []struct {
		event string
		ready func(*faulty)
		says  bool
		leave string // what it leaves in the inbox
	}{
		{event: startOfS, says: true, leave: `"session":"s"`},
		{event: promptOfS("which letter was it?"), says: true},
		{event: promptOfS("Remember that tea is green"), leave: `"text":"tea is green"`},
		{event: promptOfS("Remember that the letter is a"), ready: (*faulty).conversing,
			leave: `"tool":"prompt"`},
		{event: toolOfS("PostToolUse", "go test ./..."), ready: (*faulty).conversing,
			leave: `"command":"go test ./..."`},
		{event: `{"hook_event_name":"SessionEnd","session_id":"s","cwd":"/"}`,
			ready: (*faulty).conversing, leave: `"class":"command-after-failure"`},
	} {
		o := order{args: []string{"hook", "claude-code"}, stdin: tc.event, ready: tc.ready}
		f := newFaulty(t, o)
		want := f.clean()
		if (want.stdout != "") != tc.says || want.calls < 4 ||
			!strings.Contains(f.captured(), tc.leave) {
			t.Fatalf("%s: %d calls, said %q, and left %s", tc.event, want.calls, want.stdout,
				f.captured())
		}
		some, silent := 1+want.calls/24, 0
		stride := testkit.Extent(min(4*some, want.calls), some, 1)
		for n := testkit.First(t, stride); n <= want.calls; n += stride {
			for i, errno := range faults {
				if testkit.Extent(true, true, false) && i != n/stride%len(faults) {
					continue
				}
				for _, once := range []bool{true, false} {
					if f.disturbs(want, n, errno, once) {
						silent++
					}
				}
			}
		}
		t.Logf("%d calls, silent after %d faults", want.calls, silent)
	}
}

const startOfS = `{"hook_event_name":"SessionStart","session_id":"s","cwd":"/"}`

func promptOfS(text string) string {
	return `{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"/","prompt":"` + text +
		`"}`
}

func toolOfS(event, command string) string {
	return `{"hook_event_name":"` + event + `","session_id":"s","cwd":"/","tool_name":"Bash",` +
		`"error":"Exit code 127","tool_input":{"command":"` + command + `"}}`
}

// conversing has a conversation in which a command failed, and another one took its place.
func (f *faulty) conversing() {
	f.t.Helper()
	for _, event := range []string{startOfS, toolOfS("PostToolUseFailure", "pytest"),
		toolOfS("PostToolUse", "poetry run pytest")} {
		if a := f.run(event, "hook", "claude-code"); a.exit != exitDone || a.stderr != "" {
			f.t.Errorf("%s: exit %d: %s", event, a.exit, a.stderr)
		}
	}
}

// captured returns all that hooks have kept of conversations.
func (f *faulty) captured() string {
	f.t.Helper()
	var all strings.Builder
	box := inbox.In(f.outside("OUTSIDE/state/mem"), time.Now)
	f.must(box.Each(func(_ string, line []byte) { all.Write(line) }))
	return all.String()
}

// requests reports whether the event is a prompt that asks to remember something.
func (f *faulty) requests() bool { return strings.Contains(f.o.stdin, "Remember that") }

// disturbs runs the hook with a fault, and reports whether it was silent.
func (f *faulty) disturbs(want reaction, n int, errno syscall.Errno, once bool) bool {
	f.t.Helper()
	f.make()
	got := f.hooked(func(i int, op disk.Op, path string) error {
		if i < n || once && i > n {
			return nil
		}
		return &fs.PathError{Op: string(op), Path: path, Err: errno}
	})
	warns := strings.HasPrefix(got.stdout, `{"systemMessage":"mem: your request `)
	if got.exit != exitDone || got.stderr != "" ||
		got.stdout != "" && got.stdout != want.stdout && !(warns && f.requests()) {
		f.t.Errorf("call %d (%s) fails with %q, once %v: exit %d, stdout %q, stderr %q",
			n, got.hit, errno, once, got.exit, got.stdout, got.stderr)
	}
	f.recovers(got.hit)
	f.ok("approve", "--json", "-q")
	for line := range strings.Lines(f.captured()) {
		if !json.Valid([]byte(line)) {
			f.t.Errorf("%s: the inbox has %q", got.hit, line)
		}
	}
	return got.stdout == ""
}

// A clock that is set to one instant, as tests do and people forget, gives a hook no more time: it
// is a person who waits.
func TestDeadlineGoesByTheRealClock(t *testing.T) {
	t.Setenv("MEM_NOW", "2026-02-22T11:00:00Z")
	in, client := io.Pipe()
	defer client.Close()
	// The input never ends: only the deadline of the hook ends it.
	args := []string{"hook", "codex", "--now", "2026-02-22T11:00:00Z"}
	if exit := Run(args, in, io.Discard, io.Discard, testBuild); exit != exitDone {
		t.Errorf("exit %d", exit)
	}
}
