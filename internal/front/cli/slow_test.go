package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
)

// On a slow disk a hook gives up by its deadline, long before it could answer, waits for nothing
// that it has begun, and records that.
func TestSlowDisk(t *testing.T) {
	const slowProcess = "MEM_TEST_SLOW_DISK"
	if os.Getenv(slowProcess) != "" { // of its own: the hook leaves work behind, which ends with it
		var calls atomic.Int64
		disk.SetHook(func(disk.Op, string) error {
			calls.Add(1)
			time.Sleep(20 * time.Millisecond)
			return nil
		})
		exit := Run([]string{"hook", "claude-code"}, os.Stdin, os.Stdout, os.Stderr, testBuild)
		fmt.Print(calls.Load())
		os.Exit(exit)
	}
	const prompt = `{"hook_event_name":"UserPromptSubmit","session_id":"s",` +
		`"prompt":"which letter was it?"}`
	f := newFaulty(t, order{args: []string{"hook", "claude-code"}, stdin: prompt})
	most := f.clean().calls * 2 / 3 // 10 in its time, and on a loaded machine less
	f.make()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSlowDisk$")
	cmd.Env = append(os.Environ(), slowProcess+"=1", "MEM_HOOK_DEADLINE=200ms", "MEM_ROOT="+f.root)
	cmd.Stdin = strings.NewReader(prompt)
	out, err := cmd.CombinedOutput()
	if calls, wrong := strconv.Atoi(string(out)); err != nil || wrong != nil || calls > most {
		t.Errorf("made %s calls, want at most %d (%v)", out, most, err)
	}
	record, err := os.ReadFile(filepath.Join(f.root, "injections.jsonl"))
	if err != nil || strings.Count(string(record), "no answer in time") != 1 {
		t.Errorf("recorded %q, %v", record, err)
	}
	f.recovers("a slow disk")
}
