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
//	            members of the position, in the words of who keeps the history
//	max_ts      newest ts covered
//	keys        lines of state.jsonl
//	state_size  bytes of state.jsonl
//	state_sum   SHA-256 of state.jsonl
//	written     when it was written, for people
//	expired_by  by when what has expired may be missing from the state
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
// [View.Rank] merges the bands of the ranking columns (package columns) with what came since, and
// reads a line of the state only when it is asked for that row. [View.Search] asks the full text
// (package fts) and holds each candidate against the conditions by its columns. [View.Select] looks
// at the rows that a prefix has, or at the bands, for conditions without words. All return the
// same where the sidecars are absent, stale or damaged: then everything is read. A realm is left
// out band by band. Conditions on single records ([backend.Where]) are asked
// last: of a row when it is its turn, of a candidate when it is good enough to be a hit.
//
// [View.Has] and [View.Get] find a key by its hash in the columns, and by bisection of state.jsonl
// where those cannot be used.
//
// # After a crash
//
// A [Draft] is written under temporary names; its sidecars, with those that another package has
// attached, are renamed first, and nobody believes them before the state that they name by its
// checksum is there. The rename of state.jsonl is the commit point. Between it and checkpoint.json
// the old checkpoint does not fit the new state by its size, or covers less of the history, and
// more is folded than needed.
package state
