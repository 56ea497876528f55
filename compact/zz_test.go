package compact

import "testing"

func BenchmarkZFull(b *testing.B) {
	w := filled(b, 100_000)
	w.compact(keepLog)
	b.SetBytes(100_000 * 470)
	b.Run("fold", func(b *testing.B) {
		b.SetBytes(100_000 * 470)
		for b.Loop() {
			v, _ := Load(w.dir, w.boot)
			v.Close()
			w.dir.Remove(CheckpointFile)
		}
	})
	b.Run("compact", func(b *testing.B) {
		b.SetBytes(100_000 * 470)
		for b.Loop() {
			w.dir.Remove(CheckpointFile)
			w.compact(keepLog)
		}
	})
	b.Run("again", func(b *testing.B) {
		b.SetBytes(100_000 * 470)
		for b.Loop() {
			w.compact(keepLog)
		}
	})
	b.Run("audit", func(b *testing.B) {
		b.SetBytes(100_000 * 470)
		for b.Loop() {
			w.audit()
		}
	})
}
