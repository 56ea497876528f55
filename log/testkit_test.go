package log_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
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
	return log.Envelope{Key: keypath.MustParse(key), TS: at, Source: []byte(source), Content: []byte(content)}
}

func sameEnvelope(a, b log.Envelope) bool {
	return a.Key == b.Key && a.TS == b.TS && bytes.Equal(a.Source, b.Source) && bytes.Equal(a.Content, b.Content)
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

// linesOf gives the lines of a log, each with its newline.
func linesOf(envelopes []log.Envelope) (lines [][]byte) {
	for _, e := range envelopes {
		lines = append(lines, append(e.Line(), '\n'))
	}
	return lines
}

// realistic gives an envelope whose line has about 450 bytes, as those of an agent in use do.
func realistic(i int) log.Envelope {
	return log.Envelope{
		Key:    keypath.MustParse(fmt.Sprintf("/user/preference/%04d/answer-style", i%10000)),
		TS:     log.StampOf(now) + log.Stamp(i),
		Source: []byte(`{"kind":"user","name":"chat","locator":{"session":"s-20260222","turn":17}}`),
		Content: fmt.Appendf(nil, `{"type":"preference","summary":"用户喜欢简洁的中文回答 %d","text":"Asked for short answers in Chinese, `+
			`with code left in English.","tags":["language","style"],"importance":0.8,"expired_at":"2027-02-22T00:00:00Z"}`, i),
	}
}
