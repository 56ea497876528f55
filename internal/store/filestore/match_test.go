package filestore_test

import (
	"os"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// The memories that name a file are found without the sidecars of the state, without the state, and
// in archives.
func TestMatchWithoutSidecars(t *testing.T) {
	for _, lost := range [][]string{nil, {state.CacheDir}, {state.FileName},
		{state.FileName, state.CacheDir}} {
		for _, shared := range []bool{false, true} {
			w := storetest.NewWorld(t)
			w.Shared = shared
			w.Set("/old", `"see a/b.go"`, "/gone", `"see a/b.go"`, "/other", `"see a/c.go"`)
			w.Compact(storetest.RotateLog)
			w.Set("/gone", "null", "/new", `{"text":"a/b.go is new"}`)
			for _, name := range lost {
				w.Must(os.RemoveAll(w.File(name)))
			}
			found := matches(w)
			storetest.Same(t, "found", found,
				map[string]string{"/old": `"see a/b.go"`, "/new": `{"text":"a/b.go is new"}`})
			w.Repair()
		}
	}
}

// A line that only the state has left is found too.
func TestMatchOfWhatOnlyTheStateHas(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/old", `"see a/b.go"`, "/x", "1")
	w.Compact(storetest.KeepLog)
	w.Edit(log.File, func([]byte) []byte { return nil })
	storetest.Same(t, "found", matches(w), map[string]string{"/old": `"see a/b.go"`})
	w.Repair()
}

func matches(w *storetest.World) map[string]string {
	s, err := filestore.Open(w.Path, filestore.Options{Shared: w.Shared,
		Now: func() time.Time { return w.Now }})
	w.Must(err)
	defer s.Close()
	list, err := s.Match(w.T.Context(), backend.NewNaming("a/b.go"), backend.Where{}, 10)
	w.Must(err)
	found := map[string]string{}
	for _, rec := range list {
		found[rec.Key.String()] = string(rec.Content)
	}
	return found
}
