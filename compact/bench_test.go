package compact_test

import (
	"fmt"
	"testing"

	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// filled returns a store of n records in the log, with their index files.
func filled(b *testing.B, n int) *storetest.World {
	w := storetest.NewWorld(b)
	w.Must(w.Write(func(wr *filestore.Writer) error {
		batch := make([]log.Envelope, n)
		for i := range batch {
			batch[i] = log.Envelope{
				Key:     keypath.MustParse(fmt.Sprintf("/user/fact/%d/%06d", i%100, i)),
				TS:      log.StampOf(storetest.Noon) + log.Stamp(i),
				Source:  []byte(`{"kind":"user","name":"chat","retrieved_at":"2026-02-22T10:00:00Z","locator":{"conversation":"c1","turn":7}}`),
				Content: []byte(`{"type":"finding","text":"the parser keeps byte offsets and latency doubled after the upgrade, 牙科复诊改到周一上午","tags":["go","deploy"],"importance":7}`),
			}
		}
		return wr.Append(batch)
	}))
	return w
}

func BenchmarkLiveFromState(b *testing.B) {
	w := filled(b, 20_000)
	w.Compact(storetest.KeepLog)
	benchmarkLive(b, w)
}

func BenchmarkLiveFromLog(b *testing.B) { benchmarkLive(b, filled(b, 20_000)) }

func benchmarkLive(b *testing.B, w *storetest.World) {
	b.SetBytes(20_000 * 470)
	for b.Loop() {
		v, err := w.Files().Load()
		w.Must(err)
		for _, err := range v.Live() {
			w.Must(err)
		}
		v.Close()
	}
}

func BenchmarkCompact(b *testing.B) {
	w := filled(b, 20_000)
	b.SetBytes(20_000 * 470)
	for b.Loop() {
		w.Compact(storetest.KeepLog)
	}
}

func BenchmarkAudit(b *testing.B) {
	w := filled(b, 20_000)
	w.Compact(storetest.KeepLog)
	b.SetBytes(20_000 * 470)
	for b.Loop() {
		w.Check()
	}
}

func BenchmarkLookup(b *testing.B) {
	w := filled(b, 20_000)
	w.Compact(storetest.KeepLog)
	for b.Loop() {
		w.Get("/user/fact/7/000007")
	}
}

func BenchmarkLookupOfNothing(b *testing.B) {
	w := filled(b, 20_000)
	w.Compact(storetest.KeepLog)
	for b.Loop() {
		w.Get("/user/fact/7/nothing")
	}
}
