package filestore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// newest returns what a writer that checks a condition sees of a key.
func newest(w *storetest.World, key string) (got string) {
	w.Must(w.Write(func(wr *filestore.Writer) error {
		rec, found, err := wr.Newest(keypath.MustParse(key))
		if found {
			got = string(rec.Content)
		}
		return err
	}))
	return got
}

// indexChanges are things that happen to one file of the index. None may change an answer.
var indexChanges = []struct {
	name string
	do   func(w *storetest.World, file string, older []byte)
}{
	{"an older version", func(w *storetest.World, file string, older []byte) {
		w.Must(os.WriteFile(w.File(file), older, 0o600))
	}},
	{"without a checksum", func(w *storetest.World, file string, _ []byte) {
		w.Must(os.WriteFile(w.File(file), []byte(`{"key":"/k","ts":"2026-02-22T12:00:00Z",`+
			`"valid":true,"source":"x","content":"edited"}`), 0o600))
	}},
	{"a newer envelope", func(w *storetest.World, file string, _ []byte) {
		e := log.Envelope{Key: keypath.MustParse("/k"), TS: log.StampOf(w.Now) + 5e6,
			Source: []byte(`"x"`), Content: []byte(`"planted"`)}
		w.Must(os.WriteFile(w.File(file), e.Line(), 0o600))
	}},
	{"nothing", func(w *storetest.World, file string, _ []byte) {
		w.Must(os.RemoveAll(w.File(file)))
	}},
}

func TestTheIndexIsNeverAsked(t *testing.T) {
	for _, want := range []string{`"v2"`, ""} {
		for _, compacted := range []bool{false, true} {
			for _, c := range indexChanges {
				name := c.name + " for " + want
				w := storetest.NewWorld(t)
				w.Set("/k", `"v1"`)
				file := w.IndexFile("/k")
				older, err := os.ReadFile(w.File(file))
				w.Must(err)
				if w.Set("/k", `"v2"`); want == "" {
					w.Set("/k", "null")
				}
				if compacted {
					w.Compact(storetest.KeepLog)
				}
				c.do(w, file, older)
				if got, _ := w.Get("/k"); got != want && want != "" {
					t.Errorf("%s: get returns %s", name, got)
				} else if _, found := w.Get("/k"); found != (want != "") {
					t.Errorf("%s: get finds it: %v", name, found)
				}
				if got := newest(w, "/k"); got != want {
					t.Errorf("%s: a condition sees %s", name, got)
				}
				if got := w.Live()["/k"]; got != want {
					t.Errorf("%s: a reader sees %s", name, got)
				}
				w.Repair()
			}
		}
	}
}

// kept reports whether some file below the root, but for the log, holds a text.
func kept(w *storetest.World, text string) bool {
	found := false
	w.Must(filepath.WalkDir(w.Path, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			found = found || bytes.Contains(data, []byte(text))
		}
		return err
	}))
	return found
}

// edits change the index file of /a as people and their tools do.
var edits = map[string]func([]byte) []byte{
	"in place": func(b []byte) []byte {
		return bytes.Replace(b, []byte("new value"), []byte("my value"), 1)
	},
	"without the checksum": func(b []byte) []byte {
		b = bytes.Replace(b, []byte("new value"), []byte("my value"), 1)
		return append(b[:bytes.Index(b, []byte(",\n  \"checksum\""))], "\n}\n"...)
	},
	"no envelope any more": func([]byte) []byte { return []byte("my value\n") },
}

// What a person changed in the index is kept in quarantine/ whatever replaces it.
func TestAHandEditIsNeverThrownAway(t *testing.T) {
	for edit, fn := range edits {
		for name, do := range map[string]func(w *storetest.World){
			"a write of the key": func(w *storetest.World) { w.Set("/a", `"newer"`) },
			"a tombstone":        func(w *storetest.World) { w.Set("/a", "null") },
			"a repair":           func(w *storetest.World) { w.Repair() },
			"a reboot": func(w *storetest.World) {
				w.Boot = "boot-2"
				w.Set("/next", "1")
			},
		} {
			w := storetest.Specimen(t)
			if name == "a reboot" {
				w.Set("/a", `"new value"`)
			}
			w.Edit(w.IndexFile("/a"), fn)
			do(w)
			if !kept(w, "my value") {
				t.Errorf("an edit %s is nowhere after %s", edit, name)
			}
		}
	}
}

// losses take away a part of the history that state.jsonl still has.
var losses = []struct {
	name string
	do   func(w *storetest.World)
	left bool // fsck has something to say for ever
	back bool // /was-live is back: its tombstone was lost, and what proved it
}{
	{"the log removed, and the index", func(w *storetest.World) {
		w.Must(os.Remove(w.File(log.File)))
		w.Must(os.RemoveAll(w.File("index")))
	}, false, false},
	{"the log emptied", func(w *storetest.World) {
		w.Edit(log.File, func([]byte) []byte { return nil })
	}, false, false},
	{"the archives compressed", func(w *storetest.World) {
		for _, name := range archives(w) {
			w.Must(os.Rename(w.File(name), w.File(name+".gz")))
		}
	}, true, false},
	{"the archives cut", func(w *storetest.World) {
		for _, name := range archives(w) {
			w.Must(os.Truncate(w.File(name), 100))
		}
	}, true, false},
	{"a copy without archives and index", func(w *storetest.World) {
		to := w.T.TempDir()
		for _, name := range []string{log.File, state.FileName, state.CheckpointName,
			log.WatermarkFile} {
			data, err := os.ReadFile(w.File(name))
			w.Must(err)
			w.Must(os.WriteFile(filepath.Join(to, name), data, 0o600))
		}
		w.Dir.Close()
		w.Path = to
		w.Open()
		w.PutBlob(storetest.Output)
	}, true, false},
	{"no log and no checkpoint", func(w *storetest.World) {
		w.Must(os.Remove(w.File(log.File)))
		w.Must(os.Remove(w.File(state.CheckpointName)))
	}, false, true},
}

func archives(w *storetest.World) []string {
	names, err := log.Archives(w.Dir)
	w.Must(err)
	if len(names) == 0 {
		w.T.Fatal("no archives")
	}
	return names
}

// A state that knows more than the history at hand is kept as history.
func TestWhatOnlyTheStateHasIsKept(t *testing.T) {
	for _, loss := range losses {
		for _, next := range []string{"set", "repair", "compact"} {
			t.Run(loss.name+"/"+next, func(t *testing.T) {
				w := storetest.Specimen(t)
				w.Compact(storetest.KeepLog)
				want := w.Live()
				if loss.back {
					want["/was-live"] = "1"
				}
				loss.do(w)
				storetest.Same(t, "a reader", w.Live(), want)
				switch next {
				case "set":
					w.Set("/next", "1")
					want["/next"] = "1"
				case "repair":
					w.Repair()
				case "compact":
					w.Compact(storetest.KeepLog)
				}
				storetest.Same(t, "after "+next, w.Live(), want)
				w.Repair()
				w.Must(os.Remove(w.File(state.FileName)))
				storetest.Same(t, "from the history alone", w.Live(), want)
				w.Repair()
				found := w.Check()
				for _, f := range found {
					if !strings.HasPrefix(f.File, log.ArchiveDir) {
						t.Errorf("left after a repair: %s", f)
					}
				}
				if loss.left != (len(found) > 0) {
					t.Errorf("findings: %v", found)
				}
				w.Dirty = loss.left
			})
		}
	}
}

// damages are done to the newest line of the log, which is of /tail.
var damages = map[string]func(line []byte) []byte{
	"a letter of the checksum": func(b []byte) []byte {
		at := bytes.Index(b, []byte("sha256:")) + len("sha256:")
		b[at] ^= 1
		return b
	},
	"the name of the checksum, and a letter": func(b []byte) []byte {
		b = bytes.Replace(b, []byte(`"checksum"`), []byte(`"checksul"`), 1)
		return bytes.Replace(b, []byte("plain"), []byte("plaim"), 1)
	},
	"a letter of the key": func(b []byte) []byte {
		return bytes.Replace(b, []byte("/tail"), []byte("/tbil"), 1)
	},
	"all of it zeros": func(b []byte) []byte { clear(b[:len(b)-1]); return b },
}

// The last sound copy may be in the index or in the state: a repair takes it in, whatever is left
// of the line.
func TestASoundCopyIsTakenWhateverTheLineSays(t *testing.T) {
	for name, damage := range damages {
		for _, compacted := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				w := storetest.Specimen(t)
				if compacted {
					w.Compact(storetest.KeepLog)
					w.Must(os.RemoveAll(w.File("index")))
				}
				want := w.Live()
				w.Edit(log.File, func(b []byte) []byte {
					at := bytes.LastIndexByte(b[:len(b)-1], '\n') + 1
					return append(b[:at:at], damage(bytes.Clone(b[at:]))...)
				})
				w.Repair()
				storetest.Same(t, "after the repair", w.Live(), want)
				w.Must(os.Remove(w.File(state.FileName)))
				storetest.Same(t, "from the history alone", w.Live(), want)
				w.Repair()
			})
		}
	}
}

// A superseded version whose line is damaged is still in the state: it stays in the history.
func TestAnOlderVersionIsKeptToo(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/k", `"first version"`)
	w.Compact(storetest.KeepLog)
	w.Set("/k", `"second"`)
	w.Edit(log.File, func(b []byte) []byte {
		return bytes.Replace(b, []byte("first version"), []byte("first wersion"), 1)
	})
	w.Repair()
	data, err := os.ReadFile(w.File(log.File))
	w.Must(err)
	if !strings.Contains(string(data), "first version") {
		t.Error("the sound copy of an older version is not in the log")
	}
	if got, _ := w.Get("/k"); got != `"second"` {
		t.Errorf("get returns %s", got)
	}
}

// A compaction that begins by itself under a clock that is ahead takes nothing away; and what such
// a clock took away comes back.
func TestAClockAheadHidesNothing(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/year", `{"text":"a year","expired_at":"2027-02-22T00:00:00Z"}`)
	w.Now = storetest.Noon.AddDate(73, 0, 0)
	if rep := w.CompactByItself(storetest.KeepLog); rep.Expired != 0 {
		t.Errorf("expired: %d", rep.Expired)
	}
	w.Set("/late", "1") // by the clock that is ahead: now the store itself is late
	if rep := w.CompactByItself(storetest.KeepLog); rep.Expired != 1 {
		t.Errorf("expired by the store's own time: %d", rep.Expired)
	}
	w.Now = storetest.Noon.AddDate(0, 0, 1)
	if _, ok := w.Get("/year"); ok {
		t.Fatal("the state should lack it by now")
	}
	w.Compact(storetest.KeepLog)
	if _, ok := w.Get("/year"); !ok {
		t.Error("what a clock that was ahead has hidden does not come back")
	}
	w.Repair() // the line of the clock that was ahead
}

// A deletion outlives the loss of its line: nothing that was deleted comes back.
func TestWhatWasDeletedStaysSo(t *testing.T) {
	rot := func(w *storetest.World) { // the tombstone, in place
		w.Edit(log.File, func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"valid":false`), []byte(`"valid":falsf`), 1)
		})
	}
	for name, do := range map[string]func(w *storetest.World){
		"the line is damaged": func(w *storetest.World) {
			w.Set("/k", `"secret plan"`, "/x", "1")
			w.Set("/k", "null", "/y", "2")
			w.Compact(storetest.KeepLog)
			rot(w)
		},
		"the line is damaged in a copy": func(w *storetest.World) {
			w.Set("/k", `"secret plan"`, "/x", "1")
			w.Set("/k", "null", "/y", "2")
			w.Compact(storetest.KeepLog)
			rot(w)
			storetest.Saved(w, bytes.Clone)
		},
		"the archive is away": func(w *storetest.World) {
			w.Set("/k", `"secret plan"`)
			w.Compact(storetest.RotateLog)
			w.Set("/k", "null", "/y", "2")
			w.Compact(storetest.RotateLog)
			names := archives(w)
			away := w.File("away.jsonl")
			w.Must(os.Rename(w.File(names[1]), away))
			w.T.Cleanup(func() { w.Must(os.Rename(away, w.File(names[1]))) })
		},
	} {
		for _, next := range []string{"a repair", "a heal", "a compaction", "nothing"} {
			t.Run(name+", "+next, func(t *testing.T) {
				w := storetest.NewWorld(t)
				w.Dirty = true
				do(w)
				switch next {
				case "a repair":
					w.Repair()
				case "a heal":
					w.Must(os.Remove(w.File(log.WatermarkFile)))
					w.Set("/next", "1")
				case "a compaction":
					w.Compact(storetest.KeepLog)
				}
				got, found := w.Get("/k")
				if found || newest(w, "/k") != "" || w.Live()["/k"] != "" {
					t.Errorf("it is back: %s", got)
				}
				w.Set("/last", "1")
				w.Repair()
				w.Compact(storetest.KeepLog)
				if got, found := w.Get("/k"); found || w.Live()["/k"] != "" {
					t.Errorf("it is back in the end: %s", got)
				}
			})
		}
	}
}

// A write wins over a tombstone in an archive that was away when it was made, also where the clock
// has not moved on since, and the tombstone was the newest line there was.
func TestAWriteOutlivesATombstoneThatWasAway(t *testing.T) {
	for name, heal := range map[string]func(w *storetest.World){
		"a repair": func(w *storetest.World) { w.Repair() },
		"a heal":   func(w *storetest.World) { w.Must(os.Remove(w.File(log.WatermarkFile))) },
		"a compaction": func(w *storetest.World) {
			w.Must(os.Remove(w.File(log.WatermarkFile)))
			w.Compact(storetest.KeepLog)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := storetest.NewWorld(t)
			w.Set("/k", `"v1"`)
			w.Set("/k", "null")
			w.Compact(storetest.RotateLog)
			archive := archives(w)[0]
			w.Must(os.Rename(w.File(archive), w.File("away.jsonl")))
			heal(w)
			w.Set("/k", `"v2"`)
			w.Must(os.Rename(w.File("away.jsonl"), w.File(archive)))
			w.Repair()
			if got, _ := w.Get("/k"); got != `"v2"` || w.Live()["/k"] != `"v2"` {
				t.Errorf("the write is lost: get returns %q", got)
			}
		})
	}
}

// A tombstone in the tail whose line is damaged still shows what it was: the next compaction or
// repair honours it.
func TestADamagedTombstoneInTheTail(t *testing.T) {
	for _, next := range []func(w *storetest.World){
		func(w *storetest.World) { w.Repair() },
		func(w *storetest.World) { w.Compact(storetest.KeepLog) },
	} {
		w := storetest.NewWorld(t)
		w.Set("/k", `"secret plan"`)
		w.Compact(storetest.KeepLog)
		w.Set("/k", "null", "/y", "2")
		w.Edit(log.File, func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"content":null`), []byte(`"content":nulk`), 1)
		})
		next(w)
		if got, found := w.Get("/k"); found || w.Live()["/k"] != "" {
			t.Errorf("it is back: %s", got)
		}
		w.Repair()
	}
}

// An older state that was put back in place, to the same size, is not believed.
func TestAnOlderStateOfTheSameSize(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/k", `"v1"`, "/z", "1")
	w.Compact(storetest.KeepLog)
	old, err := os.ReadFile(w.File(state.FileName))
	w.Must(err)
	w.Set("/k", `"v2"`)
	w.Compact(storetest.KeepLog)
	time.Sleep(20 * time.Millisecond) // a step of the file system's clock
	w.Edit(state.FileName, func(b []byte) []byte {
		if len(b) != len(old) {
			t.Fatal("the sizes differ")
		}
		return old
	})
	if got, _ := w.Get("/k"); got != `"v2"` || newest(w, "/k") != `"v2"` {
		t.Errorf("get returns %s", got)
	}
	want := map[string]string{"/k": `"v2"`, "/z": "1"}
	storetest.Same(t, "a reader", w.Live(), want)
	w.Compact(storetest.KeepLog)
	storetest.Same(t, "after a compaction", w.Live(), want)
}

// The newest line of a key is damaged: a condition is held against its sound copy, which is taken
// in first.
func TestAConditionIsHeldAgainstTheCopyOfADamagedLine(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/k", `"v1"`)
	w.Set("/k", `"v2"`)
	w.Edit(log.File, func(b []byte) []byte {
		return bytes.Replace(b, []byte(`"v2"`), []byte(`"v3"`), 1)
	})
	if got := newest(w, "/k"); got != `"v2"` {
		t.Errorf("a condition sees %s", got)
	}
	if got, _ := w.Get("/k"); got != `"v2"` {
		t.Errorf("get returns %s", got)
	}
	w.Repair()
}
