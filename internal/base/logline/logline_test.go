package logline_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/logline"
	"pgregory.net/rapid"
)

// at is the instant of every record.
var at = time.Date(2026, 1, 10, 15, 30, 0, 999_999, time.FixedZone("", 3600))

func logger(out *bytes.Buffer, level slog.Level) *slog.Logger {
	return slog.New(logline.New(out, logline.Options{
		Level: level, Now: func() time.Time { return at },
		Text: func(s string) string { return strings.ReplaceAll(s, "secret", "***") },
	}))
}

// Each record is one line of the form of S-83.
func TestRecords(t *testing.T) {
	const head = `{"timestamp":"2026-01-10T14:30:00.000Z","level":`
	for want, tell := range map[string]func(*slog.Logger){
		`"INFO","component":"compact","session_id":"sess_001","message":"done",` +
			`"metadata":{"entries_before":5000,"size_reduction_mb":2.3,"duration_ms":847.5}}`: func(l *slog.Logger) {
			l.Info("done", logline.Session, "sess_001", "entries_before", 5000,
				logline.Component, "compact", "size_reduction_mb", 2.3,
				"duration_ms", 847500*time.Microsecond)
		},
		`"WARN","component":"store","message":"a *** word","metadata":{}}`: func(l *slog.Logger) {
			l.Warn("a secret word")
		},
		`"ERROR","component":"x","message":"two\nlines\u001b","metadata":{"error":"no *** \u202e","a.b":true}}`: func(l *slog.Logger) {
			l.With(logline.Component, "x", "error", errors.New("no secret \u202e")).WithGroup("a").
				Error("two\nlines\x1b", "b", true)
		},
		`"DEBUG","component":"store","message":"","metadata":{"n":"NaN"}}`: func(l *slog.Logger) {
			l.Debug("", "n", math.NaN())
		},
	} {
		var out bytes.Buffer
		tell(logger(&out, slog.LevelDebug))
		if out.String() != head+want+"\n" {
			t.Errorf("\n got %swant %s%s", &out, head, want)
		}
	}
}

// What is below the level is not written.
func TestLevel(t *testing.T) {
	var out bytes.Buffer
	l := logger(&out, slog.LevelWarn)
	l.Debug("a")
	l.Info("b")
	l.With("x", 1).Info("c")
	l.Warn("d")
	l.Error("e")
	if strings.Count(out.String(), "\n") != 2 {
		t.Error(out.String())
	}
}

// Whatever is told, a record is one line of JSON that says it.
func TestEveryRecordIsALine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var out bytes.Buffer
		message, value := rapid.String().Draw(t, "message"), rapid.String().Draw(t, "value")
		slog.New(logline.New(&out, logline.Options{Now: func() time.Time { return at }})).
			Info(message, "v", value)
		var got struct {
			Message  string
			Metadata map[string]string
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil ||
			got.Message != message || got.Metadata["v"] != value ||
			bytes.Count(out.Bytes(), []byte{'\n'}) != 1 {
			t.Fatalf("%q, %q: %s, %v", message, value, &out, err)
		}
	})
}
