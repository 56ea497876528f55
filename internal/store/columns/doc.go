// Package columns keeps what ranking needs of every line of state.jsonl, laid out so that a passive
// read touches the best of it and nothing else: a store of a million memories costs no more than
// one of a thousand.
//
// It is a sidecar of the state, ROOT/cache/columns; package sidecar has the container: when it is
// believed, its sums, what a crash leaves.
//
// # Why bands
//
// The score of a memory changes with every second that passes, so no order of all memories lasts.
// But of two memories of one type and one importance the newer scores at least as much as the
// older, today and ever after. Rows are therefore kept in bands: one for each type, realm and
// hundredth of importance there is, the newest row first, by the time of the memory. A band
// promises the upper end of its hundredth, so that there are at most 101 of a type however finely
// importance is told apart; the row has it exactly. A read takes the best of the bands' first rows,
// then the next best, and stops when its page is full (package state merges them). What lies deeper
// in a band is never touched. What belongs to one agent has bands of its own, which others pass
// over.
//
// # Format
//
// "memcol8\n", pages of 4096 bytes, without numbers. The sections, little-endian:
//
//	bands     40 bytes each:
//	          0   importance in 0..1, a whole number of hundredths, float64
//	          8   type, offset in the strings, uint32
//	          12  class of the namespace (keypath.Class) + 256 * label, uint32
//	          16  owner in that class, offset in the strings, uint32
//	          20  uint32: 1 where something has taken the place of its rows, + 2 where they say
//	              that they are rules (content.Fields.IsRule)
//	          24  first row, uint64
//	          32  rows, uint64
//	rows      56 bytes each, band by band, the newest first, of one time in the order of their
//	          keys:
//	          0   ts, microseconds, int64
//	          8   time of the memory, microseconds, int64
//	          16  expired_at, microseconds, int64; the greatest int64 for none
//	          24  importance in 0..1, float64
//	          32  offset of the line in state.jsonl, uint64
//	          40  hash of the key, uint64: the first 8 bytes of its SHA-256
//	          48  bytes of the line without its newline, uint32
//	          52  tags, offset in the strings, uint32: the entry is a JSON array of strings
//	lines     for every line of the state, in their order, its row, uint32
//	hashes    for every row, by hash, 12 bytes: the hash, uint64, and the row, uint32. They find
//	          what the log has replaced since
//	expiries  expired_at, int64, of all rows that have one, group by group, ascending. They
//	          count what is over by now
//	groups    of the expiries, by realm, 12 bytes: class and label, owner (as in bands), end of
//	          the group, uint32
//	strings   uint32 length and bytes of each entry; the one at offset 0 is empty
package columns
