package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCaptureHidesTextsOfOddIDs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, lines string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("requests.jsonl", `{"id":"req-en-02","lang":"en","class":"other","prompt":"even text"}
{"id":"req-en-03","lang":"en","class":"other","prompt":"odd text"}
{"id":"req-en-04","lang":"en","class":"use-not","prompt":"We use bun, not npm."}
`)
	write("nothing.jsonl", `{"id":"no-001","lang":"en","class":"other","prompt":"From now on, odd text."}
{"id":"no-002","lang":"en","class":"other","prompt":"run it"}
`)
	write("sessions.jsonl", `{"id":"sit-02","events":[{"type":"prompt","text":"add it"},`+
		`{"type":"prompt","text":"no, we use bun, not npm"}],"want":[{"class":"correction","must":["bun"]}]}
{"id":"sit-03","events":[{"type":"prompt","text":"we use odd text, not npm"}]}
`)
	var out bytes.Buffer
	measureCapture(dir, &out)
	got := out.String()
	for _, want := range []string{
		`  req-en-02 nothing: "even text"`,
		"even  precision of Store       100.0 % (20.7 to 100.0; 1 of 1)",
		"odd   precision of Store         0.0 % (0.0 to 79.3; 0 of 1)",
		"even  with all wanted words    100.0 %",
		"odd   precision of corrections   0.0 %",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "odd text") {
		t.Errorf("the text of an odd id is printed:\n%s", got)
	}
}

func TestWilson(t *testing.T) {
	t.Parallel()
	low, high := share{8, 10}.wilson()
	if math.Abs(low-49.0) > 0.1 || math.Abs(high-94.3) > 0.1 {
		t.Errorf("8 of 10: %.1f to %.1f", low, high)
	}
}
