package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
)

// compactAsync returns a function that starts a compaction as a process of its own and does not
// wait for it. While that process runs, the function does nothing.
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

// compactCommand returns the command; nil: it cannot be said what to run.
func compactCommand(root string) *exec.Cmd {
	root, err := site.Absolute(root)
	if err != nil {
		return nil
	}
	cmd := ownCommand("compact", "--if-needed", "--names-only")
	if cmd != nil {
		// Everybody sees arguments, and a URL may have a password.
		cmd.Env = append(cmd.Env, "MEM_ROOT="+root)
	}
	return cmd
}

// SyncAsync starts mem sync as a process of its own, for at most two seconds, where the user's
// settings say so, and does not wait for it.
func (a *App) SyncAsync(l *layers.Layers) {
	if l.Sites.User == nil {
		return
	}
	s, err := l.Open(l.Sites.User)
	if err != nil {
		return
	}
	conf, err := s.Config(context.Background())
	if err != nil || !conf.Sync.SessionEnd {
		return
	}
	if cmd := ownCommand("sync", "--within", "2s"); cmd != nil && cmd.Start() == nil {
		lowerPriority(cmd.Process)
		_ = cmd.Process.Release() // the list of destinations has what failed
	}
}

// ownCommand returns a command of this program that keeps nothing of this process: no descriptor,
// no directory, no session, and no time but the clock's. nil: it cannot be said what to run.
func ownCommand(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	keepDescriptors()
	// A flag comes first: a test binary refuses it, where a verb would make it run its tests again.
	cmd := exec.Command(self, append([]string{"--quiet", "--log-level", "error"}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "MEM_NOW=")
	})
	cmd.Dir = filepath.VolumeName(self) + string(filepath.Separator)
	cmd.SysProcAttr = detached()
	return cmd
}

// Compact compacts the store below a root in a child process, if that is due or always, and waits
// for it; the child is stopped when ctx ends. The error has what the child said.
func Compact(ctx context.Context, root string, always bool) (done bool, err error) {
	cmd := compactCommand(root)
	if cmd == nil {
		return false, errors.New("compact: the path of this program is unknown")
	}
	said, answered := &head{}, &head{}
	cmd.Args = append(cmd.Args, "--json", fmt.Sprintf("--if-needed=%t", !always))
	cmd.Stderr, cmd.Stdout = said, answered
	if err := cmd.Start(); err != nil {
		return false, err
	}
	if !always { // else somebody waits for it
		lowerPriority(cmd.Process)
	}
	// A killed compaction leaves a store that the next compaction, or the next writer, repairs.
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	if err := cmd.Wait(); err != nil {
		return false, fmt.Errorf("%w: %s", err, bytes.TrimSpace(said.text))
	}
	var report mem.CompactReport
	err = json.Unmarshal(answered.text, &report)
	return report.Done, err
}

// head keeps the beginning of an output, for a message.
type head struct{ text []byte }

// Write keeps what fits.
func (t *head) Write(b []byte) (int, error) {
	t.text = append(t.text, b[:min(len(b), maxSaid-len(t.text))]...)
	return len(b), nil
}

// maxSaid is how many bytes of what a child says are kept.
const maxSaid = 1 << 10
