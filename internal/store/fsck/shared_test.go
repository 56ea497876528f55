package fsck_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// Git has taken a line away and left a mark of a conflict, of which nobody can tell what it was: a
// repair takes the mark out, and nothing in.
func TestRepairOfASharedStoreTakesNothingIn(t *testing.T) {
	w := storetest.Specimen(t)
	w.Shared = true
	want := w.Live()
	delete(want, "/b/c")
	storetest.Saved(w, func(text []byte) []byte {
		var kept []byte
		for line := range bytes.Lines(text) {
			if !bytes.Contains(line, []byte(`"/b/c"`)) {
				kept = append(kept, line...)
			}
		}
		return append(kept, "<<<<<<< HEAD\n"...)
	})
	w.Repair()
	storetest.Same(t, "after the repair", w.Live(), want)
}

// settle lets a writer follow what git did.
func settle(w *storetest.World) {
	w.T.Helper()
	w.Must(w.Write(func(*filestore.Writer) error { return nil }))
}

// An archive that git takes away is no finding, a damaged line of one is, and so is its absence
// where git does not come.
func TestArchivesOfASharedStore(t *testing.T) {
	w := storetest.Specimen(t)
	names, err := log.Archives(w.Dir)
	w.Must(err)
	text, err := os.ReadFile(w.File(names[0]))
	w.Must(err)
	w.Must(os.Remove(w.File(names[0])))
	if found := w.Check(); found[len(found)-1].Check != "F16" {
		t.Errorf("not shared: %v", found)
	}
	w.Shared = true
	settle(w)
	if found := w.Check(); len(found) > 0 {
		t.Errorf("shared: %v", found)
	}
	broken := bytes.Replace(text, []byte("plain"), []byte("plane"), 1)
	w.Tick()
	w.Must(os.WriteFile(w.File(names[0]), broken, 0o600))
	settle(w)
	if found := w.Check(); len(found) != 1 || !strings.HasPrefix(found[0].File, "archive/") {
		t.Errorf("damaged: %v", found)
	}
	w.Tick()
	w.Must(os.WriteFile(w.File(names[0]), text, 0o600))
	settle(w)
}
