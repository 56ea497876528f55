// Package inject puts memories into an agent's conversation by itself: a view above the Store. At
// its start a conversation is told what a read brings, at a prompt what stands above the floor of
// package fts and was not told before; a sub-agent has a context of its own. Where the
// configuration says recent_only, a prompt is told the newest notes instead (package note).
//
// A start begins with what is pinned (policy.IsPinned), the most important first and the oldest of
// equal importance, in at most half of its budget; the block counts those that have no room. So a
// rule that was given once is heard at every start, however many newer memories there are.
//
// [Choose] asks as a reader does: no lock, no write. What arrived is recorded afterwards ([Record])
// in injections.jsonl: keys, times and a short sum of what each line said, no texts. The sum is an
// HMAC under a random key of this machine (backend.Journal), so that nobody confirms a guess by the
// record alone. That is best effort as the journal: if a crash or a read-only disk keeps the record
// from being written, a memory is told twice. The record says, too, what the conversation had lost
// by then ([Retained]): clients differ in what a resumed one brings back.
//
// An injection that did not arrive is recorded with the reason, too ([Injection.Missed]). The next
// prompt then delivers the start, before its own answer and within the limit of one block.
//
// # No repetition
//
// What a conversation has in its context it is not told: a memory in the version that it was told,
// the words that it was told, whatever their key and however new (content.FoldText), and what it
// has written itself, as its source says. It has all that until its client says that it was lost.
//
// # Costs
//
// [NewBill] adds up the tokens of that record by day, client, project or conversation. It goes back
// as far as the record does, of which the older half is removed at 256 KiB.
//
// # Lines
//
// A line names its memory as verbs take it (readout.Labels). An id stands for a key where nothing
// that those see who ask with it has the same id ([Options.Names], note.Alone): a hook tells less
// than get finds, as notes of the user's store that are of no project.
//
// # What an agent keeps for itself
//
// Where the hook was wired for an agent ([Options.Personal]), a start of its conversation brings
// the page of its journal and core, too (package journal), as a part of the block behind the
// memories, of at most two thirds of it; config.json says how many tokens of the core. It is told
// again when something was added, or lost. No other part of a block has any of it.
//
// # Layers
//
// Where the store is several that are read together ([Options.Layered]), the block has parts
// (package readout) and the record names the layer of each memory, for a key of the user's that one
// of the project shadows later is another memory. Of the notes of scope session, those below
// /note/session, a conversation is then told its own: those whose source is
//
//	{"kind":"agent","name":CLIENT,"locator":{"session":ID}}
//
// as that of every write from within a client is. In one store scopes filter nothing.
package inject
