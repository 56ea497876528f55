package filestore_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// meddle are the things that happen to a store between two calls of mem, none of which may lose or
// raise a record.
var meddle = []struct {
	name string
	do   func(w *storetest.World)
	want func(live map[string]string) // what it changes in what is live; nil: nothing
}{
	{"nothing", func(*storetest.World) {}, nil},
	{"a reboot", func(w *storetest.World) { w.Boot = "boot-2" }, nil},
	{"a reboot that lost every index file since the checkpoint", func(w *storetest.World) {
		w.Boot = "boot-2"
		w.Must(os.Remove(w.File(w.IndexFile("/tail"))))
	}, nil},
	{"a reboot that emptied an index file", func(w *storetest.World) {
		w.Boot = "boot-2"
		w.Edit(w.IndexFile("/tail"), func([]byte) []byte { return nil })
	}, nil},
	{"the watermark is gone",
		func(w *storetest.World) { w.Must(os.Remove(w.File(log.WatermarkFile))) }, nil},
	{"the checkpoint is gone",
		func(w *storetest.World) { w.Must(os.Remove(w.File(state.CheckpointName))) }, nil},
	{"the state is gone", func(w *storetest.World) { w.Must(os.Remove(w.File(state.FileName))) },
		nil},
	{"everything derived is gone", func(w *storetest.World) {
		for _, name := range []string{log.WatermarkFile, state.CheckpointName, state.FileName,
			"index"} {
			w.Must(os.RemoveAll(w.File(name)))
		}
	}, nil},
	{"a copy of the whole store", func(w *storetest.World) {
		to := filepath.Join(w.T.TempDir(), "copy")
		w.Must(exec.Command("cp", "-a", w.Path, to).Run())
		w.Dir.Close()
		w.Path = to
		w.Open()
	}, nil},
	{"the log saved by an editor that drops the last newline", func(w *storetest.World) {
		storetest.Saved(w, func(b []byte) []byte { return bytes.TrimSuffix(b, []byte{'\n'}) })
	}, nil},
	{"the log saved by an editor with CRLF and a byte order mark", func(w *storetest.World) {
		storetest.Saved(w, func(b []byte) []byte {
			return append([]byte("\ufeff"), bytes.ReplaceAll(b, []byte{'\n'}, []byte("\r\n"))...)
		})
	}, nil},
	{"a torn tail", func(w *storetest.World) {
		w.Edit(log.File, func(b []byte) []byte { return append(b, `{"key":"/torn","ts`...) })
	}, nil},
	{"an older copy of the log merged in front", func(w *storetest.World) {
		storetest.Saved(w, func(b []byte) []byte {
			return append(append([]byte(nil), b[:bytes.IndexByte(b, '\n')+1]...), b...)
		})
	}, nil},
	{"the archive appended to the log by hand", func(w *storetest.World) {
		names, err := log.Archives(w.Dir)
		w.Must(err)
		old, err := os.ReadFile(w.File(names[0]))
		w.Must(err)
		w.Edit(log.File, func(b []byte) []byte { return append(b, old...) })
	}, nil},
	{"a line written by hand", func(w *storetest.World) {
		w.Edit(log.File, func(b []byte) []byte {
			return append(b, `{"content": "by hand", "key": "/hand", "source": "editor", "ts": "2026-02-22T12:30:00Z"}`+"\n"...)
		})
	}, func(live map[string]string) { live["/hand"] = `"by hand"` }},
}

func TestReadersAndTheNextWriterSeeTheTruth(t *testing.T) {
	for _, m := range meddle {
		t.Run(m.name, func(t *testing.T) {
			w := storetest.Specimen(t)
			want := w.Live()
			if m.want != nil {
				m.want(want)
			}
			m.do(w)
			storetest.Same(t, "a reader", w.Live(), want)
			for key, content := range want {
				if got, ok := w.Get(key); !ok || got != content {
					t.Errorf("get %s: %q, %v; want %q", key, got, ok, content)
				}
			}
			if got, ok := w.Get("/dead"); ok {
				t.Errorf("the dead key is back: %s", got)
			}
			w.Set("/next", `"after"`)
			want["/next"] = `"after"`
			storetest.Same(t, "after the next write", w.Live(), want)
			w.Compact(storetest.KeepLog)
			storetest.Same(t, "after a compaction", w.Live(), want)
			w.Seal()
			storetest.Same(t, "after a repair", w.Live(), want)
		})
	}
}

func TestDeletedDoesNotComeBackFromAnOlderCopy(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/x", `"secret plan"`)
	old, err := os.ReadFile(w.File(log.File))
	w.Must(err)
	w.Set("/x", "null")
	w.Compact(storetest.RotateLog)
	w.Set("/y", "1")
	w.Edit(log.File, func(b []byte) []byte { return append(old, b...) })
	if _, ok := w.Live()["/x"]; ok {
		t.Error("a reader sees the deleted key")
	}
	w.Set("/z", "1")
	w.Compact(storetest.KeepLog)
	if _, ok := w.Live()["/x"]; ok {
		t.Error("the deleted key is back for good")
	}
}

func TestAHandEditSurvivesAHealInQuarantine(t *testing.T) {
	w := storetest.Specimen(t)
	w.Edit(w.IndexFile("/a"),
		func(b []byte) []byte {
			return bytes.Replace(b, []byte("new value"), []byte("my value"), 1)
		})
	w.Must(os.Remove(w.File(log.WatermarkFile)))
	w.Set("/next", "1")
	found := false
	entries, _ := os.ReadDir(w.File(log.QuarantineDir))
	for _, e := range entries {
		data, _ := os.ReadFile(w.File("quarantine/" + e.Name()))
		found = found || bytes.Contains(data, []byte("my value"))
	}
	if !found {
		t.Error("the edit is neither in the index nor in quarantine")
	}
}

func TestAPlantedLinkDoesNotStopTheLog(t *testing.T) {
	w := storetest.Specimen(t)
	outside := t.TempDir()
	w.Must(os.RemoveAll(w.File("index/user")))
	w.Must(os.Symlink(outside, w.File("index/user")))
	err := w.TrySet("/user/new", "1")
	if err == nil {
		t.Fatal("a write through a planted link succeeded")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("mem wrote outside its root: %v", left)
	}
	if got := w.Live()["/user/new"]; got != "1" {
		t.Error("the write is not in the log")
	}
	w.Repair()
	if got, ok := w.Get("/user/new"); !ok || got != "1" {
		t.Error("the repair did not bring the index up to date")
	}
}

func TestTheLaterWriteWinsWhateverTheClockDoes(t *testing.T) {
	w := storetest.NewWorld(t)
	for i, year := range []int{2026, 2016, 1901, 2026, 9998, 1970} {
		w.Now = storetest.Noon.AddDate(year-2026, 0, 0)
		w.Set("/x", string(rune('0'+i)))
		if got := w.Live()["/x"]; got != string(rune('0'+i)) {
			t.Fatalf("in %d the write of before still wins: %s", year, got)
		}
	}
	w.Now = storetest.Noon.AddDate(7999, 0, 0)
	if err := w.TrySet("/x", "1"); err == nil {
		t.Error("a year of five digits was accepted")
	}
	w.Now = storetest.Noon.AddDate(7972, 0, 0) // or fsck calls all of it future
}

func TestFoldDoesNotDependOnOrder(t *testing.T) {
	w := storetest.Specimen(t)
	w.Set("/a", `"again"`, "/b/c", "null", "/b/c", "3")
	var all []log.Record
	for r, err := range w.Files().History() {
		w.Must(err)
		all = append(all, r.Clone())
	}
	tie := all[0].Clone()
	tie.Content = []byte(`"tie"`)
	tie.Line = tie.Envelope.Line()
	all = append(all, tie)
	want := foldOf(all, 0, 1)
	for step := 1; step < len(all); step++ {
		if got := foldOf(append(all, all[step]), step, len(all)-step); got != want {
			t.Errorf("order %d:\n got %s\nwant %s", step, got, want)
		}
	}
}

// foldOf folds all records, beginning at one of them and wrapping around, backwards where step is
// odd.
func foldOf(all []log.Record, from, step int) string {
	f := state.Fold{}
	for i := range all {
		j := (from + i) % len(all)
		if step%2 == 1 {
			j = len(all) - 1 - j
		}
		f.Add(all[j])
	}
	var out bytes.Buffer
	for r := range f.Sorted() {
		out.Write(r.Line)
		out.WriteByte('\n')
	}
	return out.String()
}

func TestStateIsAFunctionOfWhatIsLive(t *testing.T) {
	a, b := storetest.NewWorld(t), storetest.NewWorld(t)
	a.Set("/x", "1")
	a.Set("/y", "2")
	a.Compact(storetest.KeepLog)
	a.Set("/z", "0")
	a.Set("/z", "null")
	a.Compact(storetest.RotateLog)
	data, err := os.ReadFile(a.File("archive/log_20260222T120000Z.jsonl"))
	a.Must(err)
	b.Must(os.WriteFile(b.File(log.File), data, 0o600))
	b.Set("/q", "1")
	b.Set("/q", "null")
	b.Compact(storetest.KeepLog)
	one, err := os.ReadFile(a.File(state.FileName))
	a.Must(err)
	two, err := os.ReadFile(b.File(state.FileName))
	a.Must(err)
	if !bytes.Equal(one, two) {
		t.Errorf("the same live set gave\n%s\nand\n%s", one, two)
	}
}

func TestRotationKeepsEveryLine(t *testing.T) {
	w := storetest.NewWorld(t)
	for i := range 5 {
		w.Set("/k", string(rune('0'+i)))
		w.Compact(storetest.RotateLog)
	}
	names, err := log.Archives(w.Dir)
	w.Must(err)
	if len(names) != 5 {
		t.Fatalf("archives of one second: %v", names)
	}
	n := 0
	for _, err := range w.Files().History() {
		w.Must(err)
		n++
	}
	if fi, err := os.Stat(w.File(log.File)); n != 5 || err != nil || fi.Size() != 0 {
		t.Errorf("%d lines in archives, log %v", n, fi.Size())
	}
}

func TestExpiredKeysLeaveStateAndIndex(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/gone", `{"expired_at":"2026-02-22T13:59:59.999999+02:00"}`, "/stays", `{"expired_at":"2026-02-22T14:00:00+02:00"}`)
	if rep := w.Compact(storetest.KeepLog); rep.Expired != 1 || rep.Keys != 1 {
		t.Errorf("report: %+v", rep)
	}
	tree := []string{w.IndexFile("/gone"), w.IndexFile("/stays")}
	if _, err := os.Stat(w.File(tree[0])); err == nil {
		t.Error("the expired key still has its file")
	}
	if _, err := os.Stat(w.File(tree[1])); err != nil {
		t.Error("at the very instant a memory is still live")
	}
}

// A store in which nothing has a file in index/ is not folded anew by every write.
func TestEventsAloneAreNotFoldedAgain(t *testing.T) {
	w := storetest.NewWorld(t)
	for n := range 3 {
		w.Set(fmt.Sprintf("/event/s/evt_01JQ8ZV5Y3M4N6P7R8S9%06d", n), "1")
	}
	if _, err := os.Stat(w.File(state.CheckpointName)); err == nil {
		t.Error("a write has made state and checkpoint")
	}
	w.Must(os.RemoveAll(w.File("index")))
	w.Set("/event/s/evt_01JQ8ZV5Y3M4N6P7R8S9000009", "1")
	before, err := os.Stat(w.File(state.CheckpointName))
	w.Must(err)
	w.Set("/event/s/evt_01JQ8ZV5Y3M4N6P7R8S9000010", "1")
	after, err := os.Stat(w.File(state.CheckpointName))
	w.Must(err)
	if !os.SameFile(before, after) {
		t.Error("the second write without files has made state and checkpoint anew")
	}
}
