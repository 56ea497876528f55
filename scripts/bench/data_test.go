package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func generate(t *testing.T, n int) string {
	t.Helper()
	var buf bytes.Buffer
	if err := writeRecords(&buf, n); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// The first line is pinned: figures of different days compare only if the records stay what they were.
func TestFirstRecordIsPinned(t *testing.T) {
	const want = `{"key":"/user/fact/000000","content":{"type":"preference","text":"the parser keeps byte offsets; latency doubled after the upgrade; reviews happen after lunch","tags":["style","review"],"importance":0.6},"source":{"kind":"user","name":"chat","retrieved_at":"2025-03-01T08:00:00Z","locator":{"conversation":"c0000","turn":0}}}` + "\n"
	if got := generate(t, 1); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

func TestSmallInputBeginsLargeInput(t *testing.T) {
	if small, large := generate(t, 100), generate(t, 500); !strings.HasPrefix(large, small) {
		t.Error("100 records are not the beginning of 500 records")
	}
}

func TestRecordsKeepTheirShape(t *testing.T) {
	const n = 5000
	keys := map[string]bool{}
	total := 0
	for i := range n {
		r := recordAt(i)
		keys[r.Key] = true
		body := encode(r.Content)
		total += len(body)
		if len(body) < minContent || len(body) > maxContent {
			t.Fatalf("record %d: content of %d bytes: %s", i, len(body), body)
		}
		if !json.Valid(encode(r)) || !utf8.Valid(body) {
			t.Fatalf("record %d is not JSON in UTF-8: %s", i, encode(r))
		}
	}
	if len(keys) != n {
		t.Errorf("%d keys for %d records", len(keys), n)
	}
	if mean := total / n; mean < 180 || mean > 300 {
		t.Errorf("contents have %d bytes on average, want 180 to 300", mean)
	}
}

func TestRecordsAreOfBothLanguages(t *testing.T) {
	text := generate(t, 200)
	for _, want := range []string{"prefers short answers", "喜欢简短的回答", "/user/日程/"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in 200 records", want)
		}
	}
}

// A record is passed on a command line in a plan, and inside quotes in SQL.
func TestRecordsSurviveShellAndSQL(t *testing.T) {
	for i := range 1000 {
		line := encode(recordAt(i))
		if at := bytes.IndexAny(line, "'\t\n"); at >= 0 {
			t.Fatalf("record %d has %q in it: %s", i, line[at], line)
		}
	}
}

func TestScatteredVisitsEveryRecord(t *testing.T) {
	for _, n := range []int{fullSizes.small, fullSizes.large, quickSizes.small} {
		seen := map[int]bool{}
		for i := range n {
			seen[scattered(i, n)] = true
		}
		if len(seen) != n {
			t.Errorf("%d of %d records visited", len(seen), n)
		}
	}
}
