// Package sidecar is the container of the files that stand beside a state: ROOT/cache/columns,
// fts, sizes and numbered. They are written by compaction and disposable. A sidecar is
// believed only while it names the very state.jsonl that the checkpoint names; absent, stale, cut
// short or damaged, it is not used, and its reader goes on without it. The package that owns the
// [Format] defines the sections.
//
// # Format
//
// Little-endian. The sections follow each other, without gaps. After them come
//
//	sums     the CRC-32C of every page of all sections together, uint32 each; the format says how
//	         many bytes a page has
//	footer   of a size that the format determines:
//	         numbers of the format's own, uint64 each
//	         the end of each section, counted from the beginning of the file, uint64 each
//	         bytes of state.jsonl, uint64
//	         SHA-256 of state.jsonl, 32 bytes
//	         CRC-32C of the sums, uint32
//	         CRC-32C of the footer before it, uint32
//	         magic, 8 bytes: which format it is, and in which version
//
// The magic stands last, so that it is found whatever the size of another version's footer is.
//
// The file is mapped. Footer and sums are checked when it is opened, a page of the sections when it
// is first touched. A page that cannot be read, of a file that was cut in place or of a failing
// disk, is a fault of the memory: a reader of a sidecar works within [disk.Guard], and goes on
// without it.
//
// Readers of one state share its sidecars, and keep them as long as the state: the next compaction
// replaces them first. Each reader checks the pages that it touches itself.
//
// A derived file needs no migration: one whose magic is another than the format's is stale.
//
// # After a crash
//
// The file is replaced by rename before the state that it speaks of: a crash in between leaves a
// sidecar of a state that does not exist, which nobody believes. It is not synced: what a power cut
// leaves of it is refused by its sums. A crash while it is written leaves a temporary file in
// cache/, which the next compaction removes.
package sidecar
