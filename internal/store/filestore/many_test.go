package filestore_test

import (
	"context"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
)

// newestEver returns the content that an update is told of a key; "" for none.
func (h held) newestEver(key string) (text string) {
	h.t.Helper()
	h.w.Must(h.update(func(tx backend.Tx) error {
		k := keypath.MustParse(key)
		found, err := tx.NewestEver(context.Background(), []keypath.Key{k})
		text = string(found[k].Content)
		return err
	}))
	return text
}

// What came since the last update that asked counts.
func TestNewestOfManyIsKeptUpToDate(t *testing.T) {
	for name, between := range map[string]func(h held){
		"nothing":      func(held) {},
		"a tombstone":  func(h held) { h.put("/a", "null") },
		"a write":      func(h held) { h.put("/a", `"newer"`) },
		"a rotation":   func(h held) { h.put("/a", `"newer"`); h.w.Compact(storetest.RotateLog) },
		"a compaction": func(h held) { h.put("/a", "null"); h.w.Compact(storetest.KeepLog) },
		"other keys":   func(h held) { h.newestEver("/z") },
		"two rotations": func(h held) {
			h.w.Compact(storetest.RotateLog)
			h.put("/a", "null")
			h.w.Compact(storetest.RotateLog)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := holdOpen(t)
			h.put("/a", `"first"`)
			h.w.Compact(storetest.RotateLog)
			h.put("/b", "1")
			h.newestEver("/a")
			between(h)
			got := h.newestEver("/a")
			h.s.Close()
			var err error
			h.s, err = filestore.Open(h.w.Path, filestore.Options{
				Now: func() time.Time { return h.w.Now },
			})
			h.w.Must(err)
			if want := h.newestEver("/a"); got != want || want == "" {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
