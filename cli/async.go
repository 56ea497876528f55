package cli

import (
	"os"
	"os/exec"
)

// compactAsync starts a compaction as a process of its own and does not wait for it, so a write
// does not take longer. If it cannot be started, cron or the next write starts one.
func compactAsync(root string) {
	self, err := os.Executable()
	if err != nil {
		return
	}
	cmd := exec.Command(self, "--root", root, "compact", "--if-needed", "--names-only", "--quiet",
		"--log-level", "error")
	cmd.SysProcAttr = detached()
	if cmd.Start() == nil {
		cmd.Process.Release()
	}
}
