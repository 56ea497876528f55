package upkeep_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/upkeep"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func open(t *testing.T, root string, due func()) *upkeep.Store {
	t.Helper()
	s, err := upkeep.Open(root, upkeep.Options{Due: due,
		Config: func(context.Context) error { return nil },
		Options: filestore.Options{
			Now:   func() time.Time { return storetest.Noon },
			Clock: func() time.Time { return time.Time{} },
			Warn:  func(msg string) { t.Log(msg) }, Log: slog.New(slog.DiscardHandler),
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A root that is not there is kept like an empty one, and stays absent.
func TestUpkeepOfNoRoot(t *testing.T) {
	ctx, c := t.Context(), backend.Caller{Now: log.StampOf(storetest.Noon)}
	s := open(t, filepath.Join(t.TempDir(), "none"), nil)
	folded, err := s.Compact(ctx, c, backend.CompactOptions{})
	if err != nil || folded.Done || folded.Why == "" {
		t.Errorf("compact: %+v, %v", folded, err)
	}
	checked, err := s.Check(ctx, c, backend.CheckOptions{Repair: true})
	if err != nil || checked.Records > 0 {
		t.Errorf("check: %+v, %v", checked, err)
	}
	if list := s.Examine(ctx); len(list) != 1 || list[0].Fix != "" {
		t.Errorf("examine: %+v", list)
	}
	if z, err := s.Sizes(ctx); err != nil || z != (backend.Sizes{Folded: true}) {
		t.Errorf("sizes: %+v, %v", z, err)
	}
	if s.Exists() || s.IsCold() {
		t.Error("it was made")
	}
}

// An erasure leaves a compaction due where the state is so large that its sidecars matter.
func TestErasureLeavesACompactionDue(t *testing.T) {
	ctx, c := t.Context(), backend.Caller{Now: log.StampOf(storetest.Noon)}
	for size, want := range map[int]int{1 << 10: 0, 300 << 10: 1} {
		due := 0
		s := open(t, filepath.Join(t.TempDir(), "memory"), func() { due++ })
		put := func(key, text string) {
			if err := s.Update(ctx, c, "set", func(tx backend.Tx) error {
				_, err := tx.Append(backend.Write{Envelope: log.Envelope{
					Key: keypath.MustParse(key), Source: []byte(`"test"`), Content: []byte(text)}})
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		put("/long", `"`+strings.Repeat("x", size)+`"`)
		put("/gone", `"a secret that is erased"`)
		if _, err := s.Compact(ctx, c, backend.CompactOptions{
			Limits: backend.Limits{Lines: 100_000, Bytes: 64 << 20}}); err != nil {
			t.Fatal(err)
		}
		due = 0
		gone := []keypath.Key{keypath.MustParse("/gone")}
		proof, err := s.Erase(ctx, c, backend.Erasure{Keys: gone,
			Source: []byte(`{"purged":true}`)})
		if err != nil || proof.Versions != 1 || proof.Looked == "" || due != want {
			t.Errorf("%d bytes: due %d times, %+v, %v", size, due, proof, err)
		}
		rep, err := s.Check(ctx, c, backend.CheckOptions{})
		if err != nil || len(rep.Found) > 0 {
			t.Errorf("%+v, %v", rep, err)
		}
	}
}

// A look names the copies of the log that a folder sync left.
func TestExamineNamesCopiesOfTheLog(t *testing.T) {
	root := t.TempDir()
	s := open(t, root, nil)
	if _, err := s.Create(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root, "log (conflicted copy).jsonl")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	list := s.Examine(t.Context())
	if last := list[len(list)-1]; !last.Bad || !strings.Contains(last.Fix, "'"+name+"'") {
		t.Errorf("%+v", last)
	}
}
