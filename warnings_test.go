package mem_test

import (
	"strings"
	"testing"

	"github.com/set-memory/mem"
)

// A whole 1 is the most of 0..1 and the least of 1..10: who writes it is told which it is.
func TestImportanceOneIsWarnedOf(t *testing.T) {
	const warning = "importance 1 is the greatest of 0..1, above a 9 of 1..10: " +
		"write 1.0 for the greatest, and 0.1 for the least"
	for content, warned := range map[string]bool{
		`{"text":"x","importance":1}`:         true,
		`{"text":"x","importance":1.0}`:       false,
		`{"text":"x","importance":2}`:         false,
		`{"text":"x","importance":10}`:        false,
		`{"text":"x","importance":0}`:         false,
		`{"text":"x","importance":"1"}`:       false,
		`{"text":"x","sub":{"importance":1}}`: false,
		`1`:                                   false,
	} {
		f := newStore(t)
		f.Put("/a", content)
		if got := strings.Join(f.Warnings, "|"); (got == warning) != warned ||
			!warned && got != "" {
			t.Errorf("%s: %q", content, got)
		}
	}
}

// A batch is warned of once, and an import of envelopes not at all: they were written elsewhere.
// What an import brings is as it was elsewhere.
func TestImportanceOneOfAnImport(t *testing.T) {
	f := newStore(t)
	_, err := f.SetAll(ctx, mem.Caller{},
		strings.NewReader(`{"key":"/a","content":{"importance":1},`+
			`"source":"s","ts":"2020-01-01T00:00:00Z"}`), mem.BatchOptions{})
	if f.Must(err); len(f.Warnings) > 0 {
		t.Errorf("%q", f.Warnings)
	}
}

func TestImportanceOneInABatch(t *testing.T) {
	f := newStore(t)
	const line = `{"key":"/a","content":{"importance":1},"source":"x"}` + "\n"
	imported := strings.Replace(line, `"source"`, `"ts":"2026-02-22T09:00:00Z","source"`, 1)
	_, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(imported), mem.BatchOptions{})
	f.Must(err)
	if len(f.Warnings) > 0 {
		t.Errorf("%q", f.Warnings)
	}
	_, err = f.SetAll(ctx, mem.Caller{}, strings.NewReader(line+line+line), mem.BatchOptions{})
	f.Must(err)
	if len(f.Warnings) != 1 || !strings.HasSuffix(f.Warnings[0], "(lines: 3)") {
		t.Errorf("%q", f.Warnings)
	}
}

// A created_at that is no time is not the time of the memory. What the content before says too is
// not said again.
func TestWarnings(t *testing.T) {
	const bad = "content: created_at is no ISO 8601 time, so the memory has the time of its write"
	for content, want := range map[string]string{
		`{"text":"x","created_at":"soon"}`: bad,
		`{"text":"x","timestamp":true}`: bad[:9] + "timestamp" +
			bad[19:],
		`{"text":"x","created_at":null}`:                             "",
		`{"text":"x","created_at":"2026-02-22","timestamp":1700000}`: "",
		`{"text":"x","sub":{"created_at":"soon"}}`:                   "",
	} {
		f := newStore(t)
		f.Put("/a", content)
		if got := strings.Join(f.Warnings, "|"); got != want {
			t.Errorf("%s: %q", content, got)
		}
	}
}
