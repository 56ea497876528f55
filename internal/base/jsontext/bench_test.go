package jsontext_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
)

func BenchmarkCompact(b *testing.B) {
	line := []byte(rich)
	var out bytes.Buffer
	if err := json.Indent(&out, line, "", "  "); err != nil {
		b.Fatal(err)
	}
	indented := out.Bytes()
	for _, c := range []struct {
		name string
		text []byte
	}{{"compact", line}, {"indented", indented}} {
		b.Run(c.name, func(b *testing.B) {
			buf := make([]byte, 0, 2*len(c.text))
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jsontext.Compact(buf, c.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
