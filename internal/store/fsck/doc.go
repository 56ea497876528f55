// Package fsck holds a store against its invariants and repairs it. Each [Check] is one invariant
// with a number that is kept forever; [Checks] lists them.
//
// [Checker.Run] takes hold of log, state and checkpoint as they are at one moment and looks at
// everything without the lock; [Checker.Reverify] looks again, under it, at what seemed wrong: a
// writer at work is never taken for damage, and writers wait for a moment however large the store
// is. [Repairer] keeps every undamaged record, and puts every byte that it takes away into
// quarantine/ first, synced.
//
// No repair makes an archive that the checkpoint lists and that is not at hand (F16), or the file
// of an artifact (F19), go away as a finding; where git tracks the log neither is one, and no
// repair takes anything in from state or index. A file in artifacts/ that no live artifact is about
// (F21) counts as left behind once it is ten minutes old, for its writer may be about to name it,
// and only where all of the history can be read: a damaged line may be what names it. A record
// counts as future (F04) only where the records do not agree with its time: see the comment in
// future.go; with a new time nothing of the wrong one is kept. Hand edits in index/ are taken in by
// Edits and EditsIn, as writes of memories that are as old as they were.
//
// # After a crash
//
// A repair may be killed anywhere: it sets damaged bytes aside and syncs them before it takes them
// out of a file, and replaces files whole, so a second repair finds either the damage or its
// repair.
package fsck
