// Package logline owns the form of a log record for machines: one JSON line,
//
//	{"timestamp":"2026-01-10T14:30:00.000Z","level":"INFO","component":"compact",
//	 "session_id":"sess_001","message":"compaction completed","metadata":{"duration_ms":847}}
//
// The timestamp is of the store's clock, in UTC with milliseconds. [Component] and [Session] are
// attributes of package log/slog that stand outside of metadata; where nobody names a component it
// is "store", and without a session there is no session_id. Durations are milliseconds. Each record
// is written with one call, and what a terminal would obey is an escape. It touches no disk, so a
// crash leaves nothing of it.
package logline
