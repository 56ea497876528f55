package jsontext_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
)

func FuzzCompact(f *testing.F) {
	for _, text := range []string{
		rich, "", " 1 ", "01", "1.", "-", "-0", "1e400", "1E+2", "NaN", "[1,]", "{,}",
		`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `"\ud83d"`, `"\ud83d\ude00"`, `"\u7259\/"`,
		"\"\xff\"", "\"\x00\"", "\"\u2028<>&\"", nested("[", "]", 128), nested("[", "]", 129),
		"{" + members(20) + "}", "{" + members(20) + `,"m0":0}`, "[] x", "\ufeff1", "\u00a01",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		out, err := jsontext.Compact([]byte("x"), src)
		if !bytes.Equal(src, before) {
			t.Fatalf("input changed from %q to %q", before, src)
		}
		var fault *jsontext.Error
		switch {
		case err == nil:
			checkCompact(t, src, out[1:])
		case !errors.As(err, &fault) || fault.Fault == "" || fault.Pos < 0 ||
			fault.Pos > len(src) || out != nil:
			t.Fatalf("%q: %q, %v", src, out, err)
		case strings.ContainsAny(err.Error(), "\x00\n\r\x1b\u0085\u2028"):
			t.Fatalf("not one plain line: %q", err)
		case json.Valid(src) && !refusedOnPurpose(fault.Fault):
			t.Fatalf("%q is JSON: %v", src, err)
		}
	})
}

// refusedOnPurpose reports whether encoding/json accepts what Compact refuses on purpose.
func refusedOnPurpose(fault string) bool {
	for _, ours := range []string{"duplicate member name", "nesting past", "invalid UTF-8",
		"invalid surrogate pair"} {
		if strings.HasPrefix(fault, ours) {
			return true
		}
	}
	return false
}

func FuzzMembers(f *testing.F) {
	for _, text := range []string{rich, `{"a"`, `{"a":`, `["`, `"\`, `"\u`, `"\ud83d\u`, `[,]`,
		`{"a""b"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for name, value := range jsontext.Members(text) {
			_, _ = name, jsontext.Unquote(value)
			for element := range jsontext.Elements(value) {
				jsontext.Unquote(element)
			}
		}
		jsontext.Unquote(text)
		checkAgainstStandardLibrary(t, text)
	})
}

// checkAgainstStandardLibrary holds Members, Elements and Unquote against encoding/json on what
// both take.
func checkAgainstStandardLibrary(t *testing.T, text []byte) {
	t.Helper()
	compact, err := jsontext.Compact(nil, text)
	if err != nil {
		return
	}
	var want, got any
	switch compact[0] {
	case '{':
		object := map[string]json.RawMessage{}
		for name, value := range jsontext.Members(compact) {
			object[name] = value
		}
		got, want = object, new(map[string]json.RawMessage)
	case '[':
		array := []json.RawMessage{}
		for value := range jsontext.Elements(compact) {
			array = append(array, value)
		}
		got, want = array, new([]json.RawMessage)
	case '"':
		got, want = jsontext.Unquote(compact), new(string)
	default:
		return
	}
	if err := json.Unmarshal(compact, want); err != nil {
		t.Fatal(err)
	}
	if want := reflect.ValueOf(want).Elem().Interface(); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: %q, want %q", compact, got, want)
	}
}
