package content_test

import (
	"testing"

	"github.com/set-memory/mem/internal/base/content"
)

func BenchmarkParse(b *testing.B) {
	text := []byte(`{"type":"decision","summary":"the build runs without cgo",` +
		`"text":"static binaries",` +
		`"tags":["build","ci"],"importance":0.7,"expired_at":"2027-01-01T00:00:00Z"}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if f := content.Parse(text); f.Type == "" {
			b.Fatal(f)
		}
	}
}
