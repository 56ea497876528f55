package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// unattendedArgs has, for verbs that ask a person or open an editor, the arguments with which they
// would. The others run without any.
var unattendedArgs = map[string][]string{
	"edit":    {"/a", "/a --propose", "m-1", "/a --expired"},
	"forget":  {"--tag x", "--purge /b", "--purge --tag x", "--forget-key /b", "--all"},
	"approve": {"/kb/one", "--all", ""},
	"reject":  {"/kb/one", "--all"},
	"trust":   {"", "--revoke", "--list"},
	"import":  {"notes.jsonl --mine", "notes.jsonl"},
	"fsck": {"--adopt", "--repair", "--trust-clock --repair",
		"--accept-loss archive/log_20260222T120000Z.jsonl", ""},
	"init":           {"--shared", "--remote https://127.0.0.1:1/t", ""},
	"session delete": {"s1 --purge", "s1"},
	"agent delete":   {"a --purge", "a"},
	"token add":      {"t", "t --person"},
	"token revoke":   {"t"},
	"token login":    {"https://127.0.0.1:1/t"},
	"token logout":   {"https://127.0.0.1:1/t"},
	"key create":     {"k"},
	"sync init":      {"depot"},
	"sync join":      {"depot"},
	"sync accept":    {"m"},
	"sync remove":    {"m"},
	"sync":           {"", "--check"},
	"backup":         {"kept", ""},
	"restore":        {"kept", "none"},
	"project link":   {"", "elsewhere"},
	"config set":     {"inject.prompt_ms 10", "memory.max_notes 5", "capture.user false"},
	"setup":          {"", "--all", "--check", "claude-code", "claude-code --remove", "codex --bridge"},
	"space add":      {"postgres://127.0.0.1:1/db"},
	"migrate":        {"", "postgres://127.0.0.1:1/db"},
	"off":            {"", "--project"},
	"move":           {"/a --to project"},
	"copy":           {"memory copied"},
	"compact":        {"", "--if-needed"},
	"undo":           {"/a", "--last"},
	"journal":        {"x --agent a"},
	"core":           {"x --agent a"},
}

// readsInput has the verbs that read standard input to its end where nothing else is given, or
// answer it until it ends: theirs is empty, and never left open.
var readsInput = map[string]string{
	"hook":        "a client's event",
	"mcp":         "the messages of a client",
	"memory-tool": "a command of a model",
	"token login": "a token",
	"depot":       "the other side of an exchange",
	"depot serve": "the other side of an exchange",
}

// serves has the verbs that run until they are stopped.
var serves = map[string]string{
	"serve": "HTTP", "page": "a browser",
}

// Without a terminal no verb waits for a person: not for the answer to a question, and not for an
// editor, which would be vi here.
func TestNoVerbWaitsWithoutATerminal(t *testing.T) {
	t.Parallel()
	u := newUnattended(t)
	n := 0
	for _, verb := range verbsBelow(t, u.bin) {
		for _, sub := range append([]string{""}, verbsBelow(t, u.bin, verb)...) {
			name := strings.TrimSpace(verb + " " + sub)
			n++
			if serves[name] != "" {
				continue
			}
			lines := unattendedArgs[name]
			if lines == nil {
				lines = []string{""}
			}
			for _, line := range lines {
				u.run(name, line, false)
				if readsInput[name] == "" {
					u.run(name, line, true)
				}
			}
		}
	}
	if n < leastVerbs {
		t.Errorf("only %d verbs were found", n)
	}
	if _, err := os.Stat(filepath.Join(u.home, "vi-ran")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an editor was started: %v", err)
	}
	u.must("fsck")
}

// unattended is a home with a memory, for calls without a terminal.
type unattended struct {
	*testing.T
	bin, home string
}

func newUnattended(t *testing.T) *unattended {
	u := &unattended{t, buildMem(t), t.TempDir()}
	files := map[string]string{
		"stubs/vi":    "#!/bin/sh\n: > \"$HOME/vi-ran\"\nexec sleep 3600\n",
		"notes.jsonl": `{"key":"/z","content":"z","source":"s"}` + "\n",
	}
	for name, text := range files {
		path := filepath.Join(u.home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(text), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"set /a 1 -s t", "set /b 2 -s t", "note x --tag x",
		"set /kb/one 1 -s x --on-untrusted quarantine", "session create --id s1",
		"journal x --agent a"} {
		u.must(strings.Fields(line)...)
	}
	return u
}

func (u *unattended) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(u.bin, "mem"), args...)
	cmd.Dir = u.home
	cmd.Env = []string{"HOME=" + u.home, "MEM_ROOT=" + filepath.Join(u.home, "memory"),
		"PATH=" + filepath.Join(u.home, "stubs") + ":" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

func (u *unattended) must(args ...string) {
	u.Helper()
	if out, err := u.command(context.Background(), args...).CombinedOutput(); err != nil {
		u.Fatalf("mem %v: %v\n%s", args, err, out)
	}
}

// run runs a verb, and fails where it has to be killed. Its input is empty, or a pipe that nobody
// writes to.
func (u *unattended) run(name, line string, open bool) {
	u.Helper()
	const longest = 2 * time.Minute // far above what any takes: only a hang gets there
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	cmd := u.command(ctx, slices.Concat(strings.Fields(name), strings.Fields(line))...)
	if open {
		r, w, err := os.Pipe()
		if err != nil {
			u.Fatal(err)
		}
		defer w.Close()
		defer r.Close()
		cmd.Stdin = r
	}
	out, _ := os.Create(filepath.Join(u.home, "out"))
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out // no pipe that a process of its own would keep open
	if err := cmd.Run(); ctx.Err() != nil {
		text, _ := os.ReadFile(out.Name())
		u.Errorf("mem %s %s, input open %v: killed: %v\n%.300s", name, line, open, err, text)
	}
}
