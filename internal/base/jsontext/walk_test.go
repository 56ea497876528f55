package jsontext_test

import (
	"slices"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
)

func TestMembers(t *testing.T) {
	t.Parallel()
	for object, want := range map[string][]string{
		`{}`: nil, ``: nil, `[]`: nil, `{`: nil, `"a":1`: nil, `null`: nil,
		`{"a":1}`:                   {"a", "1"},
		`{"a":1,"b":[1,{"c":2}]}`:   {"a", "1", "b", `[1,{"c":2}]`},
		`{"a":{"b":{}},"c":"}"}`:    {"a", `{"b":{}}`, "c", `"}"`},
		`{"a\"b":"\\","\u0063":-1}`: {`a"b`, `"\\"`, "c", "-1"},
		`{"":null,"t":true}`:        {"", "null", "t", "true"},
		`{"a":"[{","b":["]"]}`:      {"a", `"[{"`, "b", `["]"]`},
		`{"\\":"\\\"","x":1}`:       {`\`, `"\\\""`, "x", "1"},
	} {
		var got []string
		for name, value := range jsontext.Members([]byte(object)) {
			got = append(got, name, string(value))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", object, got, want)
		}
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	for array, want := range map[string][]string{
		`[]`: nil, ``: nil, `{}`: nil, `[`: nil, `1`: nil,
		`[1]`:                   {"1"},
		`["a",-1.5e3,null]`:     {`"a"`, "-1.5e3", "null"},
		`[[],{},[1,[2]],"],["]`: {"[]", "{}", "[1,[2]]", `"],["`},
		`["\"","\\"]`:           {`"\""`, `"\\"`},
	} {
		var got []string
		for value := range jsontext.Elements([]byte(array)) {
			got = append(got, string(value))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", array, got, want)
		}
	}
}

func TestWalkStops(t *testing.T) {
	t.Parallel()
	for range jsontext.Members([]byte(`{"a":1,"b":2}`)) {
		break
	}
	for range jsontext.Elements([]byte(`[1,2]`)) {
		break
	}
}

func TestUnquote(t *testing.T) {
	t.Parallel()
	for quoted, want := range map[string]string{
		`""`: "", `"a"`: "a", `"牙 😀"`: "牙 😀", `"\u7259"`: "牙", `"\ud83d\ude00!"`: "😀!",
		`"\uD83D\uDE00"`:     "😀",
		`"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\u0000\u001f"`: "\x00\x1f",
		`"a\\u0041"`: `a\u0041`, `"\uffff"`: "\uffff",
		``: "", `"`: "", `null`: "", `1`: "", `["a"]`: "",
	} {
		if got := jsontext.Unquote([]byte(quoted)); got != want {
			t.Errorf("%s: %q, want %q", quoted, got, want)
		}
	}
}

func TestAppendString(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"": `""`, "a": `"a"`, `"\`: `"\"\\"`, "/": `"/"`, "<>&": `"<>&"`,
		"牙😀\u2028":         "\"牙😀\u2028\"",
		"\x00\t\n\x1f\x7f": "\"\\u0000\\t\\n\\u001f\x7f\"",
	} {
		if got := string(jsontext.AppendString([]byte("x"), s)); got != "x"+want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
		if back := jsontext.Unquote([]byte(want)); back != s {
			t.Errorf("%q comes back as %q", s, back)
		}
	}
}
