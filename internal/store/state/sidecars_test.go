package state

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/log"
)

// written puts the state of a fold in place, with its sidecars.
func written(t *testing.T, dir *disk.Dir, fold Fold) {
	t.Helper()
	draft, err := Write(dir, NewView(nil, fold, nil), DraftOptions{Sidecars: true})
	if err == nil {
		err = draft.Install(log.MinStamp)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A reader that has a state goes on with its sidecars after a compaction has put those of the next
// state in their place, and opens again those that it could not use.
func TestSidecarsStayWithTheirState(t *testing.T) {
	at := t.TempDir()
	dir, err := disk.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	fold := folded(1, `/a="a lamp"`, `/b="a chair"`)
	written(t, dir, fold)
	file, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	without := 0
	read := func() (list []log.Record, err error) {
		v := NewView(file, nil, func() (Fold, error) { return fold, nil })
		defer v.Close()
		v.Debug = func(string) { without++ }
		hits, err := v.Search(context.Background(), fts.Words("lamp"), backend.Where{},
			backend.SearchOptions{Limit: 1})
		if err == nil {
			list, err = v.Select(context.Background(), backend.Where{}, backend.NewestFirst, 1)
		}
		for _, hit := range hits {
			list = append(list, hit.Record)
		}
		return list, err
	}
	if list, err := read(); err != nil || len(list) != 2 {
		t.Fatalf("%d %v", len(list), err)
	}
	written(t, dir, folded(1, `/a="a lamp"`, `/b="a chair"`, `/c="a table"`))
	if list, err := read(); err != nil || len(list) != 2 || without != 0 {
		t.Fatalf("%d %v: %d reads without the sidecars of the old state", len(list), err, without)
	}

	other, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	file = other
	name := filepath.Join(at, sidecar.Dir)
	if err := os.Rename(name, name+".away"); err != nil {
		t.Fatal(err)
	}
	if list, err := read(); err != nil || without != 2 {
		t.Fatalf("%d %v: %d reads without sidecars", len(list), err, without)
	}
	if err := os.Rename(name+".away", name); err != nil {
		t.Fatal(err)
	}
	if list, err := read(); err != nil || without != 2 {
		t.Fatalf("%d %v: %d reads without sidecars that are back", len(list), err, without)
	}
}
