package compact

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem/log"
)

// meddle are the things that happen to a store between two calls of mem, none of which may lose or raise a record.
var meddle = []struct {
	name string
	do   func(w *world)
	want func(live map[string]string) // what it changes in what is live; nil: nothing
}{
	{"nothing", func(*world) {}, nil},
	{"a reboot", func(w *world) { w.boot = "boot-2" }, nil},
	{"a reboot that lost every index file since the checkpoint", func(w *world) {
		w.boot = "boot-2"
		w.must(os.Remove(w.file(w.indexFile("/tail"))))
	}, nil},
	{"a reboot that emptied an index file", func(w *world) {
		w.boot = "boot-2"
		w.edit(w.indexFile("/tail"), func([]byte) []byte { return nil })
	}, nil},
	{"the watermark is gone", func(w *world) { w.must(os.Remove(w.file(log.WatermarkFile))) }, nil},
	{"the checkpoint is gone", func(w *world) { w.must(os.Remove(w.file(CheckpointFile))) }, nil},
	{"the state is gone", func(w *world) { w.must(os.Remove(w.file(StateFile))) }, nil},
	{"everything derived is gone", func(w *world) {
		for _, name := range []string{log.WatermarkFile, CheckpointFile, StateFile, "index"} {
			w.must(os.RemoveAll(w.file(name)))
		}
	}, nil},
	{"a copy of the whole store", func(w *world) {
		to := filepath.Join(w.t.TempDir(), "copy")
		w.must(exec.Command("cp", "-a", w.path, to).Run())
		w.dir.Close()
		w.path = to
		w.open()
	}, nil},
	{"the log saved by an editor that drops the last newline", func(w *world) {
		saved(w, func(b []byte) []byte { return bytes.TrimSuffix(b, []byte{'\n'}) })
	}, nil},
	{"the log saved by an editor with CRLF and a byte order mark", func(w *world) {
		saved(w, func(b []byte) []byte {
			return append([]byte("\ufeff"), bytes.ReplaceAll(b, []byte{'\n'}, []byte("\r\n"))...)
		})
	}, nil},
	{"a torn tail", func(w *world) {
		w.edit(log.File, func(b []byte) []byte { return append(b, `{"key":"/torn","ts`...) })
	}, nil},
	{"the log lost its last line", func(w *world) {
		w.edit(log.File, func(b []byte) []byte {
			return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1]
		})
	}, func(live map[string]string) { delete(live, "/tail") }},
	{"an older copy of the log merged in front", func(w *world) {
		saved(w, func(b []byte) []byte { return append(append([]byte(nil), b[:bytes.IndexByte(b, '\n')+1]...), b...) })
	}, nil},
	{"the archive appended to the log by hand", func(w *world) {
		names, err := log.Archives(w.dir)
		w.must(err)
		old, err := os.ReadFile(w.file(names[0]))
		w.must(err)
		w.edit(log.File, func(b []byte) []byte { return append(b, old...) })
	}, nil},
	{"a line written by hand", func(w *world) {
		w.edit(log.File, func(b []byte) []byte {
			return append(b, `{"content": "by hand", "key": "/hand", "source": "editor", "ts": "2026-02-22T12:30:00Z"}`+"\n"...)
		})
	}, func(live map[string]string) { live["/hand"] = `"by hand"` }},
}

// saved replaces the log as an editor does: a new file, renamed into place.
func saved(w *world, fn func([]byte) []byte) {
	data, err := os.ReadFile(w.file(log.File))
	w.must(err)
	w.must(os.WriteFile(w.file("log.tmp"), fn(data), 0o600))
	w.must(os.Rename(w.file("log.tmp"), w.file(log.File)))
}

func TestReadersAndTheNextWriterSeeTheTruth(t *testing.T) {
	for _, m := range meddle {
		t.Run(m.name, func(t *testing.T) {
			w := specimen(t)
			want := w.live()
			if m.want != nil {
				m.want(want)
			}
			m.do(w)
			same(t, "a reader", w.live(), want)
			for key, content := range want {
				if got, ok := w.get(key); !ok || got != content {
					t.Errorf("get %s: %q, %v; want %q", key, got, ok, content)
				}
			}
			if got, ok := w.get("/dead"); ok {
				t.Errorf("the dead key is back: %s", got)
			}
			w.set("/next", `"after"`)
			want["/next"] = `"after"`
			same(t, "after the next write", w.live(), want)
			w.compact(keepLog)
			same(t, "after a compaction", w.live(), want)
		})
	}
}

func TestDeletedDoesNotComeBackFromAnOlderCopy(t *testing.T) {
	w := newWorld(t)
	w.set("/x", `"secret plan"`)
	old, err := os.ReadFile(w.file(log.File))
	w.must(err)
	w.set("/x", "null")
	w.compact(rotateLog)
	w.set("/y", "1")
	w.edit(log.File, func(b []byte) []byte { return append(old, b...) })
	if _, ok := w.live()["/x"]; ok {
		t.Error("a reader sees the deleted key")
	}
	w.set("/z", "1")
	w.compact(keepLog)
	if _, ok := w.live()["/x"]; ok {
		t.Error("the deleted key is back for good")
	}
}

func TestAHandEditSurvivesAHealInQuarantine(t *testing.T) {
	w := specimen(t)
	w.edit(w.indexFile("/a"), func(b []byte) []byte { return bytes.Replace(b, []byte("new value"), []byte("my value"), 1) })
	w.must(os.Remove(w.file(log.WatermarkFile)))
	w.set("/next", "1")
	found := false
	entries, _ := os.ReadDir(w.file(log.QuarantineDir))
	for _, e := range entries {
		data, _ := os.ReadFile(w.file("quarantine/" + e.Name()))
		found = found || bytes.Contains(data, []byte("my value"))
	}
	if !found {
		t.Error("the edit is neither in the index nor in quarantine")
	}
}

func TestAPlantedLinkDoesNotStopTheLog(t *testing.T) {
	w := specimen(t)
	outside := t.TempDir()
	w.must(os.RemoveAll(w.file("index/user")))
	w.must(os.Symlink(outside, w.file("index/user")))
	err := w.trySet("/user/new", "1")
	if err == nil {
		t.Fatal("a write through a planted link succeeded")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("mem wrote outside its root: %v", left)
	}
	if got := w.live()["/user/new"]; got != "1" {
		t.Error("the write is not in the log")
	}
	w.repair()
	if got, ok := w.get("/user/new"); !ok || got != "1" {
		t.Error("the repair did not bring the index up to date")
	}
}

func TestTheLaterWriteWinsWhateverTheClockDoes(t *testing.T) {
	w := newWorld(t)
	for i, year := range []int{2026, 2016, 1901, 2026, 9998, 1970} {
		w.now = noon.AddDate(year-2026, 0, 0)
		w.set("/x", string(rune('0'+i)))
		if got := w.live()["/x"]; got != string(rune('0'+i)) {
			t.Fatalf("in %d the write of before still wins: %s", year, got)
		}
	}
	w.now = noon.AddDate(7999, 0, 0)
	if err := w.trySet("/x", "1"); err == nil {
		t.Error("a year of five digits was accepted")
	}
	w.now = noon.AddDate(7972, 0, 0) // the store's own year, or fsck calls all of it future
}

func TestFoldDoesNotDependOnOrder(t *testing.T) {
	w := specimen(t)
	w.set("/a", `"again"`, "/b/c", "null", "/b/c", "3")
	v, err := Load(w.dir, w.boot)
	w.must(err)
	defer v.Close()
	w.must(v.loadAll())
	var all []log.Record
	w.must(EachArchived(w.dir, func(r log.Record, err error) error { all = append(all, r.Clone()); return err }))
	for r, err := range log.Scan(v.live.From(0), log.File, log.Start{}) {
		w.must(err)
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

// foldOf folds records from some place on, wrapping around, backwards where step is odd.
func foldOf(all []log.Record, from, step int) string {
	f := Fold{}
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
	a, b := newWorld(t), newWorld(t)
	a.set("/x", "1")
	a.set("/y", "2")
	a.compact(keepLog)
	a.set("/z", "0")
	a.set("/z", "null")
	a.compact(rotateLog)
	data, err := os.ReadFile(a.file("archive/log_20260222T120000Z.jsonl"))
	a.must(err)
	b.must(os.WriteFile(b.file(log.File), data, 0o600))
	b.set("/q", "1")
	b.set("/q", "null")
	b.compact(keepLog)
	one, err := os.ReadFile(a.file(StateFile))
	a.must(err)
	two, err := os.ReadFile(b.file(StateFile))
	a.must(err)
	if !bytes.Equal(one, two) {
		t.Errorf("the same live set gave\n%s\nand\n%s", one, two)
	}
}

func TestRotationLosesNothing(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.set("/k", string(rune('0'+i)))
		w.compact(rotateLog)
	}
	names, err := log.Archives(w.dir)
	w.must(err)
	if len(names) != 5 {
		t.Fatalf("archives of one second: %v", names)
	}
	n := 0
	w.must(EachArchived(w.dir, func(r log.Record, err error) error { n++; return err }))
	if fi, err := os.Stat(w.file(log.File)); n != 5 || err != nil || fi.Size() != 0 {
		t.Errorf("%d lines in archives, log %v", n, fi.Size())
	}
}

func TestExpiredKeysLeaveStateAndIndex(t *testing.T) {
	w := newWorld(t)
	w.set("/gone", `{"expired_at":"2026-02-22T13:59:59.999999+02:00"}`, "/stays", `{"expired_at":"2026-02-22T14:00:00+02:00"}`)
	if rep := w.compact(keepLog); rep.Expired != 1 || rep.Keys != 1 {
		t.Errorf("report: %+v", rep)
	}
	tree := []string{w.indexFile("/gone"), w.indexFile("/stays")}
	if _, err := os.Stat(w.file(tree[0])); err == nil {
		t.Error("the expired key still has its file")
	}
	if _, err := os.Stat(w.file(tree[1])); err != nil {
		t.Error("at the very instant a memory is still live")
	}
}
