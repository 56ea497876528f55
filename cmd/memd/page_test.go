package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page is for a person, and says what to do where there is none to show.
func TestPageIsRefused(t *testing.T) {
	bin := programs(t)
	for _, tc := range []struct {
		env  string
		args string
		code int
		says string
	}{
		{"MEM_AGENT=ada", "--no-open", 3, "a person unsets it"},
		{"", "--port 99999999 --no-open", 2, "--port 0 uses"},
		{"", "--tenant t1 --no-open", 2, "--root DIR names it"},
		{"", "--root nowhere --tenant t1 --no-open", 2, "mem serve --root DIR makes one"},
		{"", "--root served --no-open", 2, "it holds the memories of tenants"},
		{"", "--root served --no-open", 2, "hint: mem page --root served --tenant ID"},
		{"", "--root log --no-open", 6, "memd: log: "},
		{"", "now", 2, "no arguments"},
		{"", "--help", 0, "Without a terminal it needs --yes"},
	} {
		cmd := exec.Command(filepath.Join(bin, "memd"),
			append([]string{"page", "--yes"}, strings.Fields(tc.args)...)...)
		cmd.Dir = t.TempDir()
		makeServed(t, filepath.Join(cmd.Dir, "served"))
		if err := os.WriteFile(filepath.Join(cmd.Dir, "log"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd.Env = []string{"HOME=" + cmd.Dir, tc.env}
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != tc.code ||
			strings.Contains(string(out), "goroutine") ||
			!strings.Contains(string(out), tc.says) {
			t.Errorf("memd page %s: exit %d: %s", tc.args, got, out)
		}
	}
}

// makeServed makes the root of a server that has no tenant yet.
func makeServed(t *testing.T, root string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(root, "tenants"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "tokens.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// freeSpace is how much of a disk doctor says is free.
var freeSpace = regexp.MustCompile(`[0-9.]+ [KMGT]iB free`)

// What mem has wired is wired for memd too, whose doctor is the page's Health: by the name of mem,
// by its path, and through a link to it.
func TestDoctorOfMemdAgrees(t *testing.T) {
	bin, linked := programs(t), t.TempDir()
	if err := os.Symlink(filepath.Join(bin, "mem"), filepath.Join(linked, "mem")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{bin, t.TempDir(), linked} {
		home, said := t.TempDir(), [2]string{}
		for _, line := range []string{"mem setup claude-code", "mem setup codex --mcp",
			"mem setup claude-desktop", "mem doctor", "memd doctor"} {
			words := strings.Fields(line)
			cmd := exec.Command(filepath.Join(bin, words[0]), words[1:]...)
			cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + path}
			out, err := cmd.CombinedOutput()
			text := freeSpace.ReplaceAllString(string(out), "") // others use the disk, too
			if said = [2]string{said[1], text}; err != nil && words[1] != "doctor" {
				t.Fatalf("%s: %v: %s", line, err, out)
			}
		}
		if said[0] != said[1] || strings.Contains(said[1], "different") {
			t.Errorf("PATH %s: mem says\n%s\nand memd\n%s", path, said[0], said[1])
		}
	}
}

// The mem that a shell finds beside this memd is its own.
func TestDoctorOfMemdFindsMem(t *testing.T) {
	bin := programs(t)
	for path, want := range map[string]string{bin: "this PATH finds this mem",
		t.TempDir(): "mem is not in the PATH"} {
		cmd := exec.Command(filepath.Join(bin, "memd"), "doctor")
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"HOME=" + cmd.Dir, "PATH=" + path}
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) || strings.Contains(string(out), "memd /usr") {
			t.Errorf("memd doctor: %s", out)
		}
	}
}
