package fsck_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// breaks names, for each check, a way to break exactly that invariant.
var breaks = []struct {
	check fsck.Check
	how   string
	do    func(w *storetest.World)
}{
	{fsck.CheckTorn, "half a line at the end", func(w *storetest.World) {
		w.Edit(log.File, func(b []byte) []byte { return append(b, `{"key":"/torn","ts":"20`...) })
	}},
	{fsck.CheckLine, "an old line is no JSON", func(w *storetest.World) {
		w.Edit(log.File, func(b []byte) []byte { b[0] = '#'; return b })
	}},
	{fsck.CheckLine, "an old line lacks a field", func(w *storetest.World) {
		w.Edit(log.File, func(b []byte) []byte { return bytes.Replace(b, []byte(`"source"`), []byte(`"sourcs"`), 1) })
	}},
	{fsck.CheckChecksum, "one letter of an old value", func(w *storetest.World) {
		w.Edit(log.File, func(b []byte) []byte {
			return bytes.Replace(b, []byte("old value"), []byte("old valve"), 1)
		})
	}},
	{fsck.CheckFuture, "written by a clock a year ahead", func(w *storetest.World) {
		w.Now = storetest.Noon.AddDate(1, 0, 0)
		w.Set("/future", `{"text":"from next year"}`, "/a", `"also"`)
		w.Now = storetest.Noon
	}},
	{fsck.CheckUnsealed, "the name of a checksum lost a letter", func(w *storetest.World) {
		w.Edit(log.File, func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"checksum"`), []byte(`"checksul"`), 1)
		})
	}},
	{fsck.CheckMissing, "an index file removed",
		func(w *storetest.World) { w.Must(os.Remove(w.File(w.IndexFile("/a")))) }},
	{fsck.CheckStale, "an index file with an older version", func(w *storetest.World) {
		w.Edit(w.IndexFile("/a"), func([]byte) []byte { return indentFirstLine(w) })
	}},
	{fsck.CheckStale, "an index file of a dead key", func(w *storetest.World) {
		if _, err := os.Stat(w.File(w.IndexFile("/dead"))); err == nil {
			w.T.Fatal("the dead key has a file")
		}
		w.Must(os.WriteFile(w.File(w.IndexFile("/dead")), envelopeText(w, "/dead"), 0o600))
	}},
	{fsck.CheckDuplicate, "a copy of an index file at another key's place",
		func(w *storetest.World) {
			data, err := os.ReadFile(w.File(w.IndexFile("/a")))
			w.Must(err)
			w.Must(os.WriteFile(w.File(w.IndexFile("/elsewhere")), data, 0o600))
		}},
	{fsck.CheckForeign, "a note in the tree",
		func(w *storetest.World) {
			w.Must(os.WriteFile(w.File("index/notes.txt"), []byte("hello"), 0o600))
		}},
	{fsck.CheckEdited, "a changed content", func(w *storetest.World) {
		w.Edit(w.IndexFile("/a"),
			func(b []byte) []byte {
				return bytes.Replace(b, []byte("new value"), []byte("my value"), 1)
			})
	}},
	{fsck.CheckEdited, "an emptied file",
		func(w *storetest.World) { w.Edit(w.IndexFile("/a"), func([]byte) []byte { return nil }) }},
	{fsck.CheckEdited, "changed, and the checksum taken out", func(w *storetest.World) {
		w.Edit(w.IndexFile("/a"), func(b []byte) []byte {
			b = bytes.Replace(b, []byte("new value"), []byte("my value"), 1)
			return append(b[:bytes.Index(b, []byte(",\n  \"checksum\""))], "\n}\n"...)
		})
	}},
	{fsck.CheckState, "one letter of a value", func(w *storetest.World) {
		w.Edit(state.FileName, func(b []byte) []byte {
			return bytes.Replace(b, []byte("plain"), []byte("plaim"), 1)
		})
	}},
	{fsck.CheckCheckpoint, "a line of the state dropped", func(w *storetest.World) {
		w.Edit(state.FileName, func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] })
	}},
	{fsck.CheckCheckpoint, "a changed digit", func(w *storetest.World) {
		w.Edit(state.CheckpointName,
			func(b []byte) []byte { return bytes.Replace(b, []byte(`"v":1`), []byte(`"v":0`), 1) })
	}},
	{fsck.CheckWatermark, "a changed digit", func(w *storetest.World) {
		w.Edit(log.WatermarkFile, func(b []byte) []byte { b[20] = '7'; return b })
	}},
	{fsck.CheckWatermark, "removed",
		func(w *storetest.World) { w.Must(os.Remove(w.File(log.WatermarkFile))) }},
	{fsck.CheckPurged, "a purge that was killed at its beginning", func(w *storetest.World) {
		w.Must(purge.Write(w.Dir, &purge.Plan{Keys: []keypath.Key{keypath.MustParse("/none")},
			Horizon: log.MinStamp + 1, Source: []byte("{}")}))
	}},
	{fsck.CheckPurged, "a plan of a purge that cannot be read", func(w *storetest.World) {
		w.Must(os.WriteFile(w.File(purge.File), []byte(`{"v":1}`), 0o600))
	}},
	{fsck.CheckPurged, "a version of a purged key in an archive of old", func(w *storetest.World) {
		old := log.Envelope{Key: keypath.MustParse("/purged"), TS: 7, Source: []byte(`"x"`),
			Content: []byte(`"zanzibar"`)}
		mark := log.Envelope{Key: old.Key, TS: 8, Source: []byte(`{"purged":true}`),
			Content: []byte("null")}
		w.Must(os.WriteFile(w.File("archive/log_19700101T000000Z.jsonl"),
			[]byte(string(old.Line())+"\n"+string(mark.Line())+"\n"), 0o600))
	}},
	{fsck.CheckMode, "a log for all to read",
		func(w *storetest.World) { w.Must(os.Chmod(w.File(log.File), 0o644)) }},
	{fsck.CheckTemp, "a temporary file of yesterday", func(w *storetest.World) {
		name := w.File("index/.tmp-0123456789abcdef")
		w.Must(os.WriteFile(name, []byte("half"), 0o600))
		w.Must(os.Chtimes(name, storetest.Noon.Add(-24*time.Hour),
			storetest.Noon.Add(-24*time.Hour)))
	}},
	{fsck.CheckIrregular, "a link in the tree",
		func(w *storetest.World) { w.Must(os.Symlink("/etc", w.File("index/link"))) }},
	{fsck.CheckIrregular, "a link in place of an archive",
		func(w *storetest.World) {
			w.Must(os.Symlink("/etc/passwd", w.File("archive/log_x.jsonl")))
		}},
}

// indentFirstLine returns the log's first line, which is an old version of /a, as an index file.
func indentFirstLine(w *storetest.World) []byte {
	data, err := os.ReadFile(w.File(log.File))
	w.Must(err)
	text, err := log.Indent(data[:bytes.IndexByte(data, '\n')])
	w.Must(err)
	return text
}

// envelopeText returns the index text of the newest live version that a key ever had.
func envelopeText(w *storetest.World, key string) []byte {
	var text []byte
	data, err := os.ReadFile(w.File(log.File))
	w.Must(err)
	for line := range bytes.Lines(data) {
		e, err := log.Decode(bytes.TrimSpace(line))
		w.Must(err)
		if e.Key == keypath.MustParse(key) && e.Valid() {
			text, err = log.Indent(e.Line())
			w.Must(err)
		}
	}
	return text
}

func TestFsckFindsExactlyWhatIsBroken(t *testing.T) {
	tested := map[string]bool{}
	for _, b := range breaks {
		tested[b.check.ID] = true
		t.Run(b.check.ID+" "+b.how, func(t *testing.T) {
			w := storetest.Specimen(t)
			if found := w.Check(); len(found) > 0 {
				t.Fatalf("found before anything was broken: %v", found)
			}
			before := w.Live()
			b.do(w)
			found := w.Check()
			if len(found) == 0 {
				t.Fatal("nothing found")
			}
			for _, f := range found {
				if f.Check != b.check.ID {
					t.Errorf("found %s, want only %s", f, b.check.ID)
				}
			}
			w.Repair()
			if left := w.Check(); len(left) > 0 {
				t.Errorf("left after repair: %v", left)
			}
			if b.check == fsck.CheckFuture {
				// The wrong time is gone: it is kept as no created_at.
				before["/future"], before["/a"] = `{"text":"from next year"}`, `"also"`
			}
			storetest.Same(t, "after repair", w.Live(), before)
			w.Set("/next", "1")
		})
	}
	tested[fsck.CheckArchive.ID] = true // by TestAnArchiveThatIsNotThere
	tested[fsck.CheckCopy.ID] = true    // by TestCopiesOfTheLogAreNamed
	for _, b := range breaksOfBlobs {
		tested[b.check] = true
	}
	for _, c := range fsck.Checks() {
		if !tested[c.ID] {
			t.Errorf("%s %s has no test that breaks it", c.ID, c.Name)
		}
	}
}

func TestRepairSetsDamagedBytesAside(t *testing.T) {
	w := storetest.Specimen(t)
	w.Edit(log.File, func(b []byte) []byte {
		return bytes.Replace(b, []byte("old value"), []byte("old valve"), 1)
	})
	w.Repair()
	entries, err := os.ReadDir(w.File(log.QuarantineDir))
	w.Must(err)
	if len(entries) != 1 {
		t.Fatalf("quarantine holds %v", entries)
	}
	data, err := os.ReadFile(w.File("quarantine/" + entries[0].Name()))
	w.Must(err)
	if !strings.Contains(string(data), "old valve") {
		t.Errorf("the damaged line is not in quarantine: %q", data)
	}
}

// A line of a purged memory is kept nowhere, whichever of its bits has flipped.
func TestRepairSetsNothingPurgedAside(t *testing.T) {
	w := storetest.NewWorld(t)
	old := log.Envelope{Key: keypath.MustParse("/k"), TS: 7, Source: []byte(`"x"`),
		Content: []byte(`"secret"`)}
	mark := log.Envelope{Key: old.Key, TS: 8, Source: []byte(`{"purged":true}`),
		Content: []byte("null")}
	w.Set("/o", `"other"`)
	w.Must(w.Write(func(wr *filestore.Writer) error {
		return wr.Append([]log.Envelope{old, mark})
	}))
	w.Edit(log.File, func(b []byte) []byte {
		return bytes.Replace(b, []byte(`"/k"`), []byte(`"/o"`), 1)
	})
	w.Repair()
	names, _ := filepath.Glob(w.File("quarantine/*"))
	for _, name := range append(names, w.File(log.File)) {
		text, err := os.ReadFile(name)
		w.Must(err)
		if strings.Contains(string(text), "secret") {
			t.Errorf("%s: %s", name, text)
		}
	}
	storetest.Same(t, "after repair", w.Live(), map[string]string{"/o": `"other"`})
}

func TestRepairedTwiceIsTheSame(t *testing.T) {
	w := storetest.Specimen(t)
	w.Edit(log.File, func(b []byte) []byte { b[0] = '#'; return b })
	w.Repair()
	first := w.Live()
	w.Repair()
	storetest.Same(t, "second repair", w.Live(), first)
}

func TestAdoptReadsTheEdit(t *testing.T) {
	w := storetest.Specimen(t)
	w.Edit(w.IndexFile("/a"),
		func(b []byte) []byte {
			return bytes.Replace(b, []byte("new value"), []byte("my value"), 1)
		})
	w.Edit(w.IndexFile("/b/c"), func(b []byte) []byte { return append(b, "oops"...) })
	a := &fsck.Checker{Dir: w.Dir, Now: w.Now, Boot: w.Boot}
	found, err := a.Run()
	w.Must(err)
	edits, refused, err := a.Edits(found)
	w.Must(err)
	if len(edits) != 1 || edits[0].Key.String() != "/a" || string(edits[0].Content) != `"my value"` {
		t.Errorf("edits: %+v", edits)
	}
	if len(refused) != 1 || refused[w.IndexFile("/b/c")] == nil {
		t.Errorf("refused: %v", refused)
	}
	w.Repair()
}

// Damage of several kinds in one segment, found in another order than it stands in the file.
func TestRepairOfManyDamages(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/a", `"one"`, "/b", `"two"`, "/c", `"three"`, "/a", `"four"`, "/d", `"five"`, "/b", `"six"`)
	w.Edit(log.File, func(b []byte) []byte {
		lines := bytes.SplitAfter(b, []byte{'\n'})
		lines[0] = bytes.Replace(lines[0], []byte("one"), []byte("eno"), 1)
		lines[1][0] = '#'
		return append(bytes.Join(lines, nil), `{"key":"/torn`...)
	})
	w.Repair()
	storetest.Same(t, "after repair", w.Live(), map[string]string{"/a": `"four"`, "/b": `"six"`, "/c": `"three"`, "/d": `"five"`})
	data, err := os.ReadFile(w.File(log.File))
	w.Must(err)
	if n := bytes.Count(data, []byte{'\n'}); n != 4 {
		t.Errorf("the log has %d lines", n)
	}
}

// A damaged line comes back from its sound copy in the index or the state.
func TestRepairTakesTheSoundCopy(t *testing.T) {
	for _, from := range []string{"index", state.FileName} {
		w := storetest.NewWorld(t)
		w.Set("/a", `"precious"`, "/b", "1")
		w.Compact(storetest.KeepLog)
		w.Edit(log.File, func(b []byte) []byte {
			return bytes.Replace(b, []byte("precious"), []byte("precioux"), 1)
		})
		if from == state.FileName {
			w.Must(os.Remove(w.File(w.IndexFile("/a"))))
		} else {
			w.Must(os.Remove(w.File(state.FileName)))
		}
		w.Repair()
		storetest.Same(t, "from "+from, w.Live(), map[string]string{"/a": `"precious"`, "/b": "1"})
	}
}

// A damaged line comes back from its sound copy, whoever comes across it first.
func TestTheLastSoundCopyIsKept(t *testing.T) {
	for name, restore := range map[string]func(w *storetest.World){
		"repair": func(w *storetest.World) { w.Repair() },
		"compaction": func(w *storetest.World) {
			w.Must(os.Remove(w.File(state.CheckpointName)))
			w.Compact(storetest.KeepLog)
			w.Repair()
		},
		"heal": func(w *storetest.World) {
			storetest.Saved(w, func(b []byte) []byte { return b })
			w.Set("/next", "1")
			w.Repair()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := storetest.NewWorld(t)
			w.Set("/a", `"precious"`, "/b", "1")
			w.Compact(storetest.KeepLog)
			w.Edit(log.File, func(b []byte) []byte {
				return bytes.Replace(b, []byte("precious"), []byte("precioux"), 1)
			})
			restore(w)
			if got := w.Live()["/a"]; got != `"precious"` {
				t.Errorf("/a is %q", got)
			}
			text, err := os.ReadFile(w.File(log.File))
			w.Must(err)
			if n := bytes.Count(text, []byte(`"precious"`)); n != 1 {
				t.Errorf("the log has it %d times", n)
			}
		})
	}
}

func TestAnEditOfAVeryLongKeyIsSetAside(t *testing.T) {
	w := storetest.NewWorld(t)
	key := "/" + strings.Repeat("长", 60) + "/" + strings.Repeat("b", 190) + "/" +
		strings.Repeat("c", 190)
	w.Set(key, `"value"`)
	w.Edit(w.IndexFile(key), func(b []byte) []byte {
		return bytes.Replace(b, []byte("value"), []byte("valve"), 1)
	})
	w.Must(os.Remove(w.File(log.WatermarkFile)))
	w.Set("/next", "1")
	storetest.Same(t, "after the heal", w.Live(), map[string]string{key: `"value"`, "/next": "1"})
}

// Something planted in place of a derived file or directory stops neither reading nor the log.
func TestPlantedInPlaceOfWhatIsDerived(t *testing.T) {
	for _, name := range []string{"index", "cache", state.FileName, state.CheckpointName,
		"archive"} {
		t.Run(name, func(t *testing.T) {
			w := storetest.NewWorld(t)
			w.Set("/a", "1")
			w.Compact(storetest.KeepLog)
			w.Set("/b", "2")
			w.Must(os.RemoveAll(w.File(name)))
			w.Must(os.Symlink(t.TempDir(), w.File(name)))
			want := map[string]string{"/a": "1", "/b": "2"}
			if name != "archive" {
				storetest.Same(t, "a reader", w.Live(), want)
			}
			if err := w.TrySet("/c", "3"); err != nil && !errors.Is(err, backend.ErrStored) {
				t.Errorf("a write: %v", err)
			}
			w.Repair()
			want["/c"] = "3"
			storetest.Same(t, "after repair", w.Live(), want)
		})
	}
}
