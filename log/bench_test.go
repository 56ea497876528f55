package log_test

import (
	"bytes"
	"testing"

	"github.com/set-memory/mem/log"
)

func BenchmarkCompactJSON(b *testing.B) {
	line := realistic(1).Line()
	indented, err := log.Indent(line)
	must(b, err)
	for _, c := range []struct {
		name string
		text []byte
	}{{"compact", line}, {"indented", indented}} {
		b.Run(c.name, func(b *testing.B) {
			buf := make([]byte, 0, 2*len(c.text))
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := log.CompactJSON(buf, c.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

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

func BenchmarkParseFields(b *testing.B) {
	content := realistic(1).Content
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if f := log.ParseFields(content); f.Type == "" {
			b.Fatal(f)
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
