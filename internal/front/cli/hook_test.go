package cli

import (
	"io"
	"io/fs"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
)

// A hook meets every fault at each of its calls of the disk, once, and from there on: it leaves
// with 0, says nothing on stderr, and on stdout what it would have said without, or nothing.
func TestFaultsNeverDisturbAConversation(t *testing.T) {
	t.Setenv("MEM_NOW", "2026-02-22T11:00:00Z")
	t.Setenv("MEM_HOOK_DEADLINE", "1m")
	for _, event := range []string{
		`{"hook_event_name":"SessionStart","session_id":"s"}`,
		`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"which letter was it?"}`,
	} {
		f := newFaulty(t, order{args: []string{"hook", "claude-code"}, stdin: event})
		want := f.clean()
		if want.stdout == "" || want.calls < 10 {
			t.Fatalf("%s: %d calls, and said %q", event, want.calls, want.stdout)
		}
		stride, silent := 1, 0
		if !long() {
			stride += want.calls / 24
		}
		for n := 1; n <= want.calls; n += stride {
			for i, errno := range faults {
				if !long() && i != n/stride%len(faults) {
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
	if got.exit != exitDone || got.stderr != "" || got.stdout != "" && got.stdout != want.stdout {
		f.t.Errorf("call %d (%s) fails with %q, once %v: exit %d, stdout %q, stderr %q",
			n, got.hit, errno, once, got.exit, got.stdout, got.stderr)
	}
	f.recovers(got.hit)
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
