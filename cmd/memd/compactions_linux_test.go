package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/test/pgtest"
)

// compactions are the processes of a program that compact in the background.
type compactions struct {
	seen map[string]bool // process ids
	most int             // at one time: of these one compacts, the others leave
}

// look looks at all processes of this machine.
func (c *compactions) look(program string) {
	list, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	running := 0
	for _, dir := range list {
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		path, _ := os.Readlink(filepath.Join(dir, "exe"))
		if err == nil && path == program && bytes.Contains(line, []byte("\x00--names-only")) {
			running++
			c.seen[dir] = true
		}
	}
	c.most = max(c.most, running)
}

// While many processes write to a space and read this machine's copy of it, whose tail is long, few
// start a compaction, and no compaction starts another one. On a loaded machine a compaction begins
// late, and more than one writer finds the tail long before that.
func TestFewCompactionsOfACopy(t *testing.T) {
	s := newSpace(t, pgtest.Shared(t))
	program, err := filepath.EvalSymlinks(filepath.Join(s.bin, "memd"))
	if err != nil {
		t.Fatal(err)
	}
	s.must("ls")
	text := strings.Repeat("a long word of many ", 5000)
	var writers, watcher sync.WaitGroup
	over := make(chan struct{})
	found := compactions{seen: map[string]bool{}}
	watcher.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				found.look(program)
			}
		}
	})
	for i := range 8 {
		writers.Go(func() {
			for n := range 8 {
				s.must("set", fmt.Sprintf("/k/%d-%d", i, n), fmt.Sprintf(`{"text":%q}`, text), "-s",
					"chat")
				s.must("ls", "/k/0-0")
			}
		})
	}
	writers.Wait()
	close(over)
	watcher.Wait()
	t.Logf("%d compactions, at most %d at once", len(found.seen), found.most)
	if len(found.seen) == 0 || len(found.seen) > 16 {
		t.Errorf("%d compactions, at most %d at once", len(found.seen), found.most)
	}
}
