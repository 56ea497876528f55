//go:build linux

package mem_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
)

// A copy taken with cp while writers and compactions go on: it has everything that was acknowledged
// before the copy began, and the next set or a repair makes a clean store of it.
func TestCopyWhileWriting(t *testing.T) {
	base := quickDir(t)
	s, err := mem.Open(filepath.Join(base, "memory"), mem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := &copying{t: t, store: s, acked: map[string]string{}}
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
	copies := 3
	if long() {
		copies = 60
	}
	for i := range copies {
		w.copy(filepath.Join(base, fmt.Sprintf("copy%d", i)), i%2 == 0)
	}
	close(stop)
	all.Wait()
	t.Logf("%d copies", copies)
}

type copying struct {
	t     *testing.T
	store *mem.Store
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

// copy takes one copy and looks at it, after the next set or after a repair.
func (w *copying) copy(to string, repair bool) {
	w.mu.Lock()
	before := maps.Clone(w.acked)
	w.mu.Unlock()
	// What vanishes while cp walks is a temporary file, and no reason to stop.
	out, _ := exec.Command("cp", "-a", w.store.Path(), to).CombinedOutput()
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
}

func number(text string) (n int) {
	fmt.Sscan(text, &n)
	return n
}
