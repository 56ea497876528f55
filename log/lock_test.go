package log_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/log"
)

// long is a wait that no test comes to the end of.
const long = time.Hour

// asHolder is the environment variable that makes the test binary hold the lock of the directory it
// names; asCounter makes it count there.
const (
	asHolder  = "MEM_TEST_HOLD_LOCK"
	asCounter = "MEM_TEST_COUNT"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asHolder) != "":
		hold(os.Getenv(asHolder))
	case os.Getenv(asCounter) != "":
		dir, err := disk.Open(os.Getenv(asCounter))
		if err == nil {
			err = count(dir, 20)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// hold takes the lock, prints that on stdout, and releases it when stdin ends.
func hold(path string) {
	dir, err := disk.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	lock, err := log.Acquire(dir, "compact", now, long)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	fmt.Println("freed", lock.Unlock())
	// Only now the process may end: a lock that ends with it would prove nothing about Unlock.
	time.Sleep(long)
}

type holder struct {
	*exec.Cmd
	in  io.Closer
	out *bufio.Reader
}

// startHolder returns when another process has the lock.
func startHolder(t *testing.T, dir *disk.Dir) *holder {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asHolder+"="+dir.Path())
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	h := &holder{Cmd: cmd, in: in, out: bufio.NewReader(out)}
	h.expect(t, "held")
	return h
}

func (h *holder) expect(t *testing.T, prefix string) {
	t.Helper()
	if line, err := h.out.ReadString('\n'); err != nil || !strings.HasPrefix(line, prefix) {
		t.Fatalf("the other process prints %q, %v; want %q", line, err, prefix)
	}
}

func TestLockIsRefusedWhileAnotherProcessHasIt(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	h := startHolder(t, dir)
	for _, wait := range []time.Duration{-1, 0, 30 * time.Millisecond} {
		began := time.Now()
		_, err := log.Acquire(dir, "set", now, wait)
		var locked *log.LockedError
		if !errors.Is(err, log.ErrLocked) || !errors.As(err, &locked) {
			t.Fatal(err)
		}
		want := log.Holder{PID: h.Process.Pid, Op: "compact", Since: log.StampOf(now).String()}
		if locked.Holder != want || locked.Wait != max(wait, 0) || time.Since(began) < wait {
			t.Errorf("%+v after %s", locked, time.Since(began))
		}
		if text := err.Error(); !strings.Contains(text,
			fmt.Sprintf("pid %d (compact since 2026-02-22T10:00:00", h.Process.Pid)) {
			t.Error(text)
		}
	}
	if log.ReadHolder(dir).Op != "compact" {
		t.Error("who was refused has signed")
	}
}

// acquireInBackground waits for the lock and passes on what came of it.
func acquireInBackground(dir *disk.Dir) <-chan error {
	result := make(chan error, 1)
	go func() {
		lock, err := log.Acquire(dir, "set", now, long)
		if err == nil {
			err = lock.Unlock()
		}
		result <- err
	}()
	return result
}

func TestLockComesWhenItIsGivenBack(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	h := startHolder(t, dir)
	waiting := acquireInBackground(dir)
	must(t, h.in.Close())
	h.expect(t, "freed <nil>")
	must(t, <-waiting)
	if got := log.ReadHolder(dir); got != (log.Holder{}) {
		t.Errorf("signed by %+v, and nobody has it", got)
	}
}

// Who has the lock without a word is not named, and least of all the one who had it before.
func TestAHolderThatDidNotSign(t *testing.T) {
	t.Parallel()
	const unsigned = "lock: held by an unknown process, waited 0s"
	for name, before := range map[string]func(*disk.Dir){
		"a file nobody has signed": func(*disk.Dir) {},
		"signed and released": func(dir *disk.Dir) {
			lock, err := log.Acquire(dir, "set", now, 0)
			must(t, err)
			must(t, lock.Unlock())
		},
		"signed by one who was killed": func(dir *disk.Dir) {
			h := startHolder(t, dir)
			must(t, h.Process.Kill())
			h.Wait()
			if log.ReadHolder(dir).PID != h.Process.Pid {
				t.Error("the killed one has not signed")
			}
		},
	} {
		dir := openDir(t)
		before(dir)
		other := flock.New(dir.Join(log.LockFile))
		must(t, other.Lock())
		if _, err := log.Acquire(dir, "set", now, 0); err == nil || err.Error() != unsigned {
			t.Errorf("%s: %v", name, err)
		}
		if held, who, err := log.Held(dir); !held || who != (log.Holder{}) || err != nil {
			t.Errorf("%s: %v %+v %v", name, held, who, err)
		}
		must(t, other.Unlock())
	}
}

// The lock of a directory that was moved away is not to be had: whoever works at its path, where
// another directory stands now, does not see it.
func TestLockOfADirectoryThatWasMoved(t *testing.T) {
	t.Parallel()
	for name, stands := range map[string]func(path string) error{
		"another stands at its path": func(path string) error { return os.Mkdir(path, 0o700) },
		"a copy stands at its path": func(path string) error {
			return os.CopyFS(path, os.DirFS(path+"-moved"))
		},
	} {
		dir, err := disk.Create(openDir(t).Join("root"))
		must(t, err)
		defer dir.Close()
		lock, err := log.Acquire(dir, "set", now, 0)
		must(t, err)
		must(t, lock.Unlock())
		must(t, os.Rename(dir.Path(), dir.Path()+"-moved"))
		must(t, stands(dir.Path()))
		for range 2 { // and it does not stay locked
			if _, err := log.Acquire(dir, "set", now, 0); !errors.Is(err, disk.ErrMoved) {
				t.Errorf("%s: %v", name, err)
			}
		}
		there, err := disk.Open(dir.Path())
		must(t, err)
		defer there.Close()
		lock, err = log.Acquire(there, "set", now, 0)
		must(t, err)
		must(t, lock.Unlock())
	}
}

// A lock file of another name is another lock.
func TestLockerOf(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	one, err := log.Acquire(dir, "set", now, 0)
	must(t, err)
	two, err := log.NewLockerOf(dir, "other").Acquire(t.Context(), "compact", now, 0)
	must(t, err)
	_, err = log.NewLockerOf(dir, "other").Acquire(t.Context(), "late", now, 0)
	want := fmt.Sprintf("lock: held by pid %d (compact since ", os.Getpid())
	if !errors.Is(err, log.ErrLocked) || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	must(t, one.Unlock())
	must(t, two.Unlock())
}

func TestLockOfAKilledProcessIsFree(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	h := startHolder(t, dir)
	waiting := acquireInBackground(dir)
	must(t, h.Process.Kill())
	must(t, <-waiting)
}

func TestLockIsGivenBackByWhoStoppedWaiting(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	first, err := log.Acquire(dir, "first", now, 0)
	must(t, err)
	for range 5 {
		_, err := log.Acquire(dir, "late", now, time.Millisecond)
		if !errors.Is(err, log.ErrLocked) {
			t.Fatal(err)
		}
	}
	must(t, first.Unlock())
	for range 10 {
		lock, err := log.Acquire(dir, "next", now, long)
		must(t, err)
		must(t, lock.Unlock())
	}
	startHolder(t, dir)
}

// count adds n to the number in a file, one at a time, in a way that loses some of them unless the
// lock excludes.
func count(dir *disk.Dir, n int) error {
	for range n {
		lock, err := log.Acquire(dir, "count", now, long)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(dir.Join("count"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		sum, _ := strconv.Atoi(string(text))
		if err := os.WriteFile(dir.Join("count"), []byte(strconv.Itoa(sum+1)), 0o600); err != nil {
			return err
		}
		if err := lock.Unlock(); err != nil {
			return err
		}
	}
	return nil
}

func TestLockServesEveryWaiter(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	const processes, goroutines = 4, 16
	var wg sync.WaitGroup
	for range processes {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asCounter+"="+dir.Path())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	for range goroutines {
		wg.Go(func() {
			if err := count(dir, 20); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := string(read(t, dir, "count")); got != strconv.Itoa(20*(processes+goroutines)) {
		t.Errorf("counted %s", got)
	}
}

func TestLockFileStays(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	var first os.FileInfo
	for i := range 5 {
		lock, err := log.Acquire(dir, strings.Repeat("x", 10-2*i), now, 0)
		must(t, err)
		fi := stat(t, dir, log.LockFile)
		if first == nil {
			first = fi
		}
		must(t, lock.Unlock())
		if after := stat(t, dir, log.LockFile); !os.SameFile(first, fi) ||
			!os.SameFile(first, after) {
			t.Fatal("another file")
		}
		text := read(t, dir, log.LockFile)
		if len(text) != 128 || bytes.Count(text, []byte("\n")) != 1 || text[127] != '\n' {
			t.Errorf("%q", text)
		}
	}
}

func TestUnlockTwice(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	lock, err := log.Acquire(dir, "set", now, 0)
	must(t, err)
	must(t, lock.Unlock())
	must(t, lock.Unlock())
}

func TestReadHolder(t *testing.T) {
	t.Parallel()
	signed := `{"pid":7,"op":"set","since":"2026-02-22T10:00:00.000000Z"}`
	want := log.Holder{PID: 7, Op: "set", Since: "2026-02-22T10:00:00.000000Z"}
	for text, want := range map[string]log.Holder{
		"": {}, "\x00": {}, "{": {}, `{"pid":"x"}`: {}, "nobody": {}, strings.Repeat(" ", 5000): {},
		signed: want, signed + strings.Repeat(" ", 60) + "\n": want, signed + "\n" + `rest of a longer one"}`: want,
	} {
		dir := openDir(t)
		put(t, dir, log.LockFile, []byte(text))
		if got := log.ReadHolder(dir); got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if got := log.ReadHolder(openDir(t)); got != (log.Holder{}) {
		t.Errorf("no file: %+v", got)
	}
	text := (&log.LockedError{Wait: time.Second}).Error()
	if text != "lock: held by an unknown process, waited 1s" {
		t.Error(text)
	}
}

func TestLongSignatureLeavesNoRubbish(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	for _, op := range []string{strings.Repeat("x", 300), "set"} {
		lock, err := log.Acquire(dir, op, now, 0)
		must(t, err)
		if got := log.ReadHolder(dir); got.Op != op || got.PID != os.Getpid() {
			t.Errorf("%+v", got)
		}
		must(t, lock.Unlock())
	}
}

func TestLockInADirectoryThatIsGone(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	must(t, os.Remove(dir.Path()))
	_, err := log.Acquire(dir, "set", now, long)
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, log.ErrNoLock) {
		t.Error(err)
	}
}

// However many calls of one locker give up, at most one wait stays in the kernel's queue, and the
// lock comes to whoever asks next.
func TestLockerLeavesOneWaitBehind(t *testing.T) {
	dir := openDir(t)
	holder := startHolder(t, dir)
	locker := log.NewLocker(dir)
	before := runtime.NumGoroutine()
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			_, err := locker.Acquire(t.Context(), "late", now, 20*time.Millisecond)
			if !errors.Is(err, log.ErrLocked) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	// Those that gave up may still be on their way out.
	testkit.WaitFor(t, "the end of their goroutines", func() bool {
		return runtime.NumGoroutine()-before <= 1
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := locker.Acquire(ctx, "cancelled", now, long); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	must(t, holder.in.Close())
	lock, err := locker.Acquire(t.Context(), "next", now, long)
	must(t, err)
	must(t, lock.Unlock())
}
