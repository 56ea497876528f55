package filestore_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// ruins are what becomes of every copy of a record but one. Each leaves its file's other lines.
var ruins = map[string]func(line []byte) []byte{
	"a letter": func(b []byte) []byte {
		return bytes.Replace(b, []byte("the only one"), []byte("the lonely 1"), 1)
	},
	"the checksum's name": func(b []byte) []byte {
		b = bytes.Replace(b, []byte("the only one"), []byte("the lonely 1"), 1)
		return bytes.Replace(b, []byte(`"checksum"`), []byte(`"checksul"`), 1)
	},
	"zeros": func(b []byte) []byte { return append(make([]byte, len(b)-1), '\n') },
}

// nexts are what comes first; then a repair.
var nexts = []string{"repair", "set", "set of the key", "compact", "reboot"}

// ruin changes every line of a file that holds the record; in index/ the file is one.
func ruin(w *storetest.World, name string, do func([]byte) []byte) {
	w.Edit(name, func(data []byte) []byte {
		if name == w.IndexFile("/k") {
			return do(data)
		}
		var out []byte
		for line := range bytes.Lines(data) {
			if bytes.Contains(line, []byte("the only one")) {
				line = do(bytes.Clone(line))
			}
			out = append(out, line...)
		}
		return out
	})
}

// Whichever of log or archive, state and index holds the last sound copy of a record: it survives a
// repair, and a write or a compaction before it.
func TestTheLastSoundCopyMayBeAnywhere(t *testing.T) {
	for _, archived := range []bool{false, true} {
		for _, keep := range []string{"history", "state", "index"} {
			for how := range ruins {
				for _, next := range nexts {
					name := fmt.Sprintf("in the %s (archived %v), %s, then %s", keep, archived, how,
						next)
					t.Run(name, func(t *testing.T) { lastCopy(t, archived, keep, how, next) })
				}
			}
		}
	}
}

func lastCopy(t *testing.T, archived bool, keep, how, next string) {
	w := storetest.NewWorld(t)
	w.Set("/before", "1", "/k", `"the only one"`, "/later", "1")
	places := map[string]string{"history": log.File, "state": state.FileName,
		"index": w.IndexFile("/k")}
	if archived {
		w.Compact(storetest.RotateLog)
		places["history"] = archives(w)[0]
		w.Set("/later", "2")
	} else {
		w.Compact(storetest.KeepLog)
	}
	for place, file := range places {
		if place != keep {
			ruin(w, file, ruins[how])
		}
	}
	want := map[string]string{"/before": "1", "/k": `"the only one"`, "/later": w.Live()["/later"]}
	switch next {
	case "set":
		w.Set("/next", "1")
		want["/next"] = "1"
	case "set of the key":
		w.Set("/k", `"newer"`)
		want["/k"] = `"newer"`
	case "compact":
		w.Compact(storetest.KeepLog)
	case "reboot":
		w.Boot = "boot-2"
		w.Set("/next", "1")
		want["/next"] = "1"
	}
	w.Repair()
	storetest.Same(t, "after the repair", w.Live(), want)
	w.Must(os.Remove(w.File(state.FileName)))
	storetest.Same(t, "from the history alone", w.Live(), want)
	// A newer write of the key replaces its file in index/, which holds no history; and of a line
	// that is all zeros nobody knows which older version it was.
	superseded := next == "set of the key" && (keep == "index" || keep == "state" && how == "zeros")
	if !superseded && !kept(w, "the only one") {
		t.Error("it is nowhere")
	}
	w.Repair()
	w.Dirty = archived // where the archive itself is not what it was
}

// A line break that is damaged makes one unreadable line of two: the copies of both are looked for.
func TestTheCopiesOfJoinedLinesAreTaken(t *testing.T) {
	for _, lines := range []int{1, 2, 3} {
		w := storetest.NewWorld(t)
		want := map[string]string{}
		for i := range 4 {
			key := fmt.Sprint("/k", i)
			w.Set(key, `"text"`)
			want[key] = `"text"`
		}
		w.Edit(log.File, func(b []byte) []byte {
			return bytes.Replace(b, []byte("}\n"), []byte("}\v"), lines)
		})
		w.Repair()
		storetest.Same(t, fmt.Sprint(lines, " line breaks"), w.Live(), want)
		w.Must(os.RemoveAll(w.File("index")))
		storetest.Same(t, "from the history alone", w.Live(), want)
		w.Repair()
	}
}
