// Package mem is an agent's memory as plain files: the Store, and the public Go API of everything
// that the command mem can do.
//
// A write, start to end: [Store.Set] takes a key, content and source; package keypath has parsed
// the key, policy decides whether it may enter (provenance, sizes, secrets), and under the lock
// package compact's Writer appends one envelope to log.jsonl (fsync), mirrors it into index/ and
// moves the watermark. When Set returns nil, the write is on disk.
//
// A read: a compact.View merges state.jsonl with the fold of the log behind the checkpoint, without
// a lock; [Store.Read] ranks what is live and packs it into a token budget (package readout).
// [Store.Get] reads one index file.
//
// This package is the only place where the parts are put together, and holds what concerns more
// than one of them: the configuration, compare-and-set, batches, imports and exports, the
// quarantine of untrusted writes, notes, and the journal of what ran. Each front-end (command line,
// hooks, servers) calls these functions in-process. Only package setup, which writes mem's hooks
// into the files of coding agents, stands beside it: it knows no store.
//
// # Decisions beyond the design
//
// A batch is checked as a whole before its first byte is written, but appended in groups of 10,000
// lines or 4 MiB, each under a lock of its own: holding the lock for a hundred thousand index files
// would make other writers run into their five seconds. A batch cut short by a crash has then
// stored whole groups, or lines up to some point within one; each line is complete.
//
// An import ([Store.Import]) of another program's memories (package exchange) is such a batch, in
// which what a key holds already is left out: asked under the lock, for somebody else may have
// written it since. Where lines without a time share a key the last counts, or a second import
// would find each of them changed again. An export ([Store.Export]) takes no lock. Of a folder, a
// crash leaves whole files: topics first, then MEMORY.md, then the removal of what is gone; and
// perhaps a hidden temporary file, which nothing reads.
//
// A note ([Store.Note]) is an envelope at /note/<scope>/m-<number>. Its number is chosen under the
// lock and never given again. That depends on every note that ever was, for a compaction drops the
// tombstones of deleted ones from the state; so the sidecar cache/notes keeps the highest number
// and how far the history has been looked through for it. The number only rises: whatever a crash,
// a copy or a deletion does to the sidecar, the worst is that the history is read again. It is
// written after the append, without a sync, when reading on from it would take longer than writing
// it, and believed only under its checksum.
//
// An injection ([Store.Inject]) puts memories into an agent's conversation by itself: at its start
// what a read brings, at a prompt what stands above the floor of package fts and was not told
// before. It asks as a reader does: no lock, no write. What arrived is recorded afterwards
// ([Store.Injected]) in injections.jsonl, keys and times only, best effort as the journal: if a
// crash or a read-only disk keeps the record from being written, a memory is told twice. The record
// says, too, what the conversation had lost by then ([Kept]): clients differ in what a resumed one
// brings back.
//
// [Store.Delete] of a key without a live memory writes no tombstone and says so: an agent that
// misspells a key should hear of it.
package mem
