package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// Of 40 edits in a repository with 200 memories 18 of 20 bring a memory that matters, and 20 of 20
// others nothing. Memories and edits of a set are by one writer, without a look at the code.
func TestEditsOfAMonth(t *testing.T) {
	for dir, root := range map[string]string{
		"testdata/edits-month": "/home/dana/src/larder",
		"testdata/edits-named": "/home/dana/src/harborline",
	} {
		t.Run(dir, func(t *testing.T) { judgeEdits(t, dir, root) })
	}
}

// judgeEdits counts the edits of a set whose repository is at root.
func judgeEdits(t *testing.T, dir, root string) {
	s := storeOfMonth(t, dir)
	edits := readLines[struct {
		ID, Path string
		Want     []string
	}](dir, "edits.jsonl")
	found, wanted, silent, unwanted := 0, 0, 0, 0
	for _, e := range edits {
		in, err := inject.Choose(context.Background(), s, mem.Caller{}, inject.Options{
			Client: "recall", Trigger: inject.AtEdit, Files: []string{root + "/" + e.Path},
			Root: root, Block: readout.Block{Most: 9000},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Want) == 0 {
			if unwanted++; in.Text == "" {
				silent++
			} else {
				t.Logf("%s %s: %s", e.ID, e.Path, in.Text)
			}
			continue
		}
		has := false
		for _, id := range e.Want {
			has = has || strings.Contains(in.Text, "n/"+id+",")
		}
		if wanted++; has {
			found++
		} else {
			t.Logf("%s %s: %v is missing: %s", e.ID, e.Path, e.Want, in.Text)
		}
	}
	if wanted != 20 || unwanted != 20 || found < 18 || silent < 20 {
		t.Errorf("%d of %d found, silent at %d of %d", found, wanted, silent, unwanted)
	}
	t.Logf("%d of %d found, silent at %d of %d", found, wanted, silent, unwanted)
}

func storeOfMonth(t *testing.T, dir string) *mem.Store {
	t.Helper()
	memories := readLines[struct {
		ID, Text, Type string
		Files          []string
	}](dir, "memories.jsonl")
	s := mem.NewMemory()
	for _, m := range memories {
		var files []content.File
		for _, path := range m.Files {
			files = append(files, content.File{Path: path})
		}
		text, err := json.Marshal(map[string]any{"type": m.Type, "text": m.Text,
			"files": json.RawMessage(content.AppendFiles(nil, files))})
		if err != nil {
			t.Fatal(err)
		}
		w := mem.Write{Key: keypath.MustParse("/n/" + m.ID), Content: text,
			Source: []byte(`"recall"`)}
		if _, err := s.Set(context.Background(), mem.Caller{}, w, mem.SetOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}
