// Package sizes owns how many bytes a conversation has: of each key strictly below /session/<id>
// the newest line counts, with its newline, be it live or a tombstone.
//
// The newest line is that of the greatest ts, of equal ts that of the greater bytes, over archives
// and log; a line in two of them counts once. Whether its checksum is right, and whether it has
// expired, does not matter. So the size of a history is the same however it was read, and to add a
// line twice changes nothing: a [Tally] takes lines in any order. [History] reads them to it.
//
// It is a sidecar of the state, ROOT/cache/sizes; package sidecar has the container: when it is
// believed, its sums, what a crash leaves. Every pass of a compaction writes it, from the one
// before and the lines since. It must also cover just as much of the history as the checkpoint
// says, in bytes of archives and log together: a state may have the same bytes after more was
// folded into it. Without it the whole history is read, to the same answer. It is not kept open
// between two questions, for somebody may change it in place.
//
// # Ties
//
// Rows have no bytes of lines. Where two lines of a key have one ts and do not count alike, the key
// is tied, and [History] reads all its lines once more. Only imports and edits of the log by hand
// bring that about.
//
// # Format
//
// "memsize1", pages of 1024 bytes. The number is how many bytes of archives and log it covers. The
// sections, little-endian:
//
//	rows  20 bytes for each key, prefix by prefix, by hash:
//	      0   hash of the key, uint64: the first 8 bytes of its SHA-256
//	      8   ts of its newest line, microseconds, int64
//	      16  bytes of that line with its newline, uint32; with the highest bit for a tombstone
//	sums  40 bytes for each prefix that has rows, by hash:
//	      0   hash of the prefix /session/<id>, uint64, likewise
//	      8   bytes of the rows that are live, int64
//	      16  bytes of those that are tombstones, int64
//	      24  first row, uint64
//	      32  rows, uint64
package sizes
