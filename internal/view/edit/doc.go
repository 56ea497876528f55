// Package edit changes memories that are there: a view above the Store, which writes plain
// envelopes through its public API, so that policy, secrets, sizes and history hold as for a set.
//
// Every edit reads, decides, and stores in one update on the condition that nobody wrote to what it
// read meanwhile; the error is a *mem.ConflictError if somebody did, and nothing is stored. What an
// edit writes to several keys is stored in one append, or not at all; only the undo of a command
// with more than 2,000 keys is stored in groups (undo_groups.go).
//
// The history of edits is read here, too, archives included: [ListChanges] returns the writes of
// all keys, newest first, in one pass that keeps no more than it returns; [FindPair] two versions
// of one key, to be compared by [DiffLines].
//
// # Time
//
// A memory that is renamed, touched, brought back or superseded says what it said before, so it is
// as old as it was: its content gets the time of the version that it was in as created_at, unless
// it names one (content.KeepTime). What somebody has typed anew ([Replace]) is of now.
//
// # Source
//
// Where a text is from does not change with its tags. So a version that [Touch], [Supersede] or
// [Undo] writes has the source of the version whose text it repeats, with a member that names the
// edit:
//
//	{"kind":"web",...,"edited":{"verb":"mem touch","at":"2026-02-22T10:00:00.000000Z"}}
//
// A source that was a text becomes {"name":text,...}, or {"url":text,...}. [Rename] keeps the
// source byte for byte; the tombstone says where the memory went. [Merge] makes a source of its
// own, whose locator names the keys. Its kind is web, tool or file if that of one of them was: text
// from outside does not become a user's by being merged. A source that the caller gives stands as
// it is. All of these keep the mark of a version for which no person vouches (content.Claim).
//
// An undo of a whole command ([UndoCommand]) names in this member, or in the locator of a
// tombstone, the version that it takes back (undone) and the operation that had stored it
// (command). By that the next undo knows which part a killed undo has stored, and a person's
// restore of a backup knows the lines of an import that was taken back: no other deletion gives way
// to them.
//
// # After a crash
//
// Nothing is kept here. An update is stored as a whole or not at all. A crash within the undo of a
// command that wrote to several stores leaves some of them undone; the next one, or the next write
// to one of these stores, stores the rest.
// A crash within the undo of a large command leaves whole groups of its keys undone; the next undo
// stores the rest.
package edit
