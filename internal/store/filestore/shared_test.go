package filestore_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// sharedWorld is a store with an archive, a state and a tail, that git has from then on.
func sharedWorld(t *testing.T) *storetest.World {
	w := storetest.NewWorld(t)
	w.Set("/old", "1", "/gone", "1")
	w.Compact(storetest.RotateLog)
	w.Set("/a", `"aaa"`, "/b", `"bbb"`, "/c", `"ccc"`, "/gone", "null")
	w.Shared = true
	w.Compact(storetest.KeepLog)
	w.Set("/tail", "1")
	return w
}

// without returns a change that leaves out the lines of a key.
func without(key string) func([]byte) []byte {
	return func(text []byte) []byte {
		var kept []byte
		for line := range bytes.Lines(text) {
			if !bytes.Contains(line, fmt.Appendf(nil, "%q", key)) {
				kept = append(kept, line...)
			}
		}
		return kept
	}
}

// saved returns the change of a log that is replaced.
func saved(edit func([]byte) []byte) func(*storetest.World) {
	return func(w *storetest.World) { storetest.Saved(w, edit) }
}

// Whatever git does to log and archives, readers and the next writer believe it, take nothing in
// again, and have nothing to say.
func TestWhatGitTakesAwayIsGone(t *testing.T) {
	all := map[string]string{"/old": "1", "/a": `"aaa"`, "/b": `"bbb"`, "/c": `"ccc"`, "/tail": "1"}
	but := func(pairs ...string) map[string]string {
		want := map[string]string{}
		for key, value := range all {
			want[key] = value
		}
		for i := 0; i < len(pairs); i += 2 {
			if want[pairs[i]] = pairs[i+1]; pairs[i+1] == "" {
				delete(want, pairs[i])
			}
		}
		return want
	}
	other := log.Envelope{Key: keypath.MustParse("/d"), TS: log.StampOf(storetest.Noon) + 4,
		Source: []byte(`"test"`), Content: []byte(`"ddd"`)}
	for name, git := range map[string]struct {
		change func(*storetest.World)
		want   map[string]string
	}{
		"nothing":     {func(*storetest.World) {}, all},
		"the last":    {saved(without("/tail")), but("/tail", "")},
		"one of many": {saved(without("/b")), but("/b", "")},
		"a deletion":  {saved(without("/gone")), but("/gone", "1")},
		"in the place": {func(w *storetest.World) { w.Edit(log.File, without("/b")) },
			but("/b", "")},
		"as long, with the same inode and the same last line": {func(w *storetest.World) {
			w.Edit(log.File, func(text []byte) []byte {
				for line := range bytes.Lines(text) {
					if bytes.Contains(line, []byte(`"/b"`)) {
						return bytes.Replace(text, line, append(other.Line(), '\n'), 1)
					}
				}
				return nil
			})
		}, but("/b", "", "/d", `"ddd"`)},
		"all": {saved(func([]byte) []byte { return nil }),
			map[string]string{"/old": "1", "/gone": "1"}},
		"the archive": {func(w *storetest.World) { w.Must(os.RemoveAll(w.File(log.ArchiveDir))) },
			but("/old", "")},
		"log and archive": {func(w *storetest.World) {
			storetest.Saved(w, func([]byte) []byte { return nil })
			w.Must(os.RemoveAll(w.File(log.ArchiveDir)))
		}, map[string]string{}},
	} {
		for _, next := range []string{"write", "compaction"} {
			t.Run(name+", "+next, func(t *testing.T) {
				w := sharedWorld(t)
				if v := load(w); !v.HasState() {
					t.Error("the state is not used before git comes")
				}
				w.Tick()
				git.change(w)
				text, err := os.ReadFile(w.File(log.File))
				w.Must(err)
				storetest.Same(t, "a reader", w.Live(), git.want)
				for _, key := range []string{"/old", "/gone", "/a", "/b", "/c", "/d", "/tail"} {
					if got, _ := w.Get(key); got != git.want[key] && got != "null" {
						t.Errorf("%s is %s, want %s", key, got, git.want[key])
					}
				}
				if next == "compaction" {
					w.Compact(storetest.RotateLog)
				}
				w.Must(w.Write(func(wr *filestore.Writer) error {
					wr.ReportTo(func(msg string) { t.Error("told:", msg) })
					return nil
				}))
				storetest.Same(t, "after it", w.Live(), git.want)
				if v := load(w); len(git.want) > 0 && !v.HasState() {
					t.Error("the state is not used after a writer came")
				}
				now, err := os.ReadFile(w.File(log.File))
				w.Must(err)
				if !bytes.Equal(now, text) {
					t.Errorf("the log has\n%s and had\n%s", now, text)
				}
				if names, _ := w.Dir.Names(log.QuarantineDir); len(names) > 0 {
					t.Error("kept:", names)
				}
			})
		}
	}
}

func load(w *storetest.World) *filestore.View {
	w.T.Helper()
	v, err := w.Files().Load()
	w.Must(err)
	w.T.Cleanup(v.Close)
	return v
}

// What a person wrote into a file is kept and told, though git has changed the log.
func TestGitLeavesHandEdits(t *testing.T) {
	w := sharedWorld(t)
	w.Edit(w.IndexFile("/b"), func(text []byte) []byte {
		return bytes.Replace(text, []byte("bbb"), []byte("mine"), 1)
	})
	w.Tick()
	storetest.Saved(w, without("/b"))
	var told []string
	w.Must(w.Write(func(wr *filestore.Writer) error {
		wr.ReportTo(func(msg string) { told = append(told, msg) })
		return nil
	}))
	names, err := w.Dir.Names(log.QuarantineDir)
	w.Must(err)
	if len(told) != 1 || len(names) != 1 {
		t.Errorf("told %q, kept %q", told, names)
	}
	if _, err := os.Stat(w.File(index.DirName + "/b.json")); err == nil {
		t.Error("the file of a key that is gone is there")
	}
}

// A shared store is not rotated: a new archive is a file that git does not see by itself.
func TestSharedStoresAreNotRotated(t *testing.T) {
	w := sharedWorld(t)
	before, err := log.Archives(w.Dir)
	w.Must(err)
	if rep := w.Compact(storetest.RotateLog); !rep.Done || rep.Archive != "" {
		t.Errorf("%+v", rep)
	}
	if after, _ := log.Archives(w.Dir); len(after) != len(before) {
		t.Errorf("%v, then %v", before, after)
	}
	job := w.Job(storetest.RotateLog)
	job.IfNeeded = true
	if rep, err := job.Run(); err != nil || rep.Done {
		t.Errorf("a log that is kept is compacted without need: %+v, %v", rep, err)
	}
}

// What git brings as an archive and takes away again, with the folder, is gone for a reader that
// has seen it too: the watermark fits again, as if nothing had been there.
func TestAnArchiveThatComesAndGoes(t *testing.T) {
	h := holdOpenAs(t, filestore.Options{Shared: true})
	h.put("/mine", "1")
	if n := h.count(); n != 1 {
		t.Fatalf("%d keys before", n)
	}
	theirs := storetest.NewWorld(t)
	theirs.Set("/theirs", "1")
	theirs.Compact(storetest.RotateLog)
	h.w.Must(os.CopyFS(h.w.File(log.ArchiveDir), os.DirFS(theirs.File(log.ArchiveDir))))
	if n := h.count(); n != 2 {
		t.Errorf("%d keys with the archive", n)
	}
	h.w.Must(os.RemoveAll(h.w.File(log.ArchiveDir)))
	if n := h.count(); n != 1 {
		t.Errorf("%d keys when it is gone", n)
	}
}
