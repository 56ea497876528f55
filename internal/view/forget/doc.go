// Package forget is how memories leave a store: a view above it. It finds what is to go, by key or
// by condition, deletes it or purges it ([mem.Store.Purge]), and lists what was deleted, and why.
//
// A deletion is a tombstone: the memory is in no answer any more, and its versions are in the
// history. So a condition of a deletion is asked of what is live, and of a purge of every version
// there ever was: what has to be gone may stand in an older one. A purge takes all versions of a
// key then.
//
// # The list of deletions
//
// Every tombstone in the history says when and, if it was asked for, why. Its source is
//
//	{"kind":"user","name":"mem forget","retrieved_at":TS,"reason":TEXT}
//
// and that of a purge has "purged":true besides. Other verbs leave tombstones too, with sources of
// their own (rm, undo, the cap of notes); their name stands in for a reason.
//
// It keeps nothing on disk, so a crash leaves nothing of it.
package forget
