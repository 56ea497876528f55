package log_test

import (
	"bytes"
	"testing"

	"github.com/set-memory/mem/log"
)

func BenchmarkDecode(b *testing.B) {
	benchDecode(b, log.Decode)
}

func BenchmarkDecodeStrict(b *testing.B) {
	benchDecode(b, log.DecodeStrict)
}

func benchDecode(b *testing.B, decode func([]byte) (log.Envelope, error)) {
	line := realistic(1).Line()
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	var file []byte
	for i := range 10_000 {
		file = append(realistic(i).AppendLine(file), '\n')
	}
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range log.Scan(bytes.NewReader(file), log.File, log.Start{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkAppendLine(b *testing.B) {
	e := realistic(1)
	buf := e.Line()
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = e.AppendLine(buf[:0])
	}
}

func BenchmarkClone(b *testing.B) {
	line := realistic(1).Line()
	for rec, err := range log.Scan(bytes.NewReader(line), log.File, log.Start{}) {
		must(b, err)
		b.ReportAllocs()
		for b.Loop() {
			rec.Clone()
		}
	}
}
