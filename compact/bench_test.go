package compact

import (
	"fmt"
	"testing"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// filled gives a store of n records in the log, with their index files.
func filled(b *testing.B, n int) *world {
	w := newWorld(b)
	w.must(w.write(func(wr *Writer) error {
		batch := make([]log.Envelope, n)
		for i := range batch {
			batch[i] = log.Envelope{
				Key: keypath.MustParse(fmt.Sprintf("/user/fact/%d/%06d", i%100, i)), TS: log.StampOf(noon) + log.Stamp(i),
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
	w.compact(keepLog)
	benchmarkLive(b, w)
}

func BenchmarkLiveFromLog(b *testing.B) { benchmarkLive(b, filled(b, 20_000)) }

func benchmarkLive(b *testing.B, w *world) {
	b.SetBytes(20_000 * 470)
	for b.Loop() {
		v, err := Load(w.dir, w.boot)
		w.must(err)
		for _, err := range v.Live() {
			w.must(err)
		}
		v.Close()
	}
}

func BenchmarkCompact(b *testing.B) {
	w := filled(b, 20_000)
	b.SetBytes(20_000 * 470)
	for b.Loop() {
		w.compact(keepLog)
	}
}

func BenchmarkAudit(b *testing.B) {
	w := filled(b, 20_000)
	w.compact(keepLog)
	b.SetBytes(20_000 * 470)
	for b.Loop() {
		w.audit()
	}
}

func BenchmarkLookup(b *testing.B) {
	w := filled(b, 20_000)
	w.compact(keepLog)
	for b.Loop() {
		w.get("/user/fact/7/000007")
	}
}

func BenchmarkLookupOfNothing(b *testing.B) {
	w := filled(b, 20_000)
	w.compact(keepLog)
	for b.Loop() {
		w.get("/user/fact/7/nothing")
	}
}
