// Package ledger keeps all that happens to agents, and what was decided, is to be done and was
// handed over: a view above the Store, with no log and no lock of its own. What of it is told to a
// model is package bundle's to choose.
//
// # What is stored
//
//	/event/<session>/evt_<ulid>   what happened: append-only, kept for good ([Event])
//	/decision/dec_<ulid>          what was decided, and what it rests on ([Decision])
//	/task/task_<ulid>             what is to be done ([Task])
//	/handoff/<session>/<agent>    what one agent tells the next ([Handoff])
//	/artifact/art_<ulid>          what is known of a kept file ([Artifact]); its bytes are in
//	                              artifacts/<sha256>, written and synced before
//
// An event has at its top type (its kind), session_id, agent_id, channel, sensitivity, actor, tags,
// content, refs and chunker. What looks like a secret is stored as "[redacted: RULE]" and no event
// is refused for it, unless it stands in the session's id; of an event whose sensitivity is secret
// the content is {"redacted":true}. A text of more than [MaxText] bytes is an artifact, and the
// event has an excerpt. What is of sensitivity high has session_id, channel and sensitivity, and
// all else in sealed (package seal), which no word leads to.
//
// A crash leaves a record whole or not at all, and at the worst a file that no artifact names. Who
// stores a record that names a file looks within the update whether it is there: a purge may have
// taken it away since.
//
// # Chunks
//
// Texts are retrieved in chunks of at most 400 tokens. They are derived and never stored (B-09):
// the id of a chunk, chk_<ulid of the event><number in three hex digits>, and the version of the
// chunker that the event keeps say which part of the text it is (package chunk).
package ledger
