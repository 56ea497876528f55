package content_test

import (
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

func TestTime(t *testing.T) {
	const ts = log.Stamp(7)
	for text, want := range map[string]log.Stamp{
		`{}`: ts, `"2026-02-22"`: ts, `{"created_at":"soon"}`: ts, `{"created_at":null}`: ts,
		`{"Created_at":"2026-02-22T10:00:00Z"}`:                              ts,
		`{"a":{"created_at":"2026-02-22T10:00:00Z"}}`:                        ts,
		`{"created_at":"2026-02-22T10:00:00Z"}`:                              ten,
		`{"timestamp":"2026-02-22T10:00:00.000Z"}`:                           ten,
		`{"\u0063reated_at":"2026-02-22T10:00:00Z"}`:                         ten,
		`{"created_at":1771754400}`:                                          ten,
		`{"timestamp":1771754400000}`:                                        ten,
		`{"created_at":"2020-01-01","timestamp":"2026-02-22T10:00:00Z"}`:     ten,
		`{"timestamp":"yesterday","created_at":"2026-02-22T18:00:00+08:00"}`: ten,
	} {
		f := content.Parse([]byte(text))
		if got := f.Time(ts); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if got := content.TimeOf([]byte(text), ts); got != want {
			t.Errorf("TimeOf(%s) = %s, want %s", text, got, want)
		}
	}
}

func TestReferences(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "", `[]`: "", `{"references":"/a"}`: "", `{"references":{"a":"/b"}}`: "",
		`{"references":["/a","mem_1",7,null,"",["/b"],"牙"]}`: "/a mem_1 牙",
		`{"a":{"references":["/a"]},"references":["/b"]}`:    "/b",
	} {
		if got := strings.Join(content.References([]byte(text)), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestKeepTime(t *testing.T) {
	const at = `"created_at":"2026-02-22T10:00:00.000000Z"`
	for text, want := range map[string]string{
		`{}`:                                `{` + at + `}`,
		`{"a":1}`:                           `{"a":1,` + at + `}`,
		`{"a":1} `:                          `{"a":1,` + at + `}`,
		`{"timestamp":"soon"}`:              `{"timestamp":"soon",` + at + `}`,
		`{"timestamp":"2020-01-01"}`:        `{"timestamp":"2020-01-01"}`,
		`{"created_at":"soon"}`:             `{"created_at":"soon"}`,
		`{"a":{"created_at":"2020-01-01"}}`: `{"a":{"created_at":"2020-01-01"},` + at + `}`,
		`{"created_at":1}`:                  `{"created_at":1}`,
		`"text"`:                            `"text"`, `[1]`: `[1]`, `null`: `null`, `1`: `1`, `""`: `""`,
	} {
		got := content.KeepTime([]byte(text), ten)
		if string(got) != want {
			t.Errorf("%s\n%s, want\n%s", text, got, want)
		}
		if _, err := jsontext.Compact(nil, got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
		if again := content.KeepTime(got, ten+1); string(again) != string(got) {
			t.Errorf("%s: once more: %s", got, again)
		}
	}
}
