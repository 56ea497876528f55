package session

import (
	"errors"
	"log/slog"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/backend"
)

// logEvent logs what became of a session, unless it failed (S-82).
func logEvent(s *mem.Store, id, message string, err error, more ...slog.Attr) {
	if err != nil && !errors.Is(err, backend.ErrStored) {
		return
	}
	attrs := append([]slog.Attr{slog.String("session_id", id)}, more...)
	args := make([]any, len(attrs))
	for i, a := range attrs {
		args[i] = a
	}
	mem.Logger(s).Info(message, args...)
}

func logCreated(s *mem.Store, id string, err error) { logEvent(s, id, "Session created", err) }

// tell logs the compaction of the update, and warns where the session stays nearly full.
func (w *writer) tell(err error) {
	if !w.done.Ran {
		return
	}
	d := w.done
	logEvent(w.store, w.id, "Session compaction completed", err,
		slog.Int("entries_before", d.Before), slog.Int("entries_after", d.After),
		slog.Float64("size_reduction_mb", float64(d.From-d.To)/(1<<20)),
		slog.Int64("duration_ms", d.took.Milliseconds()))
	if err == nil && w.size > w.rules.Threshold() {
		mem.Logger(w.store).Warn(w.id+": the session is nearly full", "session_id", w.id,
			"size", w.size, "limit", w.rules.Limit())
	}
}
