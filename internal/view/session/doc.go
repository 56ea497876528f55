// Package session keeps the messages, decisions, findings and preferences of conversations: a view
// above the Store. It has no log, no lock and no index of its own.
//
// # Records
//
//	/session/<id>            the session itself: its user, times, settings, last compaction
//	/session/<id>/mem_<26>   what somebody said, decided, found out or prefers in it
//
// The content of a record has at its top type (conversation, decision, finding, preference),
// session_id, timestamp, role, the text in the member that the type names (message, decision with
// rationale and alternatives, finding, preference), importance 0..1, tags, references and
// schema_version. The content of the session has type session, version, session_id, user_id,
// created_at and, where they are given, closed_at, decay_config, compaction_config, preferences,
// last_compaction, deleted_bytes and idle_bytes. What can be counted is counted when it is asked
// for, and never stored: entries, bytes, statistics, relevance. Reading writes nothing.
//
// # Relevance
//
// docs/sessions.md has the formula, and which half-life counts. The least decay is
// min_decay_factor. A record right before or after a hit has a share of its score (package fts).
//
// # Size
//
//	size = bytes of the lines of the live records + those of the tombstones since last_compaction
//
// Newlines count, the line of the session itself does not, nor do the tombstones that a compaction
// wrote: deleted_bytes is the size of the tombstones right after it. A record that is brought back
// after that makes room for as many bytes of tombstones as it had. A write is judged by the size
// with its own line. Above compaction_threshold of the limit the session is compacted in the same
// update: a record less relevant than decay.min_relevance gets a tombstone, a preference never. So
// no rebuild brings a dropped record back. A compaction that dropped nothing leaves idle_bytes, and
// is not tried again before the session has grown by 1 % of its limit. A write that does not fit
// then is refused, and the update leaves nothing.
//
// # Versions
//
// There is one version of a session and of its records, and nothing is converted. A record without
// one, which another program wrote, comes by an import, a sync or by hand: mem get, history and
// export read it, list and search too, fsck names it, and the other verbs refuse its session alone
// (ErrUnversioned); mem session delete takes it. The metadata has schema_version where all records
// had theirs at the last write of a verb; Tend takes it out, and the next such write looks again.
//
// A session id is never given again, not even after it was deleted: a reference to it must not come
// to mean another conversation.
//
// # Export
//
//	json    {"metadata":{...},"entries":[...]}, or {"sessions":[...]} of several
//	jsonl   {"metadata":{...}} on a line before the lines of the session's entries
//	entry   id, session_id, timestamp, type, content, importance, decay_factor, tags, references,
//	        schema_version, checksum
//
// Sessions come by their ids, entries by their keys. metadata has the stored members of the session
// and its counts; content has the members of a record that have no place of their own in the entry.
// Values are spelled as they are stored, and the checksum is over all members but decay_factor and
// itself: "sha256:" and the hex SHA-256 of the entry without white space, the members of every
// object in the order of the bytes of their names, strings with no escapes but those that JSON
// demands, numbers as they stand. So a program that spells 1e-7 as 1e-07 breaks it.
//
// # After a crash
//
// Nothing is kept outside of the Store. An update is stored as a whole or not at all: a record, the
// tombstones of the compaction that made room for it, and the session's metadata.
package session
