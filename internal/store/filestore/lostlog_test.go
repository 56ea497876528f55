package filestore_test

import (
	"bytes"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	claims "github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// logLosses take away lines of the log that no state holds.
var logLosses = map[string]func(w *storetest.World){
	"removed": func(w *storetest.World) { w.Must(os.Remove(w.File(log.File))) },
	"emptied": func(w *storetest.World) { w.Must(os.Truncate(w.File(log.File), 0)) },
	"cut after a line": func(w *storetest.World) {
		w.Edit(log.File, func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] })
	},
	"cut within a line": func(w *storetest.World) {
		w.Edit(log.File, func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+40] })
	},
	"removed with the watermark": func(w *storetest.World) {
		w.Must(os.Remove(w.File(log.File)))
		w.Must(os.Remove(w.File(log.WatermarkFile)))
	},
}

// What only the files of index/ have of a log that is gone, or cut off where it lies, comes back
// with its own line, whatever comes first; and nothing that was deleted does.
func TestLostLinesComeBackFromTheIndex(t *testing.T) {
	for name, lose := range logLosses {
		for _, compacted := range []bool{false, true} {
			for _, next := range []string{"repair", "set", "compact"} {
				t.Run(name+", then "+next, func(t *testing.T) {
					w := storetest.NewWorld(t)
					w.Set("/first", "1", "/gone", `"secret"`)
					w.Set("/gone", "null")
					if compacted {
						w.Compact(storetest.KeepLog)
					}
					w.Set("/first", "2", "/second", `{"type":"preference"}`)
					want, lines := w.Live(), historyOf(w)
					lose(w)
					switch next {
					case "set":
						w.Set("/next", "1")
						want["/next"] = "1"
					case "compact":
						w.Compact(storetest.KeepLog)
					}
					w.Repair()
					storetest.Same(t, "after the repair", w.Live(), want)
					w.Must(os.Remove(w.File(state.FileName)))
					storetest.Same(t, "from the history alone", w.Live(), want)
					for line := range historyOf(w) {
						if !lines[line] && !strings.Contains(line, `"/next"`) {
							t.Errorf("a line that never was: %s", line)
						}
					}
					w.Repair()
				})
			}
		}
	}
}

// historyOf returns the sound lines of the log.
func historyOf(w *storetest.World) map[string]bool {
	lines := map[string]bool{}
	for rec, err := range w.Files().History() {
		w.Must(err)
		lines[string(rec.Line)] = true
	}
	return lines
}

// Of the files of index/ only those come back that are, to the byte, a sealed line at its key's
// place: neither a hand edit, nor members that no checksum covers, nor a copy elsewhere.
func TestOnlySealedLinesComeBack(t *testing.T) {
	for name, plant := range map[string]func(w *storetest.World){
		"edited": func(w *storetest.World) {
			w.Edit(w.IndexFile("/a"), func(b []byte) []byte {
				return bytes.Replace(b, []byte("plain"), []byte("plaim"), 1)
			})
		},
		"without a checksum": func(w *storetest.World) {
			w.Edit(w.IndexFile("/a"), func(b []byte) []byte {
				return append(b[:bytes.Index(b, []byte(",\n  \"checksum\""))], "\n}\n"...)
			})
		},
		"with a member more": func(w *storetest.World) {
			w.Edit(w.IndexFile("/a"), func(b []byte) []byte {
				return bytes.Replace(b, []byte(`"valid"`), []byte(`"more": 1,`+"\n  "+`"valid"`), 1)
			})
		},
		"sealed with a member more": func(w *storetest.World) {
			w.Edit(w.IndexFile("/a"), func([]byte) []byte {
				return log.Seal([]byte(`{"key":"/a","ts":"2026-02-22T12:00:00.000000Z",` +
					`"valid":true,"source":"me","content":"plain","more":1}`))
			})
		},
		"at another key's place": func(w *storetest.World) {
			w.Must(os.Rename(w.File(w.IndexFile("/a")), w.File(w.IndexFile("/c"))))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := storetest.NewWorld(t)
			w.Set("/a", `"plain"`, "/b", `"other"`)
			plant(w)
			w.Must(os.Remove(w.File(log.File)))
			w.Repair()
			storetest.Same(t, "after the repair", w.Live(), map[string]string{"/b": `"other"`})
			if !kept(w, "plai") {
				t.Error("the file is nowhere")
			}
		})
	}
}

// A mark in the source of a line is a part of it.
func TestALineComesBackWithItsMark(t *testing.T) {
	w := storetest.NewWorld(t)
	e := log.Envelope{Key: keypath.MustParse("/user/claim"), TS: log.StampOf(w.Now),
		Source: claims.WithClaim([]byte(`"me"`), claims.FromImport), Content: []byte(`1`)}
	w.Set("/a", "1")
	text, err := log.Indent(e.Line())
	w.Must(err)
	w.Must(os.MkdirAll(w.File("index/user"), 0o700))
	w.Must(os.WriteFile(w.File(w.IndexFile("/user/claim")), text, 0o600))
	w.Must(os.Remove(w.File(log.File)))
	w.Repair()
	if lines := historyOf(w); !lines[string(e.Line())] || len(lines) != 2 {
		t.Errorf("lines: %v", lines)
	}
}

// With a whole log a sealed file that the log does not know is no memory.
func TestAWholeLogTakesNothingIn(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/a", "1")
	text, err := os.ReadFile(w.File(w.IndexFile("/a")))
	w.Must(err)
	want := maps.Clone(w.Live())
	w.Must(os.Remove(w.File(w.IndexFile("/a"))))
	other := storetest.NewWorld(t)
	other.Set("/b", "1")
	other.Must(os.WriteFile(other.File(other.IndexFile("/a")), text, 0o600))
	other.Repair()
	storetest.Same(t, "after the repair", other.Live(), map[string]string{"/b": "1"})
	w.Repair()
	storetest.Same(t, "after the repair", w.Live(), want)
}

// Where git tracks the log it has its lines, and has taken away what is gone.
func TestWhatGitTookStaysAway(t *testing.T) {
	for _, next := range []string{"repair", "set"} {
		w := storetest.NewWorld(t)
		w.Shared = true
		w.Set("/a", "1", "/b", "2")
		w.Must(os.Truncate(w.File(log.File), 0))
		want := map[string]string{}
		if next == "set" {
			w.Set("/c", "3")
			want["/c"] = "3"
		}
		w.Repair()
		storetest.Same(t, "after "+next, w.Live(), want)
	}
}

// Each way to read says once, for all that one call reads, that acknowledged lines of the log are
// gone; and a store that has lost nothing says nothing, empty, rotated or of git.
func TestReadsWarnOfLostLines(t *testing.T) {
	reads := map[string]func(w *storetest.World, s *filestore.Store){
		"snapshot": func(w *storetest.World, s *filestore.Store) {
			v, err := s.Snapshot(t.Context())
			w.Must(err)
			v.Close()
		},
		"get": func(w *storetest.World, s *filestore.Store) {
			_, _, err := s.Get(t.Context(), keypath.MustParse("/first"))
			w.Must(err)
		},
		"below": func(w *storetest.World, s *filestore.Store) {
			for _, err := range s.ScanBelow(t.Context(), keypath.Prefix{}) {
				w.Must(err)
			}
		},
		"versions": func(w *storetest.World, s *filestore.Store) {
			_, err := s.Versions(t.Context(), keypath.MustParse("/first"))
			w.Must(err)
		},
	}
	for name, read := range reads {
		warned := func(w *storetest.World) (list []string) {
			s, err := filestore.Open(w.Path, filestore.Options{Shared: w.Shared,
				Now:  func() time.Time { return w.Now },
				Warn: func(msg string) { list = append(list, msg) }})
			w.Must(err)
			defer s.Close()
			read(w, s)
			read(w, s)
			if (s.LogFault() != "") != (len(list) > 0) {
				t.Errorf("%s: the fault is %q, the warnings are %q", name, s.LogFault(), list)
			}
			return list
		}
		for loss, lose := range logLosses {
			w := storetest.NewWorld(t)
			if list := warned(w); len(list) > 0 {
				t.Errorf("%s of an empty store: %q", name, list)
			}
			w.Set("/first", "1")
			w.Compact(storetest.RotateLog)
			if list := warned(w); len(list) > 0 {
				t.Errorf("%s after a rotation: %q", name, list)
			}
			w.Set("/first", "2", "/second", "2")
			lose(w)
			if list := warned(w); len(list) != 1 || !strings.Contains(list[0], "log.jsonl ") ||
				!strings.Contains(list[0], "mem doctor") {
				t.Errorf("%s of a log %s: %q", name, loss, list)
			}
			w.Shared = true
			if list := warned(w); len(list) > 0 {
				t.Errorf("%s of what git took: %q", name, list)
			}
			w.Shared = false
			w.Repair()
			if list := warned(w); len(list) > 0 {
				t.Errorf("%s after the repair: %q", name, list)
			}
		}
	}
}
