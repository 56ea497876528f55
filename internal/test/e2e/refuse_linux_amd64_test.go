package e2e

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
	"golang.org/x/sys/unix"
)

// traceFault runs a command whose n-th system call that concerns files is not made and fails with
// errno. It returns how many such calls there were, the one that failed, and the exit code.
func traceFault(cmd *exec.Cmd, n int, errno syscall.Errno) (
	calls int, last string, exit int, err error) {
	tr := &tracee{cmd: cmd, counts: concernsFiles, at: n, hit: skipCall}
	tr.exit = func(_ *tracee, tid int) error {
		return changeRegs(tid, func(r *unix.PtraceRegsAmd64) { r.Rax = uint64(-int64(errno)) })
	}
	exit, err = tr.trace()
	return tr.calls, tr.last, exit, err
}

// skipCall has the kernel find no call to make.
func skipCall(_ *tracee, tid int) (bool, error) {
	return true, changeRegs(tid, func(r *unix.PtraceRegsAmd64) { r.Orig_rax = ^uint64(0) })
}

func changeRegs(tid int, fn func(*unix.PtraceRegsAmd64)) error {
	var r unix.PtraceRegsAmd64
	if err := unix.PtraceGetRegsAmd64(tid, &r); err != nil {
		return err
	}
	fn(&r)
	return unix.PtraceSetRegsAmd64(tid, &r)
}

// reading are the calls that look at files, besides those that change them.
var reading = map[int]string{
	unix.SYS_READ: "read", unix.SYS_PREAD64: "pread64", unix.SYS_FSTAT: "fstat",
	unix.SYS_NEWFSTATAT: "newfstatat", unix.SYS_GETDENTS64: "getdents64", unix.SYS_FLOCK: "flock",
}

// concernsFiles leaves out standard error, where a failure is reported.
func concernsFiles(info *syscallInfo) (string, bool) {
	if info.nr == unix.SYS_WRITE && info.args[0] == 2 {
		return "", false
	}
	if name, ok := reading[int(info.nr)]; ok {
		return name, true
	}
	name, ok := changing[int(info.nr)]
	return name, ok
}

// sufferers are the commands, besides the victims of kills, whose calls fail.
var sufferers = append([]victim{
	{name: "get", args: []string{"get", "/a"}},
	{name: "get of what is not there", args: []string{"get", "/gone"}},
	{name: "ls", args: []string{"ls"}},
	{name: "read", args: []string{"read"}},
	{name: "search", args: []string{"search", "1"}},
	{name: "notes", ready: (*killWorld).noted, args: []string{"notes"}},
	{name: "read of notes", ready: (*killWorld).noted, args: []string{"read", "--format", "notes"}},
	{name: "query", args: []string{"query", ".content"}},
	{name: "history", args: []string{"history", "/a"}},
	{name: "export", args: []string{"export"}},
	{name: "export of a page", args: []string{"export", "--format", "memory-md"}},
	{name: "stat", args: []string{"stat"}},
	{name: "fsck", args: []string{"fsck"}},
	{name: "init", ready: (*killWorld).nothing, args: []string{"init"}},
	{name: "reject", ready: (*killWorld).quarantined, args: []string{"reject", "--yes", "/kb/fact"},
		to: map[string]string{"/untrusted/kb/fact": ""}},
	{name: "approve with a source", ready: (*killWorld).quarantined, args: []string{"approve", "--yes",
		"/kb/fact", "--kind", "web", "--name", "x.org", "--url", "https://x.org/spec"},
		to: map[string]string{"/kb/fact": "8", "/untrusted/kb/fact": ""}},
	{name: "setup", ready: (*killWorld).client, args: []string{"setup", "claude-code"}},
	{name: "setup --remove", ready: (*killWorld).wired,
		args: []string{"setup", "claude-code", "--remove"}},
}, victims...)

// client has the settings of a coding agent, with something of the user's in them.
func (w *killWorld) client() {
	w.usual()
	w.must(os.MkdirAll(w.home()+"/.claude", 0o700))
	w.must(os.WriteFile(w.home()+"/.claude/settings.json",
		[]byte("{\n  \"model\": \"mine\" // and mine\n}\n"), 0o600))
	w.must(os.WriteFile(w.home()+"/.claude/CLAUDE.md", []byte("Mine.\n"), 0o600))
}

func (w *killWorld) wired() {
	w.client()
	w.succeeds("setup", "claude-code")
}

// owned is what is in the files of the client, but for drafts and copies.
func (w *killWorld) owned() map[string]string {
	texts := map[string]string{}
	for _, name := range []string{"settings.json", "CLAUDE.md"} {
		if text, err := os.ReadFile(w.home() + "/.claude/" + name); err == nil {
			texts[name] = strings.ReplaceAll(string(text), w.root, "ROOT")
		}
	}
	return texts
}

// Each system call of the real binary that concerns files fails in turn: it gives the whole right
// answer, or leaves with 6 and one line that says why. What was acknowledged stays, and the next
// set works.
func TestEverySystemCallFails(t *testing.T) {
	t.Parallel()
	err := tracing()
	testkit.Need(t, err == nil, fmt.Sprintf("processes cannot be traced here: %v", err))
	bin := filepath.Join(buildMem(t), "mem")
	errnos, runs := []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EACCES, syscall.EMFILE}, 0
	ran := 0
	drawn := testkit.Sample(t, sufferers, 4, 4)
	for i, v := range drawn {
		t.Run(v.name, func(t *testing.T) {
			ran++
			want, calls := suffer(t, bin, v, 0, 0)
			step := testkit.Extent(1+calls/3, 1+calls/3, 1)
			for n := 1 + i%step; n <= calls && !t.Failed(); n += step {
				got, _ := suffer(t, bin, v, n, errnos[n%len(errnos)])
				got.compare(t, want)
				runs++
			}
			t.Logf("%d calls that concern files", calls)
		})
	}
	t.Logf("%d faults", runs)
	if wanted := testkit.Extent(10, 80, 2700); ran == len(drawn) && runs < wanted {
		t.Errorf("want %d", wanted)
	}
}

// suffering is one run of a command, and what it left.
type suffering struct {
	w           *killWorld
	v           victim
	what, cause string
	exit        int
	out, errs   string
	was, owned  map[string]string // the files of a client, before and after
	sound       bool              // nothing is left for fsck
}

// suffer runs a command on a new store with its n-th call failing; with n 0 none does, and the
// number of calls comes back.
func suffer(t *testing.T, bin string, v victim, n int, errno syscall.Errno) (*suffering, int) {
	t.Helper()
	s := &suffering{w: newKillWorld(t, bin, v), v: v, cause: errno.Error()}
	s.was = s.w.owned()
	cmd := s.w.mem(v.args...)
	stdin := s.w.file("stdin", v.stdin)
	stdout, stderr := s.w.file("stdout", ""), s.w.file("stderr", "")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	calls, last, exit, err := traceFault(cmd, n, errno)
	s.w.must(err)
	s.exit, s.out, s.errs = exit, s.w.text(stdout), s.w.text(stderr)
	s.owned, s.sound = s.w.owned(), s.w.mem("fsck").Run() == nil
	s.what = fmt.Sprintf("%s: call %d (%s) fails with %q", v.name, n, last, s.cause)
	return s, calls
}

// file makes a file next to the store.
func (w *killWorld) file(name, text string) *os.File {
	w.t.Helper()
	path := w.root + "." + name
	w.must(os.WriteFile(path, []byte(text), 0o600))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	w.must(err)
	w.t.Cleanup(func() { f.Close() })
	return f
}

// text reads such a file, without the name of the root.
func (w *killWorld) text(f *os.File) string {
	w.t.Helper()
	text, err := os.ReadFile(f.Name())
	w.must(err)
	return strings.ReplaceAll(string(text), w.root, "ROOT")
}

func (s *suffering) compare(t *testing.T, want *suffering) {
	t.Helper()
	var told []string
	for line := range strings.Lines(s.errs) {
		if !strings.HasPrefix(line, "mem: hint: ") && !strings.HasPrefix(line, "mem: warning: ") {
			told = append(told, line)
		}
	}
	switch {
	case s.exit == 6:
		if len(told) != 1 || !strings.HasPrefix(told[0], "mem: ") ||
			!strings.Contains(told[0], s.cause) {
			t.Errorf("%s: stderr does not say so in one line: %s", s.what, s.errs)
		}
	case s.exit != want.exit || s.out != want.out:
		t.Errorf("%s: exit %d, want 6 or %d with\n%s\ngot\n%s%.600s", s.what, s.exit, want.exit,
			want.out, s.out, s.errs)
	}
	for name, text := range s.owned {
		if text != want.owned[name] && (s.exit == 0 || text != s.was[name]) {
			t.Errorf("%s (exit %d): %s is %q", s.what, s.exit, name, text)
		}
	}
	if len(s.owned) != len(want.owned) && len(s.owned) != len(s.was) {
		t.Errorf("%s: left is %v", s.what, s.owned)
	}
	if s.exit == 0 && s.errs == "" && want.sound && !s.sound {
		t.Errorf("%s: exit 0 and not a word, and then fsck finds something", s.what)
	}
	if s.exit == 0 || strings.Contains(s.errs, "stored in the log") {
		maps.Copy(s.w.ack, s.v.to)
	}
	s.w.what = s.what
	s.w.aftermath(s.v, 0, 0)
}
