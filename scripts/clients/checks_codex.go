package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// notTrusted: a hook that nobody has approved is passed over, and Codex says nothing of it. So
// setup does.
func notTrusted(l *lab) error {
	said, err := l.runMem("", "setup", l.Name, "--user")
	if err != nil || !strings.Contains(said, "/hooks") {
		return fmt.Errorf("setup does not say that the hooks are to be approved: %q, %w", said, errors.Join(errArrival, err))
	}
	said, err = l.runMem("", "setup", l.Name, "--check")
	if err != nil || !strings.HasPrefix(said, "unapproved ") {
		return fmt.Errorf("setup --check does not say unapproved: %q, %w", said, errors.Join(errArrival, err))
	}
	requests, shown, err := l.run(codexArgs(question, false, false))
	if err != nil {
		return err
	}
	r, err := last(requests)
	if err != nil {
		return err
	}
	if strings.Contains(shown.err, "\nhook:") {
		return fmt.Errorf("codex runs or names a hook that nobody approved: %q", shown.err)
	}
	return errors.Join(l.brings(r, important, 0), l.brings(r, asked, 0))
}

// sandbox: in the sandbox of Codex, memories of a store outside the project can be read; to write
// them the store must be among the writable roots.
func sandbox(l *lab) error {
	store := filepath.Join(l.home, ".local", "share", "mem")
	if err := os.Remove(store); err != nil { // setup has made it, and it is empty
		return err
	}
	if err := os.Rename(l.root, store); err != nil {
		return err
	}
	get, err := l.sandboxed("", "mem", "get", "/project/staging/database", "--jq", ".content.summary")
	if err != nil || strings.TrimSpace(get.out) != asked {
		return fmt.Errorf("mem get gave %q: %w", get.out, errors.Join(errArrival, err))
	}
	set, err := l.sandboxed("", "mem", "set", "/x", "1", "--source", "t")
	if code := exitCode(err); code != 6 || set.out != "" || !refusal.MatchString(set.err) {
		return fmt.Errorf("mem set: exit code %d, want 6, and one line with its hint: %q", code, set.err)
	}
	root := fmt.Sprintf("sandbox_workspace_write.writable_roots=[%q]", store)
	if set, err = l.sandboxed(root, "mem", "set", "/x", "1", "--source", "t"); err != nil {
		return fmt.Errorf("mem set with writable_roots: %q, %w", set.err, err)
	}
	_, err = l.runMem("", "get", "/x")
	return err
}

// refusal is what mem says where it may not write: what is the matter, and what to do.
var refusal = regexp.MustCompile(`^mem: .*: read-only file system\nmem: hint: .*\n$`)

func (l *lab) sandboxed(config string, args ...string) (screen, error) {
	// The temporary directory is open to the sandbox by default, and this lab may lie in it.
	line := []string{"sandbox", "-c", `sandbox_mode="workspace-write"`, "-c", "sandbox_workspace_write.exclude_slash_tmp=true"}
	if config != "" {
		line = append(line, "-c", config)
	}
	s, err := l.exec("", l.Program, append(append(line, "--"), args...)...)
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
