// Package ledger keeps the events of agents, and their decisions, tasks, handoffs and artifacts: a
// view above the Store, with no log and no lock of its own. Package bundle chooses the records that
// a model receives.
//
// # Stored records
//
//	/event/<session>/evt_<ulid>   an event: append-only, kept for good ([Event])
//	/decision/dec_<ulid>          a decision, its reasons and references ([Decision])
//	/task/task_<ulid>             a task ([Task])
//	/handoff/<session>/<agent>    a message from one agent to the next ([Handoff])
//	/artifact/art_<ulid>          metadata of a kept file ([Artifact]); its bytes are in
//	                              artifacts/<sha256>, written and synced before
//
// An event has at its top type (its kind), session_id, agent_id, channel, sensitivity, actor, tags,
// content, refs and chunker. What looks like a secret is stored as "[redacted: RULE]" and no event
// is refused for it, unless it stands in the session's id; of an event whose sensitivity is secret
// the content is {"redacted":true}. A text of more than [MaxText] bytes is an artifact, and the
// event has an excerpt. A record of sensitivity high has session_id, channel and sensitivity, and
// all other members in sealed (package seal), which no search finds.
//
// A sender may give an event its id, so that it can send the event again: the same event is then
// answered as before and not stored, another one is refused ([ErrTaken]). The ids of what an event
// brings follow from its own. A list is stored in one update ([Book.RecordEach]); only where an
// event is refused within it, the halves are stored by themselves, so a crash then may leave the
// first part of a list, each event of it whole with what it brings.
//
// An event of kind decision or task_update whose content names a decision or a task stores that
// too, in the same update: it refers to the event, has its source, and is visible only where the
// event is. Text that is redacted in the event is redacted in it too.
//
// A crash leaves a record whole or not at all, and at the worst a file that no artifact names. A
// write of a record that names a file checks within the update that the file exists, for a purge
// may have removed it meanwhile.
//
// # Chunks
//
// Texts are retrieved in chunks. They are derived and never stored: the same text and version of
// the rules return the same chunks forever. The id of a chunk, chk_<ulid of the event><number in
// three hex digits>, and the member chunker of the event, its version of the rules, say which part
// of the text it is.
//
// A chunk costs at most 400 tokens by [readout.Tokens] of its own text. It begins after the white
// space behind the last one, and has as much as fits of the largest unit of which one fits whole:
//
//	paragraphs  up to a blank line, which may have spaces in it
//	lines       up to the end of a line
//	sentences   up to . ! ? … before white space, or 。！？｡, with the quotes and brackets behind
//	words       up to the end of a piece, as the estimate cuts a text
//	characters  of a piece that is longer than a chunk, like base64 or Chinese without punctuation
//
// So small paragraphs are joined until one more would not fit. Of a paragraph that is too long,
// lines are taken; the rest of it is joined with the next.
//
// Chunks come in order and do not overlap. None is empty, or begins or ends with white space, and
// no character is cut. Only white space is in no chunk.
//
// The rules, and the estimate of tokens with its vocabulary, make a version. A change of either
// that moves a cut is a new version, and the old one stays as it is: testdata/mixed.txt and the
// cuts beside it hold that.
//
// A text has at most [MaxText] bytes, and so at most some 1,070 chunks: five in a row cost more
// than 400 tokens together, and a byte costs at most 1.3.
package ledger
