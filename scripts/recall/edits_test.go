package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// fileEdit is a file that an agent edits where the notes of a store of -start were taken. Want is the
// note that matters, "" for none; Near marks a file that a note seems to name.
type fileEdit struct {
	Store, Path, Want string
	Near              bool
}

// Of 20 edits with a note that matters 18 bring it, and of 20 without one none brings anything. The
// notes were taken without a thought of edits; the edits were chosen by the author of the rules.
func TestEdits(t *testing.T) {
	edits := readLines[fileEdit]("testdata/edits", "edits.jsonl")
	stores := map[string]*mem.Store{}
	found, wanted, silent, unwanted := 0, 0, 0, 0
	for _, e := range edits {
		if stores[e.Store] == nil {
			stores[e.Store] = storeOfNotes(t, e.Store)
		}
		in, err := inject.Choose(context.Background(), stores[e.Store], mem.Caller{}, inject.Options{
			Client: "recall", Trigger: inject.AtEdit, Files: []string{"/repo/" + e.Path},
			Root: "/repo", Block: readout.Block{Most: 9000},
		})
		if err != nil {
			t.Fatal(err)
		}
		switch has := e.Want != "" && strings.Contains(in.Text, "n/"+e.Want+","); {
		case e.Want != "":
			if wanted++; has {
				found++
			} else {
				t.Logf("%s: %s is missing: %s", e.Path, e.Want, in.Text)
			}
		default:
			if unwanted++; in.Text == "" {
				silent++
			} else {
				t.Logf("%s: %s", e.Path, in.Text)
			}
		}
	}
	if wanted != 20 || unwanted != 20 || found < 18 || silent < 20 {
		t.Errorf("%d of %d found, silent at %d of %d", found, wanted, silent, unwanted)
	}
	t.Logf("%d of %d found, silent at %d of %d", found, wanted, silent, unwanted)
}

// storeOfNotes returns a store in memory with the notes of a store of -start.
func storeOfNotes(t *testing.T, name string) *mem.Store {
	t.Helper()
	notes := readLines[startNote]("testdata/start", name+".notes.jsonl")
	s := mem.NewMemory()
	for _, n := range notes {
		content, err := json.Marshal(map[string]string{"type": n.Type, "text": n.Text})
		if err != nil {
			t.Fatal(err)
		}
		w := mem.Write{Key: keypath.MustParse("/n/" + n.ID), Content: content,
			Source: []byte(`"recall"`)}
		if _, err := s.Set(context.Background(), mem.Caller{}, w, mem.SetOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}
