//go:build linux

package mem_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

// Real processes on one store: writers, compactors that rotate every time, readers, and some of them killed. Whatever a writer acknowledged
// is there in the end, readers never fail or miss an acknowledged key, and the store is clean.
func TestStormOfProcesses(t *testing.T) {
	bin := filepath.Join(buildMem(t), "mem")
	f := newStore(t)
	f.must(os.MkdirAll(f.root, 0o700))
	f.must(os.WriteFile(filepath.Join(f.root, mem.ConfigFile), []byte(`{"rotate":{"lines":10,"bytes":1000000}}`), 0o600))
	f.open()
	f.now = time.Now().Add(time.Hour)
	writers, each := 8, 12
	if testing.Short() {
		writers, each = 4, 5
	}
	storm := &storm{t: t, bin: bin, root: f.root, acked: map[string]string{}}
	stop := make(chan struct{})
	var others, all sync.WaitGroup
	for range 2 {
		others.Go(func() { storm.repeat(stop, "compact", "--quiet") })
	}
	others.Go(func() { storm.repeat(stop, "fsck", "--quiet") })
	others.Go(func() { storm.watch(stop) })
	for w := range writers {
		all.Go(func() { storm.write(w, each) })
	}
	all.Wait()
	close(stop)
	others.Wait()
	for key, content := range storm.acked {
		if got := f.content(key); got != content && !storm.inFlight[key] {
			t.Errorf("%s was acknowledged as %s and is %s", key, content, got)
		}
	}
	f.put("/after", "1")
	f.sweep()
	t.Logf("%d acknowledged, %d killed", len(storm.acked), storm.killed)
}

// sweep removes the temporary files of killed processes, all that a kill may leave for fsck once somebody has written again.
func (f *fixture) sweep() {
	f.t.Helper()
	rep, err := f.Fsck(mem.FsckOptions{Repair: true})
	f.must(err)
	for _, found := range rep.Found {
		if found.Name != "temp" {
			f.t.Errorf("after the storm: %v", found)
		}
	}
}

type storm struct {
	t         *testing.T
	bin, root string

	mu       sync.Mutex
	acked    map[string]string
	inFlight map[string]bool
	killed   int
}

func (s *storm) mem(args ...string) *exec.Cmd {
	cmd := exec.Command(s.bin, append([]string{"--root", s.root, "--lock-timeout", "60s"}, args...)...)
	cmd.Env = append(os.Environ(), "MEM_NOW=")
	return cmd
}

// write sets keys of its own; every fifth process is killed at a random moment, and its key is then in doubt.
func (s *storm) write(w, each int) {
	for i := range each {
		key, content := fmt.Sprintf("/w%d/k%d", w, i%4), fmt.Sprintf(`{"n":%d}`, i)
		cmd := s.mem("set", key, content, "--source", "storm", "--quiet")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			s.t.Error(err)
			return
		}
		if i%5 == 3 {
			time.Sleep(time.Duration(i*w%7) * time.Millisecond)
			cmd.Process.Kill()
		}
		err := cmd.Wait()
		s.mu.Lock()
		switch {
		case err == nil:
			s.acked[key] = content
			delete(s.inFlight, key)
		case cmd.ProcessState.Exited():
			s.t.Errorf("set: %v: %s", err, stderr.String())
		default:
			s.killed++
			if s.inFlight == nil {
				s.inFlight = map[string]bool{}
			}
			s.inFlight[key] = true
		}
		s.mu.Unlock()
	}
}

// repeat runs a verb until told to stop; it must never fail.
func (s *storm) repeat(stop chan struct{}, args ...string) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		if out, err := s.mem(args...).CombinedOutput(); err != nil {
			s.t.Errorf("%v: %v: %s", args, err, out)
			return
		}
	}
}

// watch reads: a key that was acknowledged before a read began is in it.
func (s *storm) watch(stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		s.mu.Lock()
		var known []string
		for key := range s.acked {
			known = append(known, key)
		}
		s.mu.Unlock()
		out, err := s.mem("ls", "-1").CombinedOutput()
		if err != nil {
			s.t.Errorf("ls: %v: %s", err, out)
			return
		}
		listed := "\n" + string(out)
		for _, key := range known {
			if !strings.Contains(listed, "\n"+key+"\n") {
				s.t.Errorf("%s was acknowledged, and ls does not show it", key)
			}
			if path := filepath.Join(s.root, "index", string(keypath.MustParse(key).Path())); exec.Command("cat", path).Run() != nil {
				s.t.Errorf("cat %s fails", path)
			}
		}
	}
}
