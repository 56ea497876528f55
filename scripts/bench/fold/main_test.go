package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// The floor of a compaction writes the very state that a compaction does, and believes no line that
// was changed.
func TestRun(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/b", `"old"`, "/c", "1", "/d", "2")
	w.Compact(storetest.KeepLog)
	w.Set("/a", "1", "/b", `"newer"`, "/b", `"newest"`, "/d", "null", "/e", "3")
	name := filepath.Join(t.TempDir(), "folded")
	w.Must(run(w.File("."), name))
	w.Compact(storetest.KeepLog)
	got, err := os.ReadFile(name)
	w.Must(err)
	want, err := os.ReadFile(w.File("state.jsonl"))
	w.Must(err)
	if string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if found := w.Check(); len(found) > 0 {
		t.Errorf("fsck: %v", found)
	}
	other := t.TempDir()
	want[len(want)/2]++
	w.Must(os.WriteFile(filepath.Join(other, "state.jsonl"), want, 0o600))
	var damage *log.Damage
	if err := run(other, name); !errors.As(err, &damage) {
		t.Errorf("a damaged state: %v", err)
	}
}
