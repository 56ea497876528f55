package jsontext_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
)

func TestReadable(t *testing.T) {
	for in, want := range map[string]string{
		`"\u7259\u79d1"`:                 `"牙科"`,
		`{"\u7259": "\u00e9\u0041"}`:     `{"牙":"éA"}`,
		`"\ud83e\uddb7 \uD83E\uDDB7"`:    `"🦷 🦷"`,
		`["\u7259", {"a" : "x\u4e2dy"}]`: `["牙",{"a":"x中y"}]`,
		`"e\u0301"`:                      "\"e\u0301\"",
		`"a\u0020b\u002f\u003c"`:         `"a b/<"`,
		// What would end the string, break the line, or not be seen, stays an escape.
		`"\u0022\u005c\u005C"`:                       `"\u0022\u005c\u005C"`,
		`"\u0000\u001f\u007f\u0085\u009b\u000a"`:     `"\u0000\u001f\u007f\u0085\u009b\u000a"`,
		`"\u2028\u2029\u202e\u200b\u200d\ufeff"`:     `"\u2028\u2029\u202e\u200b\u200d\ufeff"`,
		`"\u00a0\u3000\u2800\u00ad\ue000\ufe0f"`:     `"\u00a0\u3000\u2800\u00ad\ue000\ufe0f"`,
		`"\udb40\udd00\udb80\udc00"`:                 `"\udb40\udd00\udb80\udc00"`,
		`"\ufffe\u0378"`:                             `"\ufffe\u0378"`,
		`"\n\t\"\\\/\b\f\r"`:                         `"\n\t\"\\\/\b\f\r"`,
		`"\\u7259"`:                                  `"\\u7259"`,
		`{"z":1.50,"a":1e400,"neg":-0.0,"exp":1E+2}`: `{"z":1.50,"a":1e400,"neg":-0.0,"exp":1E+2}`,
		` [ 1 , "\u7259" ] `:                         `[1,"牙"]`,
	} {
		got, err := jsontext.Readable(nil, []byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, want %s", in, got, err, want)
		}
		again, err := jsontext.Readable([]byte("x"), got)
		if err != nil || string(again) != "x"+want {
			t.Errorf("%s, again: %s, %v", in, again, err)
		}
	}
	for _, in := range []string{`"\ud83e"`, `"\u12"`, `{"\u0061":1,"a":2}`, `"\u7259`} {
		_, want := jsontext.Compact(nil, []byte(in))
		if _, err := jsontext.Readable(nil, []byte(in)); err == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v, want %v", in, err, want)
		}
	}
}

// FuzzReadable holds the value, and what is not an escape, to what Compact makes of it.
func FuzzReadable(f *testing.F) {
	for _, text := range []string{`"\u7259\u0022"`, `{"\ud83e\uddb7":[1.0,"\\u0041"]}`, `"\u200b"`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		plain, err := jsontext.Compact(nil, text)
		got, rerr := jsontext.Readable(nil, text)
		if (err == nil) != (rerr == nil) || err != nil {
			return
		}
		var a, b any
		one, two := json.NewDecoder(bytes.NewReader(plain)), json.NewDecoder(bytes.NewReader(got))
		one.UseNumber()
		two.UseNumber()
		if one.Decode(&a) != nil || two.Decode(&b) != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%q: %q is not %q", text, got, plain)
		}
		if !jsontext.Equal(plain, got) || len(got) > len(plain) {
			t.Errorf("%q: %q, not the same as %q", text, got, plain)
		}
		if !bytes.Contains(plain, []byte(`\u`)) && !bytes.Equal(plain, got) {
			t.Errorf("%q: %q, without an escape", text, got)
		}
	})
}

func TestAppendVisible(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": "plain 牙科 \u009b"}`:                  `{"a": "plain 牙科 \u009b"}`,
		"\"\u009b31m \u007f\u0085\"":                `"\u009b31m \u007f\u0085"`,
		"\"a\u200bb\U000e0169c\u202e\u2028\ue000\"": `"a\u200bb\udb40\udd69c\u202e\u2028\ue000"`,
		"\"می\u200cخواهم ☕\ufe0f full\u3000wide\"":  "\"می\u200cخواهم ☕\ufe0f full\u3000wide\"",
		"{\n  \"a\": 1\n}":                          "{\n  \"a\": 1\n}",
	} {
		if got := jsontext.AppendVisible(nil, []byte(in)); string(got) != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
