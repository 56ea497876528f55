package log_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/set-memory/mem/log"
)

func FuzzCompactJSON(f *testing.F) {
	for _, text := range []string{
		rich, "", " 1 ", "01", "1.", "-", "-0", "1e400", "1E+2", "NaN", "[1,]", "{,}", `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `"\ud83d"`, `"\ud83d\ude00"`, `"\u7259\/"`,
		"\"\xff\"", "\"\x00\"", "\"\u2028<>&\"", nested("[", "]", 128), nested("[", "]", 129), "{" + members(20) + "}", "{" + members(20) + `,"m0":0}`, "[] x", "\ufeff1", "\u00a01",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		out, err := log.CompactJSON([]byte("x"), src)
		if !bytes.Equal(src, before) {
			t.Fatalf("input changed from %q to %q", before, src)
		}
		var fault *log.JSONError
		switch {
		case err == nil:
			checkCompact(t, src, out[1:])
		case !errors.As(err, &fault) || fault.Fault == "" || fault.Pos < 0 || fault.Pos > len(src) || out != nil:
			t.Fatalf("%q: %q, %v", src, out, err)
		case strings.ContainsAny(err.Error(), "\x00\n\r\x1b\u0085\u2028"):
			t.Fatalf("not one plain line: %q", err)
		case json.Valid(src) && !refusedOnPurpose(fault.Fault):
			t.Fatalf("%q is JSON: %v", src, err)
		}
	})
}

// refusedOnPurpose knows what encoding/json lets pass.
func refusedOnPurpose(fault string) bool {
	for _, ours := range []string{"duplicate member name", "nesting past", "invalid UTF-8", "lone surrogate"} {
		if strings.HasPrefix(fault, ours) {
			return true
		}
	}
	return false
}

func FuzzDecode(f *testing.F) {
	for _, e := range append(samples(), realistic(1)) {
		line := e.Line()
		f.Add(line)
		f.Add(line[:len(line)-86])
		f.Add(append(line[:len(line)-85], '}'))
		text, _ := log.Indent(e.Line())
		f.Add(text)
	}
	f.Add([]byte("\ufeff" + `{"content":1, "key":"//x", "source":"s", "ts":"2026-02-22", "note":[]}`))
	f.Add([]byte(`{"key":"/a","ts":"2026-02-22T10:00:00.000000Z","valid":true,"source":"s","content":}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		checkDecode(t, line)
		if len(line) > 0 {
			checkDecode(t, log.Seal(bytes.Clone(line)))
		}
	})
}

func checkDecode(t *testing.T, line []byte) {
	t.Helper()
	before := bytes.Clone(line)
	e, err := log.Decode(line)
	strict, strictErr := log.DecodeStrict(line)
	if !bytes.Equal(line, before) {
		t.Fatalf("the line changed from %q to %q", before, line)
	}
	if strictErr == nil && (err != nil || !sameEnvelope(e, strict)) {
		t.Fatalf("%q: strictly %+v, but %+v, %v", line, strict, e, err)
	}
	if err != nil {
		return
	}
	again, err := log.Decode(e.Line())
	if err != nil || !sameEnvelope(again, e) {
		t.Fatalf("%q: %+v, and its own line %+v, %v", line, e, again, err)
	}
	if strictErr == nil && !json.Valid(e.Line()) {
		t.Fatalf("%q has the line %q", line, e.Line())
	}
}

func FuzzScan(f *testing.F) {
	f.Add(bytes.Join(linesOf(samples()), nil))
	f.Add([]byte("\n\r\n{}\n\ufeff{\n\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		got := scanAll(bytes.NewReader(file), log.Start{})
		if got.err != nil {
			t.Fatal(got.err)
		}
		checkPositions(t, file, got)
		seen := len(got.records) + len(got.damage)
		if want := bytes.Count(file, []byte("\n")) + 1; seen > want {
			t.Fatalf("%d of %d lines", seen, want)
		}
	})
}

func FuzzWatermark(f *testing.F) {
	for _, w := range marks() {
		f.Add(log.Encode(w))
	}
	f.Add([]byte(`{"v":2}`))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		checkWatermark(t, text)
		if len(text) > 0 {
			checkWatermark(t, append(log.Seal(bytes.Clone(text)), '\n'))
		}
	})
}

func checkWatermark(t *testing.T, text []byte) {
	t.Helper()
	switch w, err := log.ParseWatermark(text); {
	case err == nil && !bytes.Equal(log.Encode(w), text):
		t.Fatalf("%q is %+v, which is written %q", text, w, log.Encode(w))
	case err != nil && !errors.Is(err, log.ErrWatermark) && !errors.Is(err, log.ErrNewer):
		t.Fatal(err)
	case err != nil && w != (log.Watermark{}):
		t.Fatalf("%q: %+v, %v", text, w, err)
	}
}

func FuzzFields(f *testing.F) {
	f.Add([]byte(realistic(1).Content))
	for _, text := range []string{rich, `{"tags":["a",`, `{"expired_at":nan}`, `{"expired_at":1e14}`, `{"importance":inf}`, `{"a"`, `{"a":`, `["`, `"\`, `"\u`, `"\ud83d\u`, `[,]`, `{"a""b"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		fields := log.ParseFields(content)
		for name, value := range log.Members(content) {
			_, _ = name, log.Unquote(value)
			for element := range log.Elements(value) {
				log.Unquote(element)
			}
		}
		log.Unquote(content)
		expired := log.Expired(content, log.StampOf(now))
		if !(fields.Importance >= 0 && fields.Importance <= 1) || fields.Expires < log.MinStamp || fields.Expires > log.MaxStamp {
			t.Fatalf("%q: %+v", content, fields)
		}
		if _, err := log.CompactJSON(nil, content); err == nil && expired != fields.Expired(log.StampOf(now)) {
			t.Fatalf("%q: expired %v, and by its fields %v", content, expired, !expired)
		}
		checkAgainstStandardLibrary(t, content)
	})
}

// checkAgainstStandardLibrary holds Members, Elements and Unquote against encoding/json on what both take.
func checkAgainstStandardLibrary(t *testing.T, content []byte) {
	t.Helper()
	compact, err := log.CompactJSON(nil, content)
	if err != nil {
		return
	}
	var want, got any
	switch compact[0] {
	case '{':
		object := map[string]json.RawMessage{}
		for name, value := range log.Members(compact) {
			object[name] = value
		}
		got, want = object, new(map[string]json.RawMessage)
	case '[':
		array := []json.RawMessage{}
		for value := range log.Elements(compact) {
			array = append(array, value)
		}
		got, want = array, new([]json.RawMessage)
	case '"':
		got, want = log.Unquote(compact), new(string)
	default:
		return
	}
	must(t, json.Unmarshal(compact, want))
	if want := reflect.ValueOf(want).Elem().Interface(); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: %q, want %q", compact, got, want)
	}
}
