package log_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/set-memory/mem/log"
)

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
