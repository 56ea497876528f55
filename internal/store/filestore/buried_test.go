package filestore_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// rots damage the line of a tombstone, in place, so that it still shows its key.
var rots = map[string]func(line []byte) []byte{
	"valid":    replaced(`"valid":false`, `"valid":falsf`),
	"content":  replaced(`"content":null`, `"content":nulk`),
	"source":   replaced(`"test"`, `"tesu"`),
	"checksum": replaced(`"checksum":"sha256:`, `"checksum":"sha257:`),
	"one bit":  replaced(`"valid":false`, `"valid":falqe`),
	"end": func(b []byte) []byte {
		return append(append(b[:len(b)-20], bytes.Repeat([]byte("#"), 19)...), '\n')
	},
	"name of valid": replaced(`"valid":false`, `"valix":false`),
}

// times damage the time of a line, so that it shows none, or an earlier one.
var times = map[string]func(line []byte) []byte{
	"a time that cannot be read":  replaced(`"ts":"2026-`, `"ts":"20x6-`),
	"2016-02-22T12:00:00.000002Z": replaced(`"ts":"2026-`, `"ts":"2016-`),
}

func replaced(old, with string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(with), 1) }
}

// rotTombstones damages the lines of tombstones of a file.
func rotTombstones(w *storetest.World, file string, rot func([]byte) []byte) {
	w.Edit(file, func(data []byte) (out []byte) {
		for line := range bytes.Lines(data) {
			if bytes.Contains(line, []byte(`"valid":false`)) {
				line = rot(bytes.Clone(line))
			}
			out = append(out, line...)
		}
		return out
	})
}

// A deletion whose line is damaged holds as long as the line shows the key, without the help of a
// state: for every reader, for fsck, and for a repair.
func TestADamagedTombstoneHoldsWithoutAState(t *testing.T) {
	for rot, do := range rots {
		for _, place := range []string{"compacted", "archived", "never compacted", "in the tail"} {
			for _, shared := range []bool{false, true} {
				t.Run(rot+", "+place, func(t *testing.T) {
					w := storetest.NewWorld(t)
					w.Shared = shared
					file := buryA(w, place)
					rotTombstones(w, file, do)
					if place != "in the tail" {
						w.Must(os.RemoveAll(w.File(state.FileName)))
					}
					isBuried(w, "a reader")
					for _, f := range w.Check() {
						if f.Check != "F03" && f.Check != "F02" &&
							f.Check != "F17" && f.Check != "F11" {
							t.Errorf("found %s", f)
						}
					}
					w.Repair()
					isBuried(w, "after a repair")
					if _, err := os.Stat(w.File(w.IndexFile("/a"))); err == nil {
						t.Error("the repair has written its file")
					}
					w.Set("/a", `"again"`)
					if got, _ := w.Get("/a"); got != `"again"` || w.Live()["/a"] != `"again"` {
						t.Errorf("a later write: %q", got)
					}
				})
			}
		}
	}
}

// buryA deletes /a and returns the file that has its tombstone.
func buryA(w *storetest.World, place string) string {
	w.Set("/a", `"secret"`, "/b", "1")
	if place == "in the tail" {
		w.Compact(storetest.KeepLog)
	}
	w.Set("/a", "null")
	w.Set("/c", "1")
	switch place {
	case "compacted":
		w.Compact(storetest.KeepLog)
	case "archived":
		w.Compact(storetest.RotateLog)
		if !w.Shared {
			return archives(w)[0]
		}
	}
	return log.File
}

func isBuried(w *storetest.World, who string) {
	w.T.Helper()
	got, found := w.Get("/a")
	if live := w.Live(); found || live["/a"] != "" || live["/b"] != "1" || live["/c"] != "1" {
		w.T.Errorf("%s: get returns %q, %v is live", who, got, live)
	}
	below := map[string]string{}
	s, err := filestore.Open(w.Path, filestore.Options{Shared: w.Shared,
		Now: func() time.Time { return w.Now }})
	w.Must(err)
	defer s.Close()
	for rec, err := range s.ScanBelow(w.T.Context(), keypath.Prefix{}) {
		w.Must(err)
		below[rec.Key.String()] = string(rec.Content)
	}
	if below["/a"] != "" {
		w.T.Errorf("%s: a scan finds it", who)
	}
}

// A later write of the key wins over the damaged tombstone, and so does one that a merge has put
// before it in the log.
func TestADamagedTombstoneOfAnOlderVersion(t *testing.T) {
	for rot, do := range rots {
		w := storetest.NewWorld(t)
		w.Set("/a", "1")
		w.Set("/a", "null")
		w.Set("/a", "2", "/b", "1")
		rotTombstones(w, log.File, do)
		want := map[string]string{"/a": "2", "/b": "1"}
		storetest.Same(t, rot, w.Live(), want)
		w.Repair()
		storetest.Same(t, rot+", repaired", w.Live(), want)
	}
}

// Where the time of a damaged tombstone is not later, be it damaged or not, the memory stays, and
// fsck says what there is to decide; but a state that was made of the tombstone proves it.
func TestADamagedTimeDeletesNothing(t *testing.T) {
	for shown, do := range times {
		for _, stated := range []bool{false, true} {
			w := storetest.NewWorld(t)
			file := buryA(w, "compacted")
			rotTombstones(w, file, do)
			if stated {
				isBuried(w, shown)
				w.Repair()
				isBuried(w, shown)
				continue
			}
			w.Must(os.RemoveAll(w.File(state.FileName)))
			said, says := false, "a deletion of /a, of "+shown+", that leaves the memory of "+
				"2026-02-22T12:00:00.000000Z live: mem fsck --repair keeps it, "+
				"mem forget /a deletes it"
			for _, f := range w.Check() {
				said = said || f.Line > 0 && f.Key == "/a" && strings.Contains(f.Detail, says)
			}
			want := map[string]string{"/a": `"secret"`, "/b": "1", "/c": "1"}
			storetest.Same(t, shown, w.Live(), want)
			w.Repair()
			storetest.Same(t, shown+", repaired", w.Live(), want)
			if !said {
				t.Errorf("%s: fsck does not name the memory", shown)
			}
		}
	}
}

// After a sync an older tombstone stands behind a newer version of its key: whichever way its line
// is damaged, it deletes nothing, nor does a repair.
func TestADamagedTombstoneBehindANewerVersion(t *testing.T) {
	flips := map[string]func([]byte) []byte{"later": replaced("2026-02-22T", "2026-02-23T")}
	for name, rot := range rots {
		flips[name] = rot
	}
	for name, rot := range times {
		flips[name] = rot
	}
	for rot, do := range flips {
		for _, place := range []string{"log", "state", "archive", "shared"} {
			w := storetest.NewWorld(t)
			w.Shared = place == "shared"
			w.Set("/a", "1")
			w.Set("/a", "null")
			w.Set("/a", "2", "/b", "1")
			w.Edit(log.File, func(data []byte) []byte {
				lines := bytes.SplitAfter(data, []byte{'\n'})
				return bytes.Join([][]byte{lines[0], lines[2], lines[1], lines[3]}, nil)
			})
			file := log.File
			switch place {
			case "state":
				w.Compact(storetest.KeepLog)
			case "archive":
				w.Compact(storetest.RotateLog)
				file = archives(w)[0]
			}
			rotTombstones(w, file, do)
			want := map[string]string{"/a": "2", "/b": "1"}
			storetest.Same(t, rot+", "+place, w.Live(), want)
			w.Repair()
			storetest.Same(t, rot+", "+place+", repaired", w.Live(), want)
			if got, _ := w.Get("/a"); got != "2" {
				t.Errorf("%s, %s: get returns %q", rot, place, got)
			}
		}
	}
}

// Two archives of one second are in the order of the numbers behind it.
func TestADamagedTombstoneInTheFirstArchiveOfASecond(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/a", "1")
	w.Set("/a", "null")
	w.Compact(storetest.RotateLog)
	w.Set("/a", "2", "/b", "1")
	w.Compact(storetest.RotateLog)
	for _, f := range archives(w) {
		rotTombstones(w, f, rots["end"])
	}
	want := map[string]string{"/a": "2", "/b": "1"}
	w.Must(os.RemoveAll(w.File(state.FileName)))
	storetest.Same(t, "damaged", w.Live(), want)
	w.Repair()
	storetest.Same(t, "repaired", w.Live(), want)
}

// A repair restores what a line was before one bit flipped, be it a tombstone or the only copy of a
// memory, and keeps the damaged bytes.
func TestAFlippedBitIsPutRight(t *testing.T) {
	for at := range 560 {
		if at%5 != 0 {
			continue
		}
		w := storetest.NewWorld(t)
		w.Set("/a", `"one"`)
		w.Set("/a", "null", "/b", `"two"`)
		file := log.File
		if at%2 == 0 {
			w.Set("/b", `"two"`) // the last line of an archive only a backup has
			w.Compact(storetest.RotateLog)
			file = archives(w)[0]
		}
		w.Edit(file, func(b []byte) []byte {
			b[min(at, len(b)-1)] ^= 1 << (at % 8)
			return b
		})
		w.Must(os.RemoveAll(w.File(state.FileName)))
		w.Must(os.RemoveAll(w.File("index")))
		w.Repair()
		storetest.Same(t, fmt.Sprintf("byte %d", at), w.Live(), map[string]string{"/b": `"two"`})
		if kept, _ := os.ReadDir(w.File(log.QuarantineDir)); len(kept) == 0 {
			t.Errorf("byte %d: no damaged bytes in quarantine/", at)
		}
		if again := w.Check(); len(again) > 0 {
			t.Errorf("byte %d: after the repair %v", at, again)
		}
	}
}

// A damaged line that does not show whether it has deleted something, nor what, is named as one
// that may have, with the keys that it may be about; but not where a state proves what is deleted.
func TestFsckNamesWhatMayBeBack(t *testing.T) {
	for _, compacted := range []bool{false, true} {
		w := storetest.NewWorld(t)
		buryA(w, "never compacted")
		if compacted {
			w.Compact(storetest.KeepLog)
		}
		rotTombstones(w, log.File, func(b []byte) []byte {
			return append(bytes.Repeat([]byte("#"), len(b)-1), '\n')
		})
		said, named := false, false
		for _, f := range w.Check() {
			said = said || f.Check == "F02" && strings.Contains(f.Detail, "may have deleted")
			named = named || f.Check == "F05" && f.Key == "/a" &&
				strings.Contains(f.Detail, "may have deleted")
			if compacted && f.Check != "F02" {
				t.Errorf("found %s", f)
			}
		}
		if said == compacted || named == compacted {
			t.Errorf("compacted %v: said %v, named %v", compacted, said, named)
		}
		if compacted {
			isBuried(w, "a reader")
		}
		w.Repair()
	}
}
