// Package bundle keeps all that happens to agents, and builds from it a small context for each call
// of a model: a view above the Store, with no log and no lock of its own.
//
// # What is stored
//
//	/event/<session>/evt_<ulid>   what happened: append-only, kept for good ([Event])
//	/decision/dec_<ulid>          what was decided, and what it rests on ([Decision])
//	/task/task_<ulid>             what is to be done ([Task])
//	/handoff/<session>/<agent>    what one agent tells the next ([Handoff])
//	/artifact/art_<ulid>          what is known of a kept file ([Artifact]); its bytes are in
//	                              artifacts/<sha256>, written and synced before
//	/agent/<id>/identity          who an agent is, as anybody writes it
//	/rules/{org,project,user}/<name>
//
// An event has at its top type (its kind), session_id, agent_id, channel, sensitivity, actor, tags,
// content, refs and chunker. What looks like a secret is stored as "[redacted: RULE]" and no event
// is refused for it; of an event whose sensitivity is secret the content is {"redacted":true}. A
// text of more than [MaxText] bytes is an artifact, and the event has an excerpt. What is of
// sensitivity high has session_id, channel, sensitivity, and all else in sealed (package seal).
// A crash leaves an event whole or not at all, and at the worst an artifact that nobody names.
//
// # Chunks
//
// Texts are retrieved in chunks of at most 400 tokens. They are derived and never stored (B-09):
// the id of a chunk, chk_<ulid of the event><number in three hex digits>, and the version of the
// chunker that the event keeps say which part of the text it is (package chunk).
//
// # The bundle
//
//	section             tokens  filled with
//	identity             1,200  /agent/<agent>/identity
//	rules                6,000  /rules/org, project and user, preferences, pinned notes
//	task_state           3,000  tasks that are not done, those that are being done first
//	decision_ledger      4,000  decisions that hold, by score
//	handoff_packet       6,000  /handoff/<session>/<agent>
//	retrieved_evidence  28,000  chunks that the query finds, by score
//	recent_window        8,000  what was last said in the session, without gaps
//	reserve              8,800  nothing: it is for the call itself
//
// That is of 65,000 tokens; of fewer each has its share. No section lends another what it does not
// need. What does not fit is cut in identity, rules and handoff_packet, and passed over elsewhere.
// One text stands in a bundle once, whoever said it (SHA-256 of its NFKC, case-folded and with
// blanks collapsed): in the section that comes first above, but in the recent window rather than in
// the evidence, for a dialogue with holes misleads.
//
//	score      = 0.6*match + 0.3*recency + 0.1*importance                               (B-46)
//	match      = BM25 of the memory / that of the best one; of a chunk its share of that
//	recency    = 2^(-age/half-life): decision 720 h, message 168 h, else 336 h; the future is now
//	importance = of events: decision 1, task_update 0.6, message 0.4, else 0.2; of other memories
//	             their own
//
// The 2,000 memories that match best are the pool, and at most 200 chunks of it are packed, by
// their scores. Before a summary
// (an event with that tag) stand the events that it refers to, and in its place if one fits. An
// empty query looks nothing up: the bundle then has no evidence.
//
// # Who is told what
//
// Channel and sensitivity decide before anything is scored or counted (mem.Cleared): the bundle of
// a channel is to the byte that of a store without what may not be told in it. The same store,
// request and instant return the same bytes; acb_id is a hash of the rest.
package bundle
