package log_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/log"
)

func TestIndentedLen(t *testing.T) {
	t.Parallel()
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			kind := rapid.IntRange(0, 4).Draw(t, "kind")
			if depth == 0 {
				kind = min(kind, 1)
			}
			part := func() string { return value(depth-1).Draw(t, "part") }
			switch kind {
			case 0:
				return rapid.SampledFrom([]string{"null", "1.50", "true", `"{[,:]}"`, `""`,
					"{}", "[]"}).Draw(t, "scalar")
			case 1:
				return string(jsontext.AppendString(nil, rapid.String().Draw(t, "text")))
			case 2:
				return "[" + part() + "," + part() + "]"
			case 3:
				return `{"a":` + part() + `,"b,":` + part() + "}"
			}
			return "[" + part() + "]"
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		line := envelope("/k", "2026-02-22T10:00:00Z", `{"kind":"x"}`, value(4).Draw(t, "v")).Line()
		text, err := log.Indent(line)
		if err != nil || log.IndentedLen(line) != len(text) {
			t.Fatalf("%d of %d, %v: %s", log.IndentedLen(line), len(text), err, line)
		}
	})
}
