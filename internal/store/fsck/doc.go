// Package fsck holds a store against its invariants and repairs it. Each [Check] is one invariant
// with a number that is kept forever; [Checks] lists them.
//
// [Checker.Run] takes hold of log, state and checkpoint as they are at one moment and looks at
// everything without the lock; [Checker.Reverify] looks again, under it, at what seemed wrong: a
// writer at work is never taken for damage, and writers wait for a moment however large the store
// is. [Repairer] keeps every undamaged record, and puts every byte that it takes away into
// quarantine/ first, synced.
//
// No repair makes an archive that the checkpoint lists and that is not at hand (F16), or the
// file of an artifact (F19) go away as a finding, but for an archive whose loss a person accepts
// (Repairer.Accepted): once the history has all that the state knows of it, the checkpoint lists
// it no more, and one that comes back is history as any other. Where git tracks the log none is
// one, and no repair takes anything in from state or index. A file in artifacts/ that no live
// artifact is about (F21) counts as left behind once it is ten minutes old, for its writer may
// be about to name it, and only where all of the history can be read: a damaged line may be what
// names it. A record counts as future (F04) only where the records do not agree with its time:
// see the comment in future.go; with a new time nothing of the wrong one is kept. Hand edits in
// index/ are taken in by Edits and EditsIn, as writes of memories that are as old as they were.
//
// # Lost lines
//
// Where the log is gone, empty or cut off, lines come back from index/, as package
// filestore takes them in at the next write: with their own source, mark and time, so a line that
// was no rule of the user is none then. A program that can write below the root can plant such a
// file, with a checksum that is right; it can as well append to log.jsonl, and neither is
// prevented. So no line is doubted for coming from there, and a file that is not to the byte a
// sealed line is not taken: only --adopt stores it, as a person's write.
//
// A damaged line of up to 4 KiB of which one bit has flipped is restored, for its checksum says
// which. Another may be a tombstone. What it has deleted stays so where a state was made after it,
// or both its place and the time that it shows are later than the memory. Where they are not, or
// the time cannot be read, the memory is live, and the finding names it with both times. A line
// that does not show its key, or whether it is a tombstone, may have deleted any memory, and its
// finding says so (F02, F03), as does that of a live key without a file (F05), for a deletion
// removes the file. The same is said where the log is shorter than the watermark says (F12).
//
// # After a crash
//
// A repair may be killed anywhere: it sets damaged bytes aside and syncs them before it takes them
// out of a file, and replaces files whole, so a second repair finds either the damage or its
// repair.
package fsck
