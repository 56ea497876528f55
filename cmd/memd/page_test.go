package main

import (
	"os/exec"
	"path/filepath"
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
		{"MEM_AGENT=ada", "--no-open", 3, "a person does this without it"},
		{"", "--port 99999999 --no-open", 2, "--port 0 takes one"},
		{"", "--tenant t1 --no-open", 2, "mem page --root DIR"},
		{"", "--root nowhere --tenant t1 --no-open", 2, "mem serve --root DIR makes one"},
		{"", "now", 2, "no arguments"},
	} {
		cmd := exec.Command(filepath.Join(bin, "memd"),
			append([]string{"page"}, strings.Fields(tc.args)...)...)
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"HOME=" + cmd.Dir, tc.env}
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != tc.code ||
			!strings.Contains(string(out), tc.says) {
			t.Errorf("memd page %s: exit %d: %s", tc.args, got, out)
		}
	}
}
