// Package census counts what a store holds: how many memories, how old, by namespace and by author,
// and how many came in on each of the last days. It is a view above the Store, which reads all of
// it and writes nothing: 100 ms for 100,000 memories. What is kept of a count, and for how long, is
// the business of who asks (mem.Mark says when it may have changed).
//
// An author is the agent that the source names, else "you" for a user, else the kind of the source.
// What is quarantined, what has expired and what agents keep for themselves is counted apart, and
// is in no group.
//
// It keeps nothing on disk, so a crash leaves nothing of it.
package census
