package compact_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
)

// A compaction that takes over what the sidecars have of lines that stay fails at each of its
// calls, once or from there on: then the store holds what it held, and the next compaction has the
// sidecars of a build from nothing.
func TestTakingOverFailsAtEveryCall(t *testing.T) {
	way := testkit.Extent(4, 1, 1)
	for name, killed := range map[string]bool{"one fault": false, "killed": true} {
		t.Run(name, func(t *testing.T) {
			for n := testkit.First(t, way); ; n += way {
				w := replaced(t)
				before, f := w.Live(), &faults{at: n, killed: killed, opened: map[string]bool{}}
				disk.SetHook(f.call)
				_, err := w.Job(storetest.KeepLog).Run()
				disk.SetHook(nil)
				if f.calls < n {
					if !f.opened["columns"] || !f.opened["fts"] || err != nil {
						t.Errorf("it took nothing over: %v, %v", f.opened, err)
					}
					return
				}
				what := fmt.Sprintf("call %d", n)
				storetest.Same(t, what, w.Live(), before)
				w.Compact(storetest.KeepLog)
				storetest.Same(t, what+", and the next compaction", w.Live(), before)
				if sameFromNothing(t, w, what); t.Failed() {
					return
				}
			}
		})
	}
}

// replaced is a store with a state, of which some lines were replaced, deleted and added since.
func replaced(t *testing.T) *storetest.World {
	w := storetest.NewWorld(t)
	for i := range 8 {
		w.Set(fmt.Sprintf("/user/fact/%d", i),
			fmt.Sprintf(`{"type":"finding","text":"memory %d of src/m%d.go","tags":["go"]}`, i, i))
	}
	w.Compact(storetest.KeepLog)
	w.Set("/user/fact/3", `"other words in doc.md"`, "/user/fact/5", "null", "/user/fact/41", `"x"`)
	return w
}

// faults makes a call fail: only that one, or if killed each from there on that changes the disk.
type faults struct {
	at     int
	killed bool
	mu     sync.Mutex // the files of the index are looked at beside the fold
	calls  int
	opened map[string]bool
}

var errFault = errors.New("input/output error")

func (f *faults) call(op disk.Op, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if op == disk.OpOpen {
		f.opened[filepath.Base(path)] = true
	}
	if f.killed && !op.Mutates() {
		return nil
	}
	if f.calls++; f.calls == f.at || f.killed && f.calls > f.at {
		return errFault
	}
	return nil
}

// sameFromNothing fails where the sidecars are not those that a compaction makes without them.
func sameFromNothing(t *testing.T, w *storetest.World, what string) {
	t.Helper()
	sidecars := func() (list [2]string) {
		for i, name := range []string{"columns", "fts"} {
			text, err := os.ReadFile(w.File("cache/" + name))
			w.Must(err)
			list[i] = string(text)
		}
		return list
	}
	got := sidecars()
	w.Must(os.RemoveAll(w.File("cache")))
	w.Compact(storetest.KeepLog)
	if got != sidecars() {
		t.Errorf("%s: the sidecars are not those of a build from nothing", what)
	}
}
