package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"

	"github.com/set-memory/mem/internal/rule/site"
)

// compactAsync returns a function that starts a compaction as a process of its own and does not
// wait for it, so a write does not take longer. While that process runs, the function does nothing.
// If it cannot be started, cron or the next write starts one.
func compactAsync(root string) func() {
	var running atomic.Bool
	return func() {
		if !running.CompareAndSwap(false, true) {
			return
		}
		cmd := compactCommand(root)
		if cmd == nil || cmd.Start() != nil {
			running.Store(false)
			return
		}
		lowerPriority(cmd.Process)
		go func() {
			_ = cmd.Wait() // it says what failed in ops.jsonl
			running.Store(false)
		}()
	}
}

// compactCommand returns the command, which keeps nothing of this process: no descriptor, no
// directory, no session. nil: it cannot be said what to run.
func compactCommand(root string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	if root, err = site.Absolute(root); err != nil {
		return nil
	}
	keepDescriptors()
	// A flag comes first: a test binary refuses it, where a verb would make it run its tests again.
	cmd := exec.Command(self, "--quiet", "--log-level", "error", "compact", "--if-needed",
		"--names-only")
	// Everybody sees arguments, and a URL may have a password.
	cmd.Env = append(os.Environ(), "MEM_ROOT="+root)
	cmd.Dir = filepath.VolumeName(self) + string(filepath.Separator)
	cmd.SysProcAttr = detached()
	return cmd
}
