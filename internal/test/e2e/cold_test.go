package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
)

// A store is cold where it has a long history and lacks what reads need besides.
func TestColdStores(t *testing.T) {
	s := storetest.NewStore(t, storetest.Files)
	if s.Store.IsCold() {
		t.Error("one that does not exist")
	}
	set := func(size int) {
		t.Helper()
		w := storetest.Write("/a", `"`+strings.Repeat("x", size)+`"`)
		if _, err := s.Set(t.Context(), mem.Caller{}, w, mem.SetOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	set(10)
	if s.Store.IsCold() {
		t.Error("a short one")
	}
	set(300 << 10)
	if !s.Store.IsCold() {
		t.Error("a long one without a state is not")
	}
	for _, name := range []string{"", "state.jsonl", "checkpoint.json", "cache", "cache/*"} {
		if _, err := s.Compact(t.Context(), mem.Caller{}, mem.CompactOptions{}); err != nil {
			t.Fatal(err)
		}
		if s.Store.IsCold() {
			t.Errorf("after the compaction that made %q anew", name)
		}
		if name == "" {
			continue
		}
		removed, err := filepath.Glob(filepath.Join(s.Root, name))
		if err != nil || len(removed) == 0 {
			t.Fatalf("no %s, %v", name, err)
		}
		for _, path := range removed {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
		if !s.Store.IsCold() {
			t.Errorf("without %s it is not", name)
		}
	}
}
