package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/log"
)

// Ctrl-C in the middle of a batch says how many lines are stored; with --resume the same command
// stores the others and no more.
func TestInterruptedBatch(t *testing.T) {
	t.Parallel()
	// Where a script started the tests in the background they ignore the signal, as all that they
	// start would: a process that handles it passes on the default.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	t.Cleanup(func() { signal.Stop(signals) })
	bin := filepath.Join(buildMem(t), "mem")
	for _, verb := range []struct {
		name           string
		first, resumed []string
	}{
		{"set", []string{"set", "-", "-s", "t"}, []string{"set", "-", "-s", "t", "--resume"}},
		{"import", []string{"import", "-"}, []string{"import", "-"}},
	} {
		t.Run(verb.name, func(t *testing.T) {
			const lines = 60_000
			root := ""
			mem := func(args []string) (*exec.Cmd, *strings.Builder) {
				cmd := exec.Command(bin, append(args, "--root", root)...)
				var b strings.Builder
				for i := range lines {
					fmt.Fprintf(&b, `{"key":"/n/%d/%d","content":%d}`+"\n", i%50, i, i)
				}
				out := &strings.Builder{}
				cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(b.String()), out, out
				return cmd, out
			}
			var cmd *exec.Cmd
			var out *strings.Builder
			var lock *log.Lock
			var dir *disk.Dir
			stored := lines
			for try := 0; stored == lines; try++ { // it may be through before it is stopped
				if try == 10 {
					t.Fatal("no batch could be stopped in the middle")
				}
				root = filepath.Join(storetest.Dir(t), "memory")
				cmd, out = mem(append(verb.first, "--json"))
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				dir, lock = lockMidway(t, root)
				defer dir.Close()
				cmd.Process.Signal(os.Interrupt)
				cmd.Wait()
				stored = countLines(t, dir)
			}
			var reply struct {
				Error struct {
					Code, Message string
					Stored, Total int
				}
			}
			err := json.Unmarshal([]byte(out.String()), &reply)
			if e := reply.Error; err != nil || cmd.ProcessState.ExitCode() != 5 ||
				e.Code != "canceled" || e.Stored != stored || e.Total != lines ||
				!strings.HasPrefix(e.Message, fmt.Sprintf("%d of %d stored, then: ", stored, lines)) ||
				!strings.HasSuffix(e.Message, "interrupted") {
				t.Errorf("%d stored; %v, %s", stored, cmd.ProcessState, out)
			}
			lock.Unlock()
			cmd, out = mem(verb.resumed)
			if err := cmd.Run(); err != nil || countLines(t, dir) != lines {
				t.Errorf("the rest: %v, %s", err, out)
			}
		})
	}
}

// lockMidway takes the lock of a store when something is in its log.
func lockMidway(t *testing.T, root string) (*disk.Dir, *log.Lock) {
	t.Helper()
	testkit.WaitFor(t, "the first line of the log", func() bool {
		fi, err := os.Stat(filepath.Join(root, log.File))
		return err == nil && fi.Size() > 0
	})
	dir, err := disk.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := log.Acquire(dir, "test", noon, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return dir, lock
}

func countLines(t *testing.T, dir *disk.Dir) int {
	t.Helper()
	text, err := os.ReadFile(dir.Join(log.File))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// A batch that waits for its input ends with a signal, before and after its first line.
func TestInterruptedInput(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(buildMem(t), "mem")
	for _, head := range []string{"", `{"key":"/a","content":1}` + "\n"} {
		cmd := exec.Command(bin, "set", "-", "-s", "t", "--root", filepath.Join(t.TempDir(), "m"))
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// A pipe holds 64 KiB: when more is written, the command reads.
		if _, err := in.Write([]byte(head + strings.Repeat(" ", 1<<17))); err != nil {
			t.Fatal(err)
		}
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err == nil {
			t.Errorf("after %q: exit 0", head)
		}
	}
}
