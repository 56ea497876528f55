package compact

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// breaks names, for each check, a way to break exactly that invariant.
var breaks = []struct {
	check Check
	how   string
	do    func(w *world)
}{
	{checkTorn, "half a line at the end", func(w *world) {
		w.edit(log.File, func(b []byte) []byte { return append(b, `{"key":"/torn","ts":"20`...) })
	}},
	{checkLine, "an old line is no JSON", func(w *world) {
		w.edit(log.File, func(b []byte) []byte { b[0] = '#'; return b })
	}},
	{checkLine, "an old line lacks a field", func(w *world) {
		w.edit(log.File, func(b []byte) []byte { return bytes.Replace(b, []byte(`"source"`), []byte(`"sourcs"`), 1) })
	}},
	{checkChecksum, "one letter of an old value", func(w *world) {
		w.edit(log.File, func(b []byte) []byte { return bytes.Replace(b, []byte("old value"), []byte("old valve"), 1) })
	}},
	{checkFuture, "written by a clock a year ahead", func(w *world) {
		w.now = noon.AddDate(1, 0, 0)
		w.set("/future", `"from next year"`, "/a", `"also"`)
		w.now = noon
	}},
	{checkMissing, "an index file removed", func(w *world) { w.must(os.Remove(w.file(w.indexFile("/a")))) }},
	{checkStale, "an index file with an older version", func(w *world) {
		w.edit(w.indexFile("/a"), func([]byte) []byte { return indentFirstLine(w) })
	}},
	{checkStale, "an index file of a dead key", func(w *world) {
		if _, err := os.Stat(w.file(w.indexFile("/dead"))); err == nil {
			w.t.Fatal("the dead key has a file")
		}
		w.must(os.WriteFile(w.file(w.indexFile("/dead")), envelopeText(w, "/dead"), 0o600))
	}},
	{checkDuplicate, "a copy of an index file at another key's place", func(w *world) {
		data, err := os.ReadFile(w.file(w.indexFile("/a")))
		w.must(err)
		w.must(os.WriteFile(w.file(w.indexFile("/elsewhere")), data, 0o600))
	}},
	{checkForeign, "a note in the tree", func(w *world) { w.must(os.WriteFile(w.file("index/notes.txt"), []byte("hello"), 0o600)) }},
	{checkEdited, "a changed content", func(w *world) {
		w.edit(w.indexFile("/a"), func(b []byte) []byte { return bytes.Replace(b, []byte("new value"), []byte("my value"), 1) })
	}},
	{checkEdited, "an emptied file", func(w *world) { w.edit(w.indexFile("/a"), func([]byte) []byte { return nil }) }},
	{checkEdited, "changed, and the checksum taken out", func(w *world) {
		w.edit(w.indexFile("/a"), func(b []byte) []byte {
			b = bytes.Replace(b, []byte("new value"), []byte("my value"), 1)
			return append(b[:bytes.Index(b, []byte(",\n  \"checksum\""))], "\n}\n"...)
		})
	}},
	{checkState, "one letter of a value", func(w *world) {
		w.edit(StateFile, func(b []byte) []byte { return bytes.Replace(b, []byte("plain"), []byte("plaim"), 1) })
	}},
	{checkCheckpoint, "a line of the state dropped", func(w *world) {
		w.edit(StateFile, func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] })
	}},
	{checkCheckpoint, "a changed digit", func(w *world) {
		w.edit(CheckpointFile, func(b []byte) []byte { return bytes.Replace(b, []byte(`"v":1`), []byte(`"v":0`), 1) })
	}},
	{checkWatermark, "a changed digit", func(w *world) {
		w.edit(log.WatermarkFile, func(b []byte) []byte { b[20] = '7'; return b })
	}},
	{checkWatermark, "removed", func(w *world) { w.must(os.Remove(w.file(log.WatermarkFile))) }},
	{checkMode, "a log for all to read", func(w *world) { w.must(os.Chmod(w.file(log.File), 0o644)) }},
	{checkTemp, "a temporary file of yesterday", func(w *world) {
		name := w.file("index/.tmp-0123456789abcdef")
		w.must(os.WriteFile(name, []byte("half"), 0o600))
		w.must(os.Chtimes(name, noon.Add(-24*time.Hour), noon.Add(-24*time.Hour)))
	}},
	{checkIrregular, "a link in the tree", func(w *world) { w.must(os.Symlink("/etc", w.file("index/link"))) }},
	{checkIrregular, "a link in place of an archive", func(w *world) { w.must(os.Symlink("/etc/passwd", w.file("archive/log_x.jsonl"))) }},
}

// indentFirstLine gives the log's first line, which is an old version of /a, as an index file.
func indentFirstLine(w *world) []byte {
	data, err := os.ReadFile(w.file(log.File))
	w.must(err)
	text, err := log.Indent(data[:bytes.IndexByte(data, '\n')])
	w.must(err)
	return text
}

// envelopeText gives the index text of the newest live version that a key ever had.
func envelopeText(w *world, key string) []byte {
	var text []byte
	data, err := os.ReadFile(w.file(log.File))
	w.must(err)
	for line := range bytes.Lines(data) {
		e, err := log.Decode(bytes.TrimSpace(line))
		w.must(err)
		if e.Key == keypath.MustParse(key) && e.Valid() {
			text, err = log.Indent(e.Line())
			w.must(err)
		}
	}
	return text
}

// specimen is a store with every kind of file: archive, state, a tail, a dead key, an old version in the live log.
func specimen(t *testing.T) *world {
	w := newWorld(t)
	w.set("/archived", `"plain"`, "/user/x", `{"type":"fact"}`, "/voided", "1")
	w.compact(rotateLog)
	w.set("/a", `"old value"`, "/dead", `1`)
	w.set("/a", `"new value"`, "/b/c", `[1,2]`, "/dead", "null")
	w.compact(keepLog)
	w.set("/user/x", `{"type":"fact","v":2}`, "/voided", "null", "/tail", `"plain"`)
	return w
}

func TestFsckFindsExactlyWhatIsBroken(t *testing.T) {
	tested := map[string]bool{}
	for _, b := range breaks {
		tested[b.check.ID] = true
		t.Run(b.check.ID+" "+b.how, func(t *testing.T) {
			w := specimen(t)
			if found := w.audit(); len(found) > 0 {
				t.Fatalf("found before anything was broken: %v", found)
			}
			before := w.live()
			b.do(w)
			found := w.audit()
			if len(found) == 0 {
				t.Fatal("nothing found")
			}
			for _, f := range found {
				if f.Check != b.check.ID {
					t.Errorf("found %s, want only %s", f, b.check.ID)
				}
			}
			w.repair()
			if left := w.audit(); len(left) > 0 {
				t.Errorf("left after repair: %v", left)
			}
			if b.check == checkFuture {
				before["/future"], before["/a"] = `"from next year"`, `"also"`
			}
			same(t, "after repair", w.live(), before)
			w.set("/next", "1")
		})
	}
	for _, c := range Checks() {
		if !tested[c.ID] {
			t.Errorf("%s %s has no test that breaks it", c.ID, c.Name)
		}
	}
}

func TestRepairSetsDamagedBytesAside(t *testing.T) {
	w := specimen(t)
	w.edit(log.File, func(b []byte) []byte { return bytes.Replace(b, []byte("old value"), []byte("old valve"), 1) })
	w.repair()
	entries, err := os.ReadDir(w.file(log.QuarantineDir))
	w.must(err)
	if len(entries) != 1 {
		t.Fatalf("quarantine holds %v", entries)
	}
	data, err := os.ReadFile(w.file("quarantine/" + entries[0].Name()))
	w.must(err)
	if !strings.Contains(string(data), "old valve") {
		t.Errorf("the damaged line is not in quarantine: %q", data)
	}
}

func TestRepairedTwiceIsTheSame(t *testing.T) {
	w := specimen(t)
	w.edit(log.File, func(b []byte) []byte { b[0] = '#'; return b })
	w.repair()
	first := w.live()
	w.repair()
	same(t, "second repair", w.live(), first)
}

func TestAdoptReadsTheEdit(t *testing.T) {
	w := specimen(t)
	w.edit(w.indexFile("/a"), func(b []byte) []byte { return bytes.Replace(b, []byte("new value"), []byte("my value"), 1) })
	w.edit(w.indexFile("/b/c"), func(b []byte) []byte { return append(b, "oops"...) })
	a := &Audit{Dir: w.dir, Now: w.now, Boot: w.boot}
	found, err := a.Run()
	w.must(err)
	edits, refused, err := a.Edits(found)
	w.must(err)
	if len(edits) != 1 || edits[0].Key.String() != "/a" || string(edits[0].Content) != `"my value"` {
		t.Errorf("edits: %+v", edits)
	}
	if len(refused) != 1 || refused[w.indexFile("/b/c")] == nil {
		t.Errorf("refused: %v", refused)
	}
	w.repair()
}

// Damage of several kinds in one segment, found in another order than it stands in the file.
func TestRepairOfManyDamages(t *testing.T) {
	w := newWorld(t)
	w.set("/a", `"one"`, "/b", `"two"`, "/c", `"three"`, "/a", `"four"`, "/d", `"five"`, "/b", `"six"`)
	w.edit(log.File, func(b []byte) []byte {
		lines := bytes.SplitAfter(b, []byte{'\n'})
		lines[0] = bytes.Replace(lines[0], []byte("one"), []byte("eno"), 1)
		lines[1][0] = '#'
		return append(bytes.Join(lines, nil), `{"key":"/torn`...)
	})
	w.repair()
	same(t, "after repair", w.live(), map[string]string{"/a": `"four"`, "/b": `"six"`, "/c": `"three"`, "/d": `"five"`})
	data, err := os.ReadFile(w.file(log.File))
	w.must(err)
	if n := bytes.Count(data, []byte{'\n'}); n != 4 {
		t.Errorf("the log has %d lines", n)
	}
}

// A damaged line comes back from its sound copy in the index or the state.
func TestRepairTakesTheSoundCopy(t *testing.T) {
	for _, from := range []string{"index", StateFile} {
		w := newWorld(t)
		w.set("/a", `"precious"`, "/b", "1")
		w.compact(keepLog)
		w.edit(log.File, func(b []byte) []byte { return bytes.Replace(b, []byte("precious"), []byte("precioux"), 1) })
		if from == StateFile {
			w.must(os.Remove(w.file(w.indexFile("/a"))))
		} else {
			w.must(os.Remove(w.file(StateFile)))
		}
		w.repair()
		same(t, "from "+from, w.live(), map[string]string{"/a": `"precious"`, "/b": "1"})
	}
}

// A damaged line comes back from its sound copy, whoever comes across it first.
func TestTheLastSoundCopyIsKept(t *testing.T) {
	for name, mend := range map[string]func(w *world){
		"repair":     func(w *world) { w.repair() },
		"compaction": func(w *world) { w.must(os.Remove(w.file(CheckpointFile))); w.compact(keepLog); w.repair() },
		"heal":       func(w *world) { saved(w, func(b []byte) []byte { return b }); w.set("/next", "1"); w.repair() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.set("/a", `"precious"`, "/b", "1")
			w.compact(keepLog)
			w.edit(log.File, func(b []byte) []byte { return bytes.Replace(b, []byte("precious"), []byte("precioux"), 1) })
			mend(w)
			if got := w.live()["/a"]; got != `"precious"` {
				t.Errorf("/a is %q", got)
			}
			text, err := os.ReadFile(w.file(log.File))
			w.must(err)
			if n := bytes.Count(text, []byte(`"precious"`)); n != 1 {
				t.Errorf("the log has it %d times", n)
			}
		})
	}
}

func TestAnEditOfAVeryLongKeyIsSetAside(t *testing.T) {
	w := newWorld(t)
	key := "/" + strings.Repeat("长", 60) + "/" + strings.Repeat("b", 190) + "/" + strings.Repeat("c", 190)
	w.set(key, `"value"`)
	w.edit(w.indexFile(key), func(b []byte) []byte { return bytes.Replace(b, []byte("value"), []byte("valve"), 1) })
	w.must(os.Remove(w.file(log.WatermarkFile)))
	w.set("/next", "1")
	same(t, "after the heal", w.live(), map[string]string{key: `"value"`, "/next": "1"})
}

// Something planted in place of a derived file or directory stops neither reading nor the log.
func TestPlantedInPlaceOfWhatIsDerived(t *testing.T) {
	for _, name := range []string{"index", "cache", StateFile, CheckpointFile, "archive"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.set("/a", "1")
			w.compact(keepLog)
			w.set("/b", "2")
			w.must(os.RemoveAll(w.file(name)))
			w.must(os.Symlink(t.TempDir(), w.file(name)))
			want := map[string]string{"/a": "1", "/b": "2"}
			if name != "archive" {
				same(t, "a reader", w.live(), want)
			}
			if err := w.trySet("/c", "3"); err != nil && !errors.Is(err, ErrIndexBehind) {
				t.Errorf("a write: %v", err)
			}
			w.repair()
			want["/c"] = "3"
			same(t, "after repair", w.live(), want)
		})
	}
}
