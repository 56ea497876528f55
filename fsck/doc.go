// Package fsck holds a store against its invariants and repairs it. Each [Check] is one invariant
// with a number that is kept forever; [Checks] lists them.
//
// [Checker.Run] takes hold of log, state and checkpoint as they are at one moment and looks at
// everything without the lock; [Checker.Reverify] looks again, under it, at what seemed wrong: a
// writer at work is never taken for damage, and writers wait for a moment however large the store
// is. [Repairer] keeps every undamaged record, and puts every byte that it takes away into
// quarantine/ first, synced.
//
// # After a crash
//
// A repair may be killed anywhere: it sets damaged bytes aside and syncs them before it takes them
// out of a file, and replaces files whole, so a second repair finds either the damage or its
// repair.
package fsck
