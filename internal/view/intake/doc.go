// Package intake fills the memory from a person's work without a model: a view above the Store and
// the inbox (package inbox). The words and commands are judged by package capture.
//
//	prompt ──► Asked ──┬─► a live note that quotes the user       [Take]
//	                   └─► a proposal
//	tool ────► a step in the conversation's journal               [Record]
//	end of a conversation, compaction, or the next start ──► at most 5 proposals  [Derive]
//	transcript ──► proposals alone                                [Import]
//	proposal ──► a person approves it ──► a note, or a record     [Approve]
//
// # Stored at once
//
// Only the text of a prompt that its client marks as typed, that asks for it plainly
// (capture.Store), in a conversation whose settings allow it (capture.user), and where the note
// goes to a store that only this person reads and writes: never to a .mem that git tracks, and
// never to a server. Anything short of that is a proposal (capture.propose). The note has the
// person as its source, with the client, the conversation and the project, and is not pinned.
//
// # Proposals
//
// A proposal is no record: it lies in the inbox, is never injected or found, and becomes one only
// by the decision of a person. A text that looks like a secret is not proposed; of a command that
// does, only the program's name is in the journal.
//
// Nothing is kept here. After a crash a note is stored or not; a derivation that did not end is
// made again at the next start.
package intake
