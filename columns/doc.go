// Package columns keeps what ranking needs of every line of state.jsonl, laid out so that a passive read touches the best of it and
// nothing else: a store of a million memories costs no more than one of a thousand.
//
// It is a sidecar, ROOT/cache/columns: written by compaction, disposable, believed only while it names the very state.jsonl that the
// checkpoint names. Absent, stale, cut or damaged, it is not used, and the same answer comes slower.
//
// # Why bands
//
// The score of a memory changes with every second that passes, so no order of all memories lasts. But of two memories of one type and one
// importance the newer scores at least as much as the older, today and ever after. Rows are therefore kept in bands: one for each type and importance there
// is, the newest row first. A read takes the best of the bands' first rows, then the next best, and stops when its page is full (package
// readout merges them). What lies deeper in a band is never touched.
//
// # Format
//
// A stream of sections, cut into pieces of 4,092 bytes each followed by the CRC-32C of the piece: one block for one page of memory, checked when it is first touched.
// Little-endian. A header of 80 bytes:
//
//	0   "memcol2\n"
//	8   bands, uint64
//	16  rows, uint64
//	24  expiries, uint64
//	32  bytes of the string table, uint64
//	40  bytes of state.jsonl, uint64
//	48  SHA-256 of state.jsonl
//
// then the bands, 32 bytes each:
//
//	0   importance in 0..1, float64
//	8   type, offset in the string table, uint32
//	12  1 for memories under /untrusted, which no read shows, else 0, uint32
//	16  first row, uint64
//	24  rows, uint64
//
// then the rows, 40 bytes each, band by band, the newest first, of one ts in the order of their keys:
//
//	0   ts, microseconds, int64
//	8   expired_at, microseconds, int64; the greatest int64 for none
//	16  offset of the line in state.jsonl, uint64
//	24  hash of the key, uint64: the first 8 bytes of its SHA-256
//	32  bytes of the line without its newline, uint32
//	36  tags, offset in the string table, uint32: the entry is a JSON array of strings
//
// then for every line of the state, in their order, its row, uint32; then for every row, by hash, 12 bytes: the hash, uint64, and the row, uint32. It finds what the log has replaced since. Then the expiries
// of all rows that have one and may be shown, ascending, int64 each: it counts what is over by now. Then the string table: uint32 length and bytes of each
// entry; the one at offset 0 is empty.
//
// # After a crash
//
// The file is replaced by rename before the state that it speaks of: a crash in between leaves columns of a state that does not
// exist, which nobody believes.
package columns
