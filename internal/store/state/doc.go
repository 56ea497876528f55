// Package state owns what a compaction leaves behind: state.jsonl, checkpoint.json and the
// sidecars in cache/, and the view that merges them with what came after. It knows no log: what
// came after the checkpoint reaches it as records, and what the checkpoint covers is an opaque
// [Position], so that a store of another kind can keep its state here too.
//
// # Format
//
// state.jsonl holds the newest line of every live key, as it stands in the log, sorted by key: the
// same live set yields the same bytes. Expired keys leave it at a compaction. checkpoint.json
// ([Checkpoint]) is one JSON object, sealed with a checksum by the rule of a log line:
//
//	v           format version
//	            members of the position, in the words of the store of the history
//	max_ts      newest ts covered
//	keys        lines of state.jsonl
//	state_size  bytes of state.jsonl
//	state_sum   SHA-256 of state.jsonl
//	written     when it was written, for people
//	expired_by  the time at which all live records that the state lacks have expired
//
// # The fold
//
// Of the records of one key the newest ts wins, of equal ts one with a checksum, then the greater
// line ([Fold]): last writer wins. The fold is commutative, associative and idempotent, so
// histories may be met in any order, with any line twice. A key whose newest record is a tombstone
// is not live.
//
//	live = LWW( state.jsonl, records since the checkpoint )     where the state can be used
//	live = LWW( the whole history )                             else
//
// The second line is the truth and the first its shortcut. Where a line of the state turns out
// damaged, [View] goes on from there by the second.
//
// # Ranking and searching
//
// [View.Rank], [View.Search] and [View.Select] return the same where sidecars are absent, stale or
// damaged: then everything is read. Conditions on single records ([backend.Where]) are asked last:
// of a row when it is its turn, of a candidate when it is good enough to be a hit. A key is found
// by its hash in the columns, or by bisection of state.jsonl.
//
// # The ranking columns
//
// ROOT/cache/columns is a sidecar of the state with the values of every line that ranking needs
// (package sidecar has the container). The score of a memory changes with every second, but of two
// memories of one type and one importance the newer always scores at least as much. So rows are
// kept in bands: one for each type, realm and hundredth of importance, the newest row first. A band
// promises the upper end of its hundredth, so that there are at most 101 of a type; the row has the
// importance exactly. A read takes the best of the bands' first rows, then the next best, and stops
// when its page is full: rows deeper in a band are never touched.
//
// The file is "memcolC" and [keypath.Edition], pages of 4096 bytes, without numbers. The sections,
// little-endian:
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
//	          count the rows that have expired
//	groups    of the expiries, by realm, 12 bytes: class and label, owner (as in bands), end of
//	          the group, uint32
//	strings   uint32 length and bytes of each entry; the one at offset 0 is empty
//
// # A state after another
//
// It takes over what columns and full text have of the lines that stay, and the files are the same,
// byte for byte. The old ones are believed if all lines of the old state pass by to the byte, so a
// line that was changed beneath them is not; else everything is built anew. A change of the rules
// by which rows are made needs another magic.
//
// # After a crash
//
// A [Draft] is written under temporary names; its sidecars, with those that another package has
// attached, are renamed first, and nobody believes them before the state that they name by its
// checksum is there. The rename of state.jsonl is the commit point. Between it and checkpoint.json
// the old checkpoint does not fit the new state by its size, or covers less of the history, and
// more is folded than needed.
package state
