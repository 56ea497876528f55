// Package forget removes memories from a store: a view above it. It finds memories by key or by
// condition, deletes or purges them ([mem.Store.Purge]), and lists deletions with their reasons.
//
// A deletion is a tombstone: the memory is in no answer any more, and its versions are in the
// history. So a condition of a deletion selects live memories, and that of a purge every version
// there ever was: the text to remove may be in an older one. A purge takes all versions of a key
// then.
//
// A memory may have been elsewhere: [Follow] finds where a move or a link took it from or brought
// it, by its text and the time that a move keeps. There it is purged first: after a crash the
// memory here leads to it again.
//
// # The list of deletions
//
// Every tombstone in the history says when and, if it was asked for, why. Its source is
//
//	{"kind":"user","name":"mem forget","retrieved_at":TS,"locator":{"channel":"cli"},
//	"reason":TEXT}
//
// where a person deletes, and of the kind agent elsewhere; that of a purge has no locator, and
// "purged":true. Other verbs leave tombstones too, with sources of
// their own (rm, undo, the cap of notes); their name stands in for a reason.
//
// It keeps nothing on disk, so a crash leaves nothing of it.
package forget
