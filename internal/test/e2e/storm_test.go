//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
)

// Real processes on one store: writers, compactors that rotate every time, readers, repairs, and
// some of them killed. Whatever a writer acknowledged is there in the end, readers never fail or
// miss an acknowledged key, and the store is clean.
func TestStormOfProcesses(t *testing.T) {
	t.Parallel()
	runStorm(t, true)
}

// Nobody is killed, so there is never anything for fsck to find.
func TestNoFalseAlarmInAStorm(t *testing.T) {
	t.Parallel()
	runStorm(t, false)
}

func runStorm(t *testing.T, kills bool) {
	bin := filepath.Join(buildMem(t), "mem")
	f := newStore(t)
	f.Must(os.MkdirAll(f.Root, 0o700))
	f.Must(os.WriteFile(filepath.Join(f.Root, mem.ConfigFile), []byte(`{"rotate":{"lines":10,"bytes":1000000}}`), 0o600))
	f.Open()
	f.Clock = time.Now().Add(time.Hour)
	writers, each := testkit.Extent(4, 8, 32), testkit.Extent(6, 12, 50)
	storm := &storm{t: t, bin: bin, root: f.Root, kills: kills, tally: newTally()}
	stop := make(chan struct{})
	var others, all sync.WaitGroup
	for i := range 2 {
		others.Go(func() { storm.compact(stop, i+3) })
	}
	for _, watch := range []func(chan struct{}){storm.repair, storm.watch, storm.look, storm.cat} {
		others.Go(func() { watch(stop) })
	}
	for w := range writers {
		all.Go(func() { storm.write(w, each) })
	}
	all.Wait()
	close(stop)
	others.Wait()
	storm.settled(t, f.Content)
	f.Put("/after", "1")
	f.sweep()
	t.Logf("%d keys acknowledged, %d contents read, %d writers killed", len(storm.acked),
		storm.read, storm.killed)
	if len(storm.acked) < writers*3 || storm.read < 10*writers || kills && storm.killed == 0 {
		t.Error("that is too little")
	}
}

// sweep removes the temporary files of killed processes, all that a kill may leave for fsck once
// somebody has written again.
func (f *fixture) sweep() {
	f.T.Helper()
	rep, err := f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	f.Must(err)
	for _, found := range rep.Found {
		if found.Name != "temp" {
			f.T.Errorf("after the storm: %v", found)
		}
	}
}

type storm struct {
	t         *testing.T
	bin, root string
	kills     bool
	killed    int
	*tally
}

func (s *storm) mem(args ...string) *exec.Cmd {
	cmd := exec.Command(s.bin, append([]string{"--root", s.root, "--lock-timeout", "60s"},
		args...)...)
	cmd.Env = append(os.Environ(), "MEM_NOW=")
	return cmd
}

// write sets keys of its own; every fifth process is killed at a random moment, and its key is then
// in doubt.
func (s *storm) write(w, each int) {
	for i := range each {
		key, n := fmt.Sprintf("/w%d/k%d", w, i%4), i+1
		s.begin(key, n)
		cmd := s.mem("set", key, contentOf(key, n), "--source", "storm", "--quiet")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			s.t.Error(err)
			return
		}
		if s.kills && i%5 == 3 {
			killAfter(cmd, i*w%7)
		}
		err := cmd.Wait()
		switch {
		case err == nil:
			s.acknowledge(key, n)
		case cmd.ProcessState.Exited():
			s.t.Errorf("set: %v: %s", err, stderr.String())
		default:
			s.mu.Lock()
			s.killed++
			s.mu.Unlock()
		}
	}
}

// killAfter kills a process so many milliseconds after its start, at any point of its work.
func killAfter(cmd *exec.Cmd, milliseconds int) {
	time.Sleep(time.Duration(milliseconds) * time.Millisecond)
	cmd.Process.Kill()
}

// compact compacts until it is stopped. It must never fail; every so often it is killed on its way.
func (s *storm) compact(stop chan struct{}, killEach int) {
	for i := 1; !over(stop); i++ {
		var out bytes.Buffer
		cmd := s.mem("compact", "--quiet")
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			s.t.Error(err)
			return
		}
		if s.kills && i%killEach == 0 {
			killAfter(cmd, i*5%23)
		}
		if err := cmd.Wait(); err != nil && cmd.ProcessState.Exited() {
			s.t.Errorf("compact: %v: %s", err, out.String())
			return
		}
	}
}

// repair checks the store, which must be in order unless somebody was killed, then plants a
// stranger's file and has it repaired, over and over.
func (s *storm) repair(stop chan struct{}) {
	for !over(stop) {
		out, err := s.mem("fsck", "--quiet").CombinedOutput()
		if err != nil && !(s.kills && s.unhealed(string(out))) {
			s.t.Errorf("fsck of a live store: %v: %s", err, out)
			return
		}
		os.Mkdir(filepath.Join(s.root, "index"), 0o700)
		foreign := filepath.Join(s.root, "foreign")
		if err := errors.Join(os.WriteFile(foreign, []byte("{}"), 0o600),
			os.Rename(foreign, filepath.Join(s.root, "index", "foreign.json"))); err != nil {
			s.t.Error(err)
			return
		}
		if out, err := s.mem("fsck", "--repair", "--quiet").CombinedOutput(); err != nil {
			s.t.Errorf("fsck --repair of a live store: %v: %s", err, out)
			return
		}
	}
}

// unhealed reports whether fsck found only what a killed writer or compaction leaves for the next
// writer to mend.
func (s *storm) unhealed(found string) bool {
	for line := range strings.Lines(found) {
		switch id, _, _ := strings.Cut(line, " "); id {
		case "F01", "F05", "F06", "F10", "F11", "F12":
		default:
			return false
		}
	}
	return found != ""
}

func over(stop chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// look reads as people do, without mem: no file in index/ is ever half there, no log line but the
// last is ever cut, and log.jsonl is always there.
func (s *storm) look(stop chan struct{}) {
	for !over(stop) {
		filepath.WalkDir(filepath.Join(s.root, "index"),
			func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
					return nil
				}
				if text, err := os.ReadFile(path); err == nil && !json.Valid(text) {
					s.t.Errorf("%s holds half a file: %q", path, text)
				}
				return nil
			})
		begun := len(s.known()) > 0
		text, err := os.ReadFile(filepath.Join(s.root, "log.jsonl"))
		if err != nil && (!errors.Is(err, os.ErrNotExist) || begun) {
			s.t.Errorf("cat log.jsonl: %v", err)
		}
		lines := strings.SplitAfter(string(text), "\n")
		for _, line := range lines[:len(lines)-1] {
			if !json.Valid([]byte(line)) {
				s.t.Errorf("log.jsonl has the line %q", line)
			}
		}
	}
}

// A process that was stopped while it holds the lock: writers give up in time and name it, readers
// do not notice, and when it goes on it comes to its end.
func TestLockHeldByAStoppedProcess(t *testing.T) {
	t.Parallel()
	s := &storm{t: t, bin: filepath.Join(buildMem(t), "mem"),
		root: filepath.Join(storetest.Dir(t), "memory")}
	if out, err := s.mem("set", "/a", "1", "-s", "t").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var batch strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&batch, "{\"key\":\"/batch/%d/k\",\"content\":%d}\n", i, i)
	}
	holder := s.mem("set", "-", "-s", "t")
	holder.Stdin = strings.NewReader(batch.String())
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	for mark := fmt.Sprintf(`"pid":%d,`, holder.Process.Pid); ; {
		if text, err := os.ReadFile(filepath.Join(s.root, "lock")); err != nil ||
			strings.Contains(string(text), mark) {
			break
		}
	}
	holder.Process.Signal(syscall.SIGSTOP)
	out, err := exec.Command(s.bin, "--root", s.root, "--lock-timeout", "300ms", "set", "/late",
		"1", "-s", "t").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 5 ||
		!strings.Contains(string(out), fmt.Sprintf("pid %d (set", holder.Process.Pid)) {
		t.Errorf("a writer: %v: %s", err, out)
	}
	for _, args := range [][]string{{"get", "/a"}, {"ls", "/a"}, {"read"}, {"stat"},
		{"history", "/a"}, {"query", ".key"}} {
		if out, err := s.mem(args...).CombinedOutput(); err != nil || len(out) == 0 {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
	holder.Process.Signal(syscall.SIGCONT)
	if err := holder.Wait(); err != nil {
		t.Errorf("the holder: %v", err)
	}
	if out, err := s.mem("set", "/late", "1", "-s", "t").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := s.mem("get", "/batch/3999/k").Output(); err != nil || string(out) != "3999\n" {
		t.Errorf("the holder's last line: %q, %v", out, err)
	}
}
