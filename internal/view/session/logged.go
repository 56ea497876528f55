package session

import (
	"errors"
	"log/slog"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/backend"
)

func logger(s *mem.Store, id string) *slog.Logger {
	return s.Logger().With("component", "session", "session_id", id)
}

// logEvent logs a change of a session, unless it failed.
func logEvent(s *mem.Store, id, message string, err error, more ...any) {
	if err == nil || errors.Is(err, backend.ErrStored) {
		logger(s, id).Info(message, more...)
	}
}

// logCompaction logs the compaction of the update, and warns where the session stays nearly full.
func (w *writer) logCompaction(err error) {
	if !w.done.Ran {
		return
	}
	d := w.done
	logEvent(w.store, w.id, "Session compaction completed", err,
		"entries_before", d.Before, "entries_after", d.After,
		"size_reduction_mb", float64(d.From-d.To)/(1<<20), "duration_ms", d.took.Milliseconds())
	if err == nil && w.size > w.rules.Threshold() {
		logger(w.store, w.id).Warn(w.id+": the session is nearly full",
			"size", w.size, "limit", w.rules.Limit())
	}
}
