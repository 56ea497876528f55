package log_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A line as people and other tools write it, and the envelope it stands for: /a, s, {"b":1} at ten
// o'clock.
func TestDecodeHandWritten(t *testing.T) {
	t.Parallel()
	want := envelope("/a", "2026-02-22T10:00:00Z", `"s"`, `{"b":1}`)
	sealed := string(want.Line())
	sum := sealed[len(sealed)-len(`"sha256:`)-64-2 : len(sealed)-1]
	for _, c := range []struct{ name, line string }{
		{"as mem writes it", sealed},
		{"no checksum", `{"key":"/a","ts":"2026-02-22T10:00:00.000000Z","valid":true,"source":"s","content":{"b":1}}`},
		{"no valid", `{"key":"/a","ts":"2026-02-22T10:00:00Z","source":"s","content":{"b":1}}`},
		{"other order", `{"content":{"b":1},"source":"s","valid":true,"ts":"2026-02-22T10:00:00Z","key":"/a"}`},
		{"other order, canonical checksum", `{"checksum":` + sum + `,"content":{"b":1},"source":"s","ts":"2026-02-22T10:00:00Z","key":"/a"}`},
		{"white space, canonical checksum", `{ "key": "/a", "ts": "2026-02-22T10:00:00Z", "valid": true, "source": "s", "content": {"b": 1}, "checksum": ` + sum + ` }`},
		{"white space around", " \t" + sealed + " "},
		{"carriage return", sealed + "\r"},
		{"byte order mark", "\ufeff" + sealed},
		{"byte order mark and white space", "\ufeff " + sealed + "\r"},
		{"unknown members", `{"v":9,"key":"/a","ts":"2026-02-22T10:00:00Z","source":"s","content":{"b":1},"note":{"key":"/x"}}`},
		{"unknown members, own checksum", string(log.Seal([]byte(`{"key":"/a","ts":"2026-02-22T10:00:00Z","source":"s","content":{"b":1},"x":0}`)))},
		{"whole seconds, own checksum", string(log.Seal([]byte(`{"key":"/a","ts":"2026-02-22T10:00:00Z","valid":true,"source":"s","content":{"b":1}}`)))},
		{"milliseconds", `{"key":"/a","ts":"2026-02-22T10:00:00.000Z","source":"s","content":{"b":1}}`},
		{"nanoseconds", `{"key":"/a","ts":"2026-02-22T10:00:00.000000999Z","source":"s","content":{"b":1}}`},
		{"offset", `{"key":"/a","ts":"2026-02-22T18:00:00+08:00","source":"s","content":{"b":1}}`},
		{"no zone", `{"key":"/a","ts":"2026-02-22 10:00:00","source":"s","content":{"b":1}}`},
		{"escapes", `{"\u006bey":"\/\u0061","ts":"2026\u002d02-22T10:00:00Z","source":"s","content":{"b":1}}`},
		{"another spelling of the key", `{"key":"//a/","ts":"2026-02-22T10:00:00Z","source":"s","content":{"b":1}}`},
		{"another spelling, own checksum", string(log.Seal([]byte(`{"key":"//a/","ts":"2026-02-22T10:00:00.000000Z","valid":true,"source":"s","content":{"b":1}}`)))},
		{"escaped key, own checksum", string(log.Seal([]byte(`{"key":"\/a","ts":"2026-02-22T10:00:00.000000Z","valid":true,"source":"s","content":{"b":1}}`)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, decode := range []func([]byte) (log.Envelope, error){log.Decode,
				log.DecodeStrict} {
				if got, err := decode([]byte(c.line)); err != nil || !sameEnvelope(got, want) {
					t.Errorf("%s\n%+v, %v", c.line, got, err)
				}
			}
		})
	}
}

func TestDecodeTombstones(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`{"key":"/a","ts":"2026-02-22T10:00:00Z","source":"s","content":null}`,
		`{"key":"/a","ts":"2026-02-22T10:00:00Z","valid":false,"source":"s","content":null}`,
		`{"content" : null, "valid" : false, "key":"/a","ts":"2026-02-22T10:00:00Z","source":"s"}`,
		string(log.Seal([]byte(`{"key":"/a","ts":"2026-02-22T10:00:00.000000Z","valid":false,"source":"s","content":null}`))),
	} {
		if e, err := log.Decode([]byte(line)); err != nil || e.Valid() {
			t.Errorf("%s: %v, %v", line, e.Valid(), err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 64)
	for _, c := range []struct {
		name, line string
		want       error
		message    string
	}{
		{"empty", "", jsontext.ErrJSON, "empty text"},
		{"not JSON", "key=/a", jsontext.ErrJSON, "byte 0"},
		{"two on a line", `{}{}`, jsontext.ErrJSON, "byte 2"},
		{"zeros", strings.Repeat("\x00", 512), jsontext.ErrJSON, "byte 0"},
		{"duplicate member", `{"key":"/a","key":"/b","ts":"2026-02-22T10:00:00Z","source":"s","content":1}`, jsontext.ErrJSON, `duplicate member name "key" at byte 12`},
		{"duplicate below", `{"key":"/a","ts":"2026-02-22T10:00:00Z","source":"s","content":{"a":1,"a":2}}`, jsontext.ErrJSON, "byte 70"},
		{"invalid UTF-8", `{"key":"/` + "\xff" + `","ts":"2026-02-22T10:00:00Z","source":"s","content":1}`, jsontext.ErrJSON, "invalid UTF-8 at byte 9"},
		{"no object", `[1]`, log.ErrEnvelope, "want an object"},
		{"null", `null`, log.ErrEnvelope, "want an object"},
		{"no members", `{}`, log.ErrEnvelope, `no "key"`},
		{"no key", `{"ts":"2026-02-22T10:00:00Z","source":"s","content":1}`, log.ErrEnvelope, `no "key"`},
		{"no ts", `{"key":"/a","source":"s","content":1}`, log.ErrEnvelope, `no "ts"`},
		{"no source", `{"key":"/a","ts":"2026-02-22T10:00:00Z","content":1}`, log.ErrEnvelope, `no "source"`},
		{"no content", `{"key":"/a","ts":"2026-02-22T10:00:00Z","valid":false,"source":"s"}`, log.ErrEnvelope, `no "content"`},
		{"number as key", `{"key":1,"ts":"2026-02-22T10:00:00Z","source":"s","content":1}`, log.ErrEnvelope, "must be strings"},
		{"number as ts", `{"key":"/a","ts":1771754400,"source":"s","content":1}`, log.ErrEnvelope, "must be strings"},
		{"bad ts", `{"key":"/a","ts":"yesterday","source":"s","content":1}`, log.ErrTime, "yesterday"},
		{"bad ts is no envelope", `{"key":"/a","ts":"2026-02-31T10:00:00.000000Z","source":"s","content":1}`, log.ErrEnvelope, "2026-02-31"},
		{"null source", `{"key":"/a","ts":"2026-02-22T10:00:00Z","source":null,"content":1}`, log.ErrEnvelope, `"source"`},
		{"array as source", `{"key":"/a","ts":"2026-02-22T10:00:00Z","source":["s"],"content":1}`, log.ErrEnvelope, `"source"`},
		{"bad key", `{"key":"a","ts":"2026-02-22T10:00:00Z","source":"s","content":1}`, keypath.ErrKey, "slash"},
		{"control character in the key", `{"key":"/a\u000ab","ts":"2026-02-22T10:00:00Z","source":"s","content":1}`, keypath.ErrKey, "newline"},
		{"valid but null", `{"key":"/a","ts":"2026-02-22T10:00:00Z","valid":true,"source":"s","content":null}`, log.ErrEnvelope, "content says false"},
		{"not valid but live", `{"key":"/a","ts":"2026-02-22T10:00:00Z","valid":false,"source":"s","content":{}}`, log.ErrEnvelope, "content says true"},
		{"valid as text", `{"key":"/a","ts":"2026-02-22T10:00:00Z","valid":"true","source":"s","content":1}`, log.ErrEnvelope, "valid is"},
		{"wrong checksum", `{"key":"/a","ts":"2026-02-22T10:00:00Z","source":"s","content":1,"checksum":"sha256:` + zeros + `"}`, log.ErrChecksum, ""},
		{"short checksum", `{"key":"/a","ts":"2026-02-22T10:00:00Z","source":"s","content":1,"checksum":"sha256:91f5"}`, log.ErrChecksum, ""},
		{"other checksum", `{"key":"/a","ts":"2026-02-22T10:00:00Z","source":"s","content":1,"checksum":"md5:` + zeros[:32] + `"}`, log.ErrChecksum, ""},
		{"number as checksum", `{"key":"/a","ts":"2026-02-22T10:00:00Z","source":"s","content":1,"checksum":1}`, log.ErrChecksum, ""},
		{"null checksum", `{"key":"/a","ts":"2026-02-22T10:00:00Z","source":"s","content":1,"checksum":null}`, log.ErrChecksum, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, decode := range []func([]byte) (log.Envelope, error){log.Decode,
				log.DecodeStrict} {
				if e, err := decode([]byte(c.line)); !errors.Is(err, c.want) ||
					!strings.Contains(err.Error(), c.message) {
					t.Errorf("%+v, %v; want %v (%s)", e, err, c.want, c.message)
				}
			}
		})
	}
}

// A right checksum proves that the bytes are those that were written, and nothing about who wrote
// them: what Decode parses by its layout must still look like values.
func TestDecodeDoesNotTakeASealForAnEnvelope(t *testing.T) {
	t.Parallel()
	const head = `{"key":"/a","ts":"2026-02-22T10:00:00.000000Z","valid":true,`
	for _, object := range []string{
		`{}`, `{"key":}`, `{"key":"}`, `{"key":"/a"}`, `{"key":"/a","ts":"}`,
		head + `"source":"s","content":}`,
		head + `"source":"s","content":{}`,
		head + `"source":"s","content":"}`,
		head + `"source":"s","content":[}`,
		head + `"source":"s","content":{"a":1}]}`,
		head + `"source":"s","content":[1}`,
		head + `"source":"s","content":1,2}`,
		head + `"source":"s","content":1 }{"a":2}`,
		head + `"source":"s","content":1,"content":2}`,
		head + `"source":"s","content":nope}`,
		head + `"source":"s","content":01}`,
		head + `"source":,"content":1}`,
		head + `"source":null,"content":1}`,
		head + `"source":[1],"content":1}`,
		head + `"source":"s,"content":1}`,
		`{"key":"a","ts":"2026-02-22T10:00:00.000000Z","valid":true,"source":"s","content":1}`,
		`{"key":"/a","ts":"2026-02-31T10:00:00.000000Z","valid":true,"source":"s","content":1}`,
		`{"key":"/a","ts":"2026-02-22T10:00:00.000000Z","valid":true,"source":"s","content":null}`,
		`{"key":"/a","ts":"2026-02-22T10:00:00.000000Z","valid":false,"source":"s","content":1}`,
	} {
		if e, err := log.Decode(log.Seal([]byte(object))); err == nil {
			t.Errorf("%s: taken for %s", object, e.Content)
		}
	}
}

func TestDecodeStrictTrustsNoSeal(t *testing.T) {
	t.Parallel()
	line := log.Seal([]byte(`{"key":"/a","ts":"2026-02-22T10:00:00.000000Z","valid":true,"source":"s","content":{"a":1,"a":2}}`))
	if _, err := log.DecodeStrict(line); !errors.Is(err, jsontext.ErrJSON) {
		t.Error(err)
	}
}

func TestDecodeLeavesTheLineAlone(t *testing.T) {
	t.Parallel()
	for _, e := range samples() {
		line := e.Line()
		before := bytes.Clone(line)
		if _, err := log.Decode(line); err != nil || !bytes.Equal(line, before) {
			t.Errorf("%s, %v", line, err)
		}
	}
}
