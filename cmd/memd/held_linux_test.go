package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
)

// A process that has the lock is stopped while 50 requests come in a second: each gets 423 when its
// time is over, reads are answered, no threads pile up, and all is well when the lock is free.
func TestLockThatIsHeld(t *testing.T) {
	t.Parallel()
	held := testkit.Extent(12*time.Second, 12*time.Second, time.Minute)
	d := startDaemon(t, newRoot(t), "--log-level", "error")
	d.eventually("t1")
	holder := holdLock(t, filepath.Join(d.tenant("t1"), "lock"))
	var all sync.WaitGroup
	var written, refused, longest atomic.Int64
	threads, connsMax := 0, 0
	for began := time.Now(); time.Since(began) < held; time.Sleep(20 * time.Millisecond) {
		all.Go(func() {
			sent := time.Now()
			got, err := d.ask("POST", "/api/v1/events", event("t1", "s1", "held"))
			took := time.Since(sent)
			if took > time.Duration(longest.Load()) {
				longest.Store(int64(took))
			}
			switch {
			case err != nil || got.status != 423 && got.status != 201:
				t.Errorf("%d %s %v", got.status, got.body, err)
			case got.status == 201:
				written.Add(1)
			default:
				refused.Add(1)
			}
		})
		got, err := d.ask("GET", "/api/v1/memories?tenant_id=t1", nil)
		if err != nil || got.status != 200 {
			t.Errorf("a read: %d %s %v", got.status, got.body, err)
		}
		if got, err := d.ask("POST", "/api/v1/events", event("t2", "s1", "free")); err != nil ||
			got.status != 201 {
			t.Errorf("another tenant: %d %s %v", got.status, got.body, err)
		}
		threads, connsMax = max(threads, d.status("Threads")), max(connsMax, d.files())
	}
	holder()
	all.Wait()
	if threads >= 100 {
		t.Errorf("%d threads", threads)
	}
	if refused.Load() == 0 {
		t.Error("nothing was refused: the lock was not held")
	}
	after := d.eventually("t1")
	t.Logf("%d refused, %d written, the longest took %s, %d threads, %d files, well after %s",
		refused.Load(), written.Load(), time.Duration(longest.Load()), threads, connsMax, after)
}

// files returns how many descriptors memd has.
func (d *daemon) files() int {
	d.t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", d.cmd.Process.Pid))
	if err != nil {
		d.t.Fatal(err)
	}
	return len(list)
}

// holdLock lets a process take a lock and stops it, until the function that it returns is called.
func holdLock(t *testing.T, path string) (release func()) {
	t.Helper()
	flock := testkit.Program(t, "flock")
	cmd := exec.Command(flock, "-x", "--no-fork", path, "sh", "-c", "echo locked; exec sleep 600")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	release = func() {
		once.Do(func() {
			cmd.Process.Kill()
			cmd.Wait()
		})
	}
	t.Cleanup(release)
	return release
}
