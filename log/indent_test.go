package log_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
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
		var want bytes.Buffer
		err = json.Indent(&want, line, "", "  ")
		if err != nil || want.String()+"\n" != string(text) {
			t.Fatalf("%v: got\n%swant\n%s", err, text, want.String())
		}
	})
}

// What is no JSON is not laid out.
func TestNoJSONToIndent(t *testing.T) {
	for _, text := range []string{`{"a":1`, `{"a`, `1}`, `[]]`, `[[]`} {
		if out, err := log.Indent([]byte(text)); !errors.Is(err, jsontext.ErrJSON) {
			t.Errorf("%s: %q, %v", text, out, err)
		}
	}
	for _, text := range []string{`{"a":1`, `{"a":x}`, ``} {
		if out := log.IndentShown([]byte(text)); out != "" {
			t.Errorf("%s: %q", text, out)
		}
	}
}

// What would be laid out in hundreds of times its bytes stays a line, which reads as it did.
func TestTooDeepToIndent(t *testing.T) {
	for _, c := range []struct {
		depth, numbers int
		isLine         bool
	}{{2, 100_000, false}, {120, 10_000, false}, {120, 160_000, true}, {4, 800_000, true}} {
		content := strings.Repeat("[", c.depth) + "1" + strings.Repeat(",1", c.numbers) +
			strings.Repeat("]", c.depth)
		e := log.Envelope{Key: keypath.MustParse("/a"), Content: []byte(content),
			Source: []byte(`"x"`)}
		text, err := log.Indent(e.Line())
		if err != nil {
			t.Fatal(err)
		}
		if isLine := bytes.Count(text, []byte("\n")) == 1; isLine != c.isLine {
			t.Errorf("%d deep, %d numbers: %d bytes", c.depth, c.numbers, len(text))
		}
		if n := log.IndentedLen(e.Line()); n != len(text) {
			t.Errorf("%d bytes, said to be %d", len(text), n)
		}
		if line, err := log.CompactLine(nil, text); err != nil || !bytes.Equal(line, e.Line()) {
			t.Errorf("%d deep: it does not read as it did, %v", c.depth, err)
		}
	}
}
