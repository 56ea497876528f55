// Package bundle builds the context for a call of a model from all that a memory holds, under a
// hard budget and for a channel: a view above the Store, over what package ledger keeps. It stores
// nothing.
//
// # Sections
//
//	section             tokens  filled with
//	identity             1,200  /agent/<agent>/identity
//	rules                6,000  all below /rules, preferences, pinned notes
//	task_state           3,000  tasks that are not done, those that are being done first
//	decision_ledger      4,000  decisions that hold, by score
//	handoff_packet       6,000  /handoff/<session>/<agent>
//	retrieved_evidence  28,000  chunks that the query finds, by score
//	recent_window        8,000  the last messages of the session, without gaps
//	reserve              8,800  nothing: it is for the call itself
//
// That is of 65,000 tokens; of fewer each has its share. What a section does not use goes to the
// next: from identity in the order above to the recent window, which is filled before the
// evidence. The evidence never has more than its own. A text that does not fit is cut in identity,
// rules and handoff_packet, and skipped elsewhere; both are omissions with the reason "budget", of
// each section the first 20. A chunk has its speaker and its day (UTC) before it. A text stands in
// a bundle once, even if several speakers said it (SHA-256 of its NFKC, case-folded and with blanks
// collapsed): in the section that comes first above, but in the recent window rather than in the
// evidence, for a dialogue with holes misleads.
//
// # Score
//
//	score      = 0.6*match + 0.3*recency + 0.1*importance
//	match      = BM25 of the memory / that of the best one; of a chunk its share of that
//	recency    = 2^(-age/half-life): decision 720 h, message 168 h, else 336 h; the future is now
//	importance = of events: decision 1, task_update 0.6, message 0.4, else 0.2; of other memories
//	             their own
//
// The 2,000 memories that match best are the pool, and at most 200 chunks of it are packed, by
// their scores. Before a summary (an event with that tag) stand the events that it refers to, and
// in its place if one fits. An empty query looks nothing up: the bundle then has no evidence.
//
// # Channels
//
// Channel and sensitivity decide before anything is scored or counted (mem.Cleared): the bundle of
// a channel has the same bytes as if the store lacked all memories that are hidden from that
// channel. The same store, request and instant return the same bytes; acb_id is a hash of the rest.
package bundle
