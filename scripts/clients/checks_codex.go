package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

// notTrusted: a hook that nobody has approved is passed over, and Codex says nothing of it. So
// setup does.
func notTrusted(l *lab) {
	said := l.runMem("", "setup", l.Name, "--user")
	if !strings.Contains(said, "/hooks") {
		harness.Failf("setup does not say that the hooks are to be approved: %q", said)
	}
	said = l.runMem("", "setup", l.Name, "--check")
	if !strings.HasPrefix(said, "unapproved ") {
		harness.Failf("setup --check does not say unapproved: %q", said)
	}
	requests, shown := l.run(codexArgs(question, false, false))
	r := last(requests)
	if strings.Contains(shown.err, "\nhook:") {
		harness.Failf("codex runs or names a hook that nobody approved: %q", shown.err)
	}
	l.brings(r, important, 0)
	l.brings(r, asked, 0)
}

// sandbox: in the sandbox of Codex, memories of a store outside the project can be read; to write
// them the store must be among the writable roots.
func sandbox(l *lab) {
	store := filepath.Join(l.home, ".local", "share", "mem")
	harness.Check(os.Remove(store))
	harness.Check(os.Rename(l.root, store))
	get, err := l.sandboxed("", "mem", "get", "/project/staging/database", "--jq", ".content.summary")
	if err != nil || strings.TrimSpace(get.out) != asked {
		harness.Failf("mem get gave %q: %w", get.out, errors.Join(errArrival, err))
	}
	set, err := l.sandboxed("", "mem", "set", "/x", "1", "--source", "t")
	if code := exitCode(err); code != 6 || set.out != "" || !refusal.MatchString(set.err) {
		harness.Failf("mem set: exit code %d, want 6, and one line with its hint: %q", code, set.err)
	}
	root := fmt.Sprintf("sandbox_workspace_write.writable_roots=[%q]", store)
	if set, err = l.sandboxed(root, "mem", "set", "/x", "1", "--source", "t"); err != nil {
		harness.Failf("mem set with writable_roots: %q, %w", set.err, err)
	}
	l.runMem("", "get", "/x")
}

// refusal is what mem says where it may not write: what is the matter, and what to do.
var refusal = regexp.MustCompile(`^mem: .*: read-only file system\nmem: hint: .*\n$`)

func (l *lab) sandboxed(config string, args ...string) (screen, error) {
	// The temporary directory is open to the sandbox by default, and this lab may lie in it.
	line := []string{"sandbox", "-c", `sandbox_mode="workspace-write"`, "-c", "sandbox_workspace_write.exclude_slash_tmp=true"}
	if config != "" {
		line = append(line, "-c", config)
	}
	s, err := l.try("", l.Program, append(append(line, "--"), args...)...)
	s.err = codexWarning.ReplaceAllString(s.err, "")
	return s, err
}

// codexWarning is a line that Codex itself writes before those of the command.
var codexWarning = regexp.MustCompile(`(?m)^WARNING: .*\n`)

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}
