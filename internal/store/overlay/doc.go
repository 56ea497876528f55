// Package overlay is one update of a store while it runs: what it sees, which is what the store has
// with what the update and those of its group before it have put over that, and what it puts. The
// rules of both are here, for every store: stamps, imports, numbers and merged reads. A store reads
// what it has ([Base]), and appends what a group leaves ([Group.Batch]).
//
// Nothing of it outlives the process: a crash leaves what the store had appended.
package overlay
