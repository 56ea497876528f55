package log_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// now is the instant of every test that needs one.
var now = time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC)

func openDir(t testing.TB) *disk.Dir {
	t.Helper()
	dir, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return dir
}

// must ends a test whose scenery could not be set up.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, dir *disk.Dir, name string, data []byte) {
	t.Helper()
	must(t, os.WriteFile(dir.Join(name), data, 0o600))
}

func read(t testing.TB, dir *disk.Dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(dir.Join(name))
	must(t, err)
	return data
}

// envelope makes one out of texts.
func envelope(key, ts, source, content string) log.Envelope {
	at, err := log.ParseTime(ts)
	if err != nil {
		panic(err)
	}
	return log.Envelope{Key: keypath.MustParse(key), TS: at, Source: []byte(source),
		Content: []byte(content)}
}

func sameEnvelope(a, b log.Envelope) bool {
	return a.Key == b.Key && a.TS == b.TS && bytes.Equal(a.Source, b.Source) &&
		bytes.Equal(a.Content, b.Content)
}

// samples are five envelopes as a log could hold them, text in several scripts among them.
func samples() []log.Envelope {
	return []log.Envelope{
		envelope("/user/preference/style", "2026-02-22T10:00:00.000001Z", `{"kind":"user","name":"chat"}`, `{"type":"preference","summary":"用户喜欢中文"}`),
		envelope("/user/calendar/2026-02-23_10-00_牙科复诊", "2026-02-22T10:00:00.000002Z", `"chat"`, `{"text":"a \"quoted\" \\ path","n":1.0}`),
		envelope("/user/preference/style", "2026-02-22T10:00:00.000003Z", `{}`, `null`),
		envelope("/note/😀", "2026-02-22T10:00:00.000004Z", `{"kind":"tool","url":"https://x.example/?a=1&b=<2>"}`, "\"\u2028 Ωμέγα \\ud83d\\ude00\""),
		envelope("/a/b", "2026-02-22T10:00:00.000005Z", `"s"`, `[[],{},"",0,false]`),
	}
}

// linesOf returns the lines of a log, each with its newline.
func linesOf(envelopes []log.Envelope) (lines [][]byte) {
	for _, e := range envelopes {
		lines = append(lines, append(e.Line(), '\n'))
	}
	return lines
}

// realistic returns an envelope whose line has about 450 bytes, as those of an agent in use do.
func realistic(i int) log.Envelope {
	return log.Envelope{
		Key:    keypath.MustParse(fmt.Sprintf("/user/preference/%04d/answer-style", i%10000)),
		TS:     log.StampOf(now) + log.Stamp(i),
		Source: []byte(`{"kind":"user","name":"chat","locator":{"session":"s-20260222","turn":17}}`),
		Content: fmt.Appendf(nil, `{"type":"preference","summary":"用户喜欢简洁的中文回答 %d","text":"Asked for short answers in Chinese, `+
			`with code left in English.","tags":["language","style"],"importance":0.8,"expired_at":"2027-02-22T00:00:00Z"}`, i),
	}
}

// tb is what testing.TB and *rapid.T have in common.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

func nested(open, close string, n int) string {
	return strings.Repeat(open, n) + strings.Repeat(close, n)
}

// jsonText draws a text of valid JSON: scalars in rare spellings, strings of any kind, objects of
// both.
func jsonText() *rapid.Generator[string] {
	scalar := rapid.OneOf(
		rapid.SampledFrom([]string{"null", "true", "0", "-0", "1.0", "1e400", "1E+2", `"\/"`, `"\u7259"`,
			`"\ud83d\ude00"`, `"<&>"`, "\"\u2028\"", `{"":{}, "b" : [ ]}`, "[ 1,\n2 ]"}),
		rapid.Map(rapid.String(),
			func(s string) string { return string(jsontext.AppendString(nil, s)) }),
	)
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "plain") {
			return scalar.Draw(t, "scalar")
		}
		return `{"a": [` + scalar.Draw(t, "element") + `],"牙":` + scalar.Draw(t, "member") + "}"
	})
}
