package compact_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
)

// A file of the index that another program has changed is put right by the next compaction that
// looks at files, whatever size, times and clock say.
func TestChangedFilesOfTheIndex(t *testing.T) {
	t.Parallel()
	valve := func(text []byte) []byte {
		return []byte(strings.Replace(string(text), "value", "valve", 1))
	}
	long := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, change := range map[string]func(w *storetest.World, file string){
		"edited in place, of the same size": func(w *storetest.World, file string) {
			w.Edit(file, valve)
		},
		"edited, with its old time": func(w *storetest.World, file string) {
			w.Edit(file, valve)
			w.Must(os.Chtimes(w.File(file), long, long))
		},
		"restored from a backup, with its old time": func(w *storetest.World, file string) {
			text, err := os.ReadFile(w.File(file))
			w.Must(err)
			w.Must(os.WriteFile(w.File("backup"), valve(text), 0o600))
			w.Must(os.Chtimes(w.File("backup"), long, long))
			w.Must(os.Rename(w.File("backup"), w.File(file)))
		},
		"of another size": func(w *storetest.World, file string) {
			w.Edit(file, func(text []byte) []byte { return append(text, 'x') })
		},
		"edited after the clock was set back": func(w *storetest.World, file string) {
			comparedAt(w, time.Now().Add(time.Hour))
			w.Edit(file, valve)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := storetest.NewWorld(t)
			w.Set("/a", `"a value"`, "/b", `"b value"`)
			w.Compact(storetest.KeepLog)
			file := w.IndexFile("/a")
			want, err := os.ReadFile(w.File(file))
			w.Must(err)
			change(w, file)
			rep := w.Compact(storetest.KeepLog)
			if got, err := os.ReadFile(w.File(file)); err != nil || string(got) != string(want) {
				t.Errorf("%s, %v", got, err)
			}
			if rep.Repaired != 1 {
				t.Errorf("%d files were repaired", rep.Repaired)
			}
			if found := w.Check(); len(found) > 0 {
				t.Errorf("fsck: %v", found)
			}
		})
	}
}

var compared = regexp.MustCompile(`"compared":\d+`)

// comparedAt makes the checkpoint say that the files were last compared at a time.
func comparedAt(w *storetest.World, at time.Time) {
	w.T.Helper()
	cp, err := state.ReadCheckpoint(w.Dir)
	w.Must(err)
	now := state.Position(compared.ReplaceAllString(string(cp.Position),
		`"compared":`+strconv.FormatInt(at.UnixNano(), 10)))
	if now == cp.Position {
		w.T.Fatalf("no time in %s", cp.Position)
	}
	cp.Position = now
	w.Must(state.WriteCheckpoint(w.Dir, cp))
}
