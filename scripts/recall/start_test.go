package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestStartStoresNameTenNotesOfTheirOwn(t *testing.T) {
	const dir = "testdata/start"
	files, err := filepath.Glob(filepath.Join(dir, "*.notes.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("stores: %v, %v", files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".notes.jsonl")
		notes := readLines[startNote](dir, name+".notes.jsonl")
		known := map[string]bool{}
		for i, n := range notes {
			if known[n.ID] || n.Text == "" || i > 0 && n.TS.Before(notes[i-1].TS) {
				t.Errorf("%s: note %s: known before, empty or out of order", name, n.ID)
			}
			known[n.ID] = true
		}
		wanted := readLines[struct{ ID string }](dir, name+".wanted.jsonl")
		if len(wanted) != 10 {
			t.Errorf("%s: %d wanted notes", name, len(wanted))
		}
		for _, w := range wanted {
			if !known[w.ID] {
				t.Errorf("%s: no note has the wanted id %s", name, w.ID)
			}
		}
	}
}
