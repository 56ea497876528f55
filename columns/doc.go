// Package columns keeps what ranking needs of every line of state.jsonl in fixed-width rows, so that a read scores a million memories
// without parsing a line of JSON, and then reads only the lines it prints.
//
// It is a sidecar, ROOT/cache/columns: written by compaction, disposable, believed only while it names the very state.jsonl that the
// checkpoint names. Absent, stale, cut or damaged, it is not used, and the same answer comes slower.
//
// # Format
//
// Little-endian. A header of 64 bytes:
//
//	0   "memcol1\n"
//	8   rows, uint64
//	16  bytes of the string table, uint64
//	24  bytes of state.jsonl, uint64
//	32  first 28 bytes of the SHA-256 of state.jsonl
//	60  CRC-32C of the file, with these four bytes zero
//
// then the rows, 56 bytes each, in the order of the state's lines, which is that of the keys:
//
//	0   ts, microseconds, int64
//	8   expired_at, microseconds, int64; the greatest int64 for none
//	16  offset of the line in state.jsonl, uint64
//	24  hash of the key, uint64 (FNV-1a)
//	32  importance in 0..1, float64
//	40  bytes of the line without its newline, uint32
//	44  type, offset in the string table, uint32
//	48  tags, offset in the string table, uint32: the entry is a JSON array of strings
//	52  zero
//
// then the string table: uint32 length and bytes of each entry; the one at offset 0 is empty.
//
// # After a crash
//
// The file is replaced by rename before the state that it speaks of: a crash in between leaves columns of a state that does not
// exist, which nobody believes.
package columns
