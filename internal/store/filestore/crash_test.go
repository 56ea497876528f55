package filestore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/log"
)

var errKilled = errors.New("killed")

// killAt makes every call that changes the disk fail from the n-th on (from 1), as if the process
// had been killed just before it: whatever cleans up after itself has no effect either. It returns
// how to take that back, and how many calls there were.
func killAt(n int) (calls func() int) {
	count := 0
	disk.SetHook(func(op disk.Op, _ string) error {
		if !op.Mutates() {
			return nil
		}
		if count++; count >= n {
			return errKilled
		}
		return nil
	})
	return func() int { disk.SetHook(nil); return count }
}

// steps are the operations that are killed at each of their calls.
var steps = []struct {
	name string
	do   func(w *storetest.World) error
	ack  map[string]string // what it changes, once acknowledged; "null" voids
}{
	{"set of a new key", func(w *storetest.World) error { return w.TrySet("/new/deep/key", `"n"`) },
		map[string]string{"/new/deep/key": `"n"`}},
	{"set of an old key", func(w *storetest.World) error { return w.TrySet("/a", `"newest"`) },
		map[string]string{"/a": `"newest"`}},
	{"tombstone", func(w *storetest.World) error { return w.TrySet("/b/c", "null") },
		map[string]string{"/b/c": "null"}},
	{"batch", func(w *storetest.World) error {
		return w.TrySet("/p", "1", "/q", "2", "/a", "null", "/r", "3")
	}, map[string]string{"/p": "1", "/q": "2", "/a": "null", "/r": "3"}},
	{"compaction", func(w *storetest.World) error {
		_, err := w.Job(storetest.KeepLog).Run()
		return err
	}, nil},
	{"compaction in rounds", func(w *storetest.World) error {
		j := w.Job(storetest.RotateLog)
		j.PassBytes = 400
		_, err := j.Run()
		return err
	}, nil},
	{"rotation", func(w *storetest.World) error {
		_, err := w.Job(storetest.RotateLog).Run()
		return err
	}, nil},
	{"heal after a torn tail", func(w *storetest.World) error {
		f, err := os.OpenFile(w.File(log.File), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		f.WriteString(`{"key":"/torn`)
		f.Close()
		return w.TrySet("/new", "1")
	}, map[string]string{"/new": "1"}},
	{"rebuild after a copy", func(w *storetest.World) error {
		storetest.Saved(w, func(b []byte) []byte { return b })
		return w.TrySet("/new", "1")
	}, map[string]string{"/new": "1"}},
	{"reboot", func(w *storetest.World) error { w.Boot = "boot-9"; return w.TrySet("/new", "1") },
		map[string]string{"/new": "1"}},
	{"repair", func(w *storetest.World) error {
		w.Edit(log.File, func(b []byte) []byte {
			return []byte(strings.Replace(string(b), "old value", "old valve", 1))
		})
		a := &fsck.Checker{Dir: w.Dir, Now: w.Now, Boot: w.Boot}
		found, err := a.Run()
		if err != nil {
			return err
		}
		return (&fsck.Repairer{Checker: a, Findings: found}).Run()
	}, nil},
}

// Every operation is killed before each of its calls, then (half of the time) the next one is
// killed in its recovery too. What was acknowledged must be there, what was in flight may be, and
// nothing else; the write after that must succeed and leave a clean store.
func TestKilledAtEveryCall(t *testing.T) {
	way := testkit.Extent(4, 1, 1)
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			total := 0
			for n := testkit.First(t, way); ; n += way {
				w := storetest.Specimen(t)
				before := w.Live()
				calls := killAt(n)
				err := step.do(w)
				total = calls()
				if err == nil && total < n {
					break
				}
				checkAfterKill(t, w, fmt.Sprintf("call %d", n), before, step.ack, n)
				if t.Failed() {
					return
				}
			}
			t.Logf("%d calls", total)
		})
	}
}

func checkAfterKill(t *testing.T, w *storetest.World, what string, before, ack map[string]string,
	n int) {
	t.Helper()
	between(t, what+": a reader", w.Live(), before, ack)
	if n%2 == 0 {
		calls := killAt(1 + n/2)
		w.TrySet("/second", "1")
		calls()
		more := map[string]string{"/second": "1"}
		for k, v := range ack {
			more[k] = v
		}
		ack = more
		between(t, what+": a reader after a second kill", w.Live(), before, ack)
	}
	w.Set("/last", "1")
	live := w.Live()
	if live["/last"] != "1" {
		t.Errorf("%s: the next write is not there", what)
	}
	delete(live, "/last")
	between(t, what+": after the next write", live, before, ack)
	for key, content := range live {
		if got, ok := w.Get(key); !ok || got != content {
			t.Errorf("%s: get %s: %q, %v; want %q", what, key, got, ok, content)
		}
	}
	if found := ignoreTorn(w.Check()); len(found) > 0 {
		t.Errorf("%s: fsck after the next write: %v", what, found)
	}
	w.Dirty = true
}

// ignoreTorn leaves out the damage that a step made on purpose.
func ignoreTorn(found []fsck.Finding) (rest []fsck.Finding) {
	for _, f := range found {
		if f.Check != "F03" {
			rest = append(rest, f)
		}
	}
	return rest
}

// between checks that every key holds what it held before, or what the killed operation was to make
// of it.
func between(t *testing.T, what string, got, before, ack map[string]string) {
	t.Helper()
	for key, content := range got {
		if content != before[key] && content != ack[key] {
			t.Errorf("%s: %s is %s, was %q, should become %q", what, key, content, before[key],
				ack[key])
		}
	}
	for key, content := range before {
		if _, ok := got[key]; !ok && ack[key] != "null" {
			t.Errorf("%s: %s (%s) is lost", what, key, content)
		}
	}
}

// Every operation meets an error at each of its calls, once: it must say so with the cause, and the
// next write must succeed.
func TestOneFaultAtEveryCall(t *testing.T) {
	cause, way := errors.New("input/output error"), testkit.Extent(4, 1, 1)
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			for n := testkit.First(t, way); ; n += way {
				w := storetest.Specimen(t)
				before := w.Live()
				count, hit := 0, disk.Op("")
				disk.SetHook(func(op disk.Op, path string) error {
					if count++; count == n {
						hit = op + disk.Op(" "+filepath.Base(path))
						return cause
					}
					return nil
				})
				err := step.do(w)
				disk.SetHook(nil)
				if count < n {
					return
				}
				what := fmt.Sprintf("call %d (%s)", n, hit)
				if err != nil && !errors.Is(err, cause) {
					t.Errorf("%s: the cause is hidden: %v", what, err)
				}
				if err == nil {
					for key, content := range step.ack {
						if got := w.Live()[key]; got != content &&
							!(got == "" && content == "null") {
							t.Errorf("%s: acknowledged, but %s is %q", what, key, got)
						}
					}
				}
				between(t, what, w.Live(), before, step.ack)
				w.Set("/last", "1")
				if found := ignoreTorn(w.Check()); len(found) > 0 {
					t.Errorf("%s: fsck after the next write: %v", what, found)
				}
				if w.Dirty = true; t.Failed() {
					return
				}
			}
		})
	}
}
