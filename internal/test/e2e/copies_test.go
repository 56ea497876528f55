//go:build linux

package e2e

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/log"
)

// A copy taken with cp while writers and compactions go on: it has everything that was acknowledged
// before the copy began, and the next set or a repair makes a clean store of it. Where every
// compaction rotates, the copy holds the lock.
func TestCopyWhileWriting(t *testing.T) {
	t.Parallel()
	copies := testkit.Extent(1, 4, 60)
	cp, flock := testkit.Program(t, "cp"), testkit.Program(t, "flock")
	t.Run("without the lock", func(t *testing.T) {
		copyWhileWriting(t, copies, "", func(string) []string { return []string{cp} })
	})
	t.Run("with the lock and rotations", func(t *testing.T) {
		copyWhileWriting(t, copies, `{"rotate":{"lines":1,"bytes":1}}`,
			func(root string) []string { return []string{flock, root + "/lock", cp} })
	})
}

func copyWhileWriting(t *testing.T, copies int, config string, cp func(root string) []string) {
	f := &fixture{&storetest.Store{T: t, Root: filepath.Join(storetest.Dir(t), "memory"), Clock: noon}}
	if config != "" {
		f.configure(config)
	}
	s, err := mem.Open(f.Root, mem.Options{LockWait: time.Minute})
	f.Must(err)
	defer s.Close()
	w := &copying{t: t, store: s, acked: map[string]string{}, cp: cp(f.Root)}
	w.put("/first", 0)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			for n := 0; !over(stop); n++ {
				w.put(fmt.Sprintf("/w%d/%d", i, n%50), n)
			}
		})
	}
	all.Go(func() {
		for !over(stop) {
			if _, err := s.Compact(ctx, mem.Caller{}, mem.CompactOptions{}); err != nil {
				t.Error(err)
			}
		}
	})
	testkit.WaitFor(t, "60 keys", func() bool { return len(w.known()) >= 60 })
	held := 0
	for i := range copies {
		held += w.copy(fmt.Sprint(f.Root, i), i%2 == 0)
	}
	close(stop)
	all.Wait()
	archives, _ := filepath.Glob(filepath.Join(f.Root, "archive", "log_*"))
	t.Logf("%d copies, %d contents compared, %d archives", copies, held, len(archives))
	if held < 60*copies || config != "" && len(archives) < copies {
		t.Error("that is too little")
	}
}

type copying struct {
	t     *testing.T
	store *mem.Store
	cp    []string
	mu    sync.Mutex
	acked map[string]string
}

func (w *copying) put(key string, n int) {
	content := fmt.Sprint(n)
	if err := set(w.store, key, content); err != nil {
		w.t.Error(err)
		return
	}
	w.mu.Lock()
	w.acked[key] = content
	w.mu.Unlock()
}

// known returns what has been acknowledged by now.
func (w *copying) known() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.acked)
}

// copy takes one copy and looks at it, after the next set or after a repair. It returns how many
// contents it held against what was acknowledged.
func (w *copying) copy(to string, repair bool) int {
	before := w.known()
	args := append(w.cp[1:len(w.cp):len(w.cp)], "-a", w.store.Path(), to)
	out, err := exec.Command(w.cp[0], args...).CombinedOutput()
	w.onlyDrafts(string(out), err)
	defer os.RemoveAll(to)
	c, err := mem.Open(to, mem.Options{
		Now: func() time.Time { return time.Now().Add(time.Minute) }})
	if err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	defer c.Close()
	if repair {
		if rep, err := c.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true}); err != nil ||
			len(rep.Left) > 0 {
			w.t.Errorf("fsck --repair of a copy: %v, %v", rep.Left, err)
		}
	}
	if err := set(c, "/after", "1"); err != nil {
		w.t.Errorf("the next set in a copy: %v", err)
	}
	if rep, err := c.Fsck(ctx, mem.Caller{}, mem.FsckOptions{}); err != nil || len(rep.Found) > 0 {
		w.t.Errorf("a copy after its next set: %v, %v", rep.Found, err)
	}
	live, err := contents(c)
	if err != nil {
		w.t.Error(err)
	}
	for key, content := range before {
		if got := live[key]; got == "" || number(got) < number(content) {
			w.t.Errorf("%s was %s when the copy began, and is %q in it", key, content, got)
		}
	}
	return len(before)
}

// onlyDrafts checks what cp says: what vanishes while it walks is a temporary file, and what is
// replaced just then can be made anew from the log, which is not.
func (w *copying) onlyDrafts(out string, err error) {
	w.t.Helper()
	for line := range strings.Lines(out) {
		gone := strings.Contains(line, "/"+disk.TempPrefix) &&
			strings.Contains(line, "No such file or directory")
		replaced := strings.Contains(line, "replaced while being copied") &&
			!strings.Contains(line, log.File)
		if !gone && !replaced {
			w.t.Errorf("cp says: %s", line)
		}
	}
	if err != nil && out == "" {
		w.t.Errorf("cp: %v", err)
	}
}

func number(text string) (n int) {
	fmt.Sscan(text, &n)
	return n
}
