package filestore

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// A log folded in parts has the same result as in one: records, line numbers, damage and the
// newest ts.
func TestPartsFoldToTheWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var text bytes.Buffer
		for range rapid.IntRange(0, 60).Draw(rt, "lines") {
			switch rapid.IntRange(0, 9).Draw(rt, "kind") {
			case 0:
				text.WriteString("damaged\n")
			case 1:
				text.WriteString("\r\n")
			default:
				e := log.Envelope{
					Key: keypath.MustParse(fmt.Sprintf("/k%d",
						rapid.IntRange(0, 9).Draw(rt, "key"))),
					TS:     log.Stamp(rapid.IntRange(0, 30).Draw(rt, "ts")),
					Source: []byte(`"s"`), Content: []byte(`"` +
						strings.Repeat("x", rapid.IntRange(0, 50).Draw(rt, "length")) + `"`),
				}
				text.Write(append(e.Line(), '\n'))
			}
		}
		if rapid.Bool().Draw(rt, "torn") {
			text.WriteString(`{"key":`)
		}
		r := bytes.NewReader(text.Bytes())
		whole := part{0, r.Size()}
		known := horizon{off: rapid.Int64Range(0, r.Size()).Draw(rt, "known"),
			ts: log.Stamp(rapid.IntRange(-1, 1).Draw(rt, "known ts"))}
		want := scan(log.Scan).foldPart(r, log.File, whole, 7, known)
		parts, err := split(r, whole, rapid.IntRange(1, 6).Draw(rt, "parts"))
		if err != nil {
			rt.Fatal(err)
		}
		results := make([]folded, len(parts))
		for i, p := range parts {
			line := map[bool]int{true: 7}[i == 0]
			results[i] = scan(log.Scan).foldPart(r, log.File, p, line, known)
		}
		got := join(r, 7, parts, results)
		if got.passed != want.passed {
			rt.Fatalf("%d parts: passed %v, want %v", len(parts), got.passed, want.passed)
		}
		if want.passed {
			return
		}
		if got.err != nil || got.maxTS != want.maxTS ||
			fmt.Sprint(damages(got)) != fmt.Sprint(damages(want)) ||
			!maps.EqualFunc(got.fold, want.fold, sameRecord) {
			rt.Fatalf("%d parts: %+v, want %+v", len(parts), got, want)
		}
	})
}

func damages(f folded) (at []string) {
	for _, d := range f.damaged {
		at = append(at, d.Error())
	}
	return at
}

func sameRecord(a, b log.Record) bool { return bytes.Equal(a.Line, b.Line) }
