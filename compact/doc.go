// Package compact owns what is derived from the log: the fold, state.jsonl and its checkpoint, the
// healing of a store by its next writer, and the checks and repairs of fsck. It holds the rule by
// which a store is read as one consistent whole.
//
// # The fold
//
// Of the records of one key the newest ts wins, of equal ts the greater line ([Fold]): last writer
// wins. The fold is commutative, associative and idempotent, so archives and logs may be met in any
// order, with any line twice. A key whose newest record is a tombstone is not live.
//
// # Format
//
// state.jsonl holds the newest line of every live key, as it stands in the log, sorted by key: the
// same live set gives the same bytes. Expired keys leave it at a compaction. checkpoint.json
// ([Checkpoint]) says which bytes of which log.jsonl it covers (inode, offset, sum of the last line
// there) and which state.jsonl it speaks of (size, SHA-256), sealed with a checksum of its own.
//
//	live = LWW( state.jsonl, log.jsonl from checkpoint.offset on )      where checkpoint, state and log fit
//	live = LWW( archive/*, log.jsonl )                                  else
//
// The second line is the truth and the first its shortcut. A log that has gained lines which are
// not newer than all before them was written by other hands (a merge, an editor, a copied file),
// and then only the whole history decides.
//
// # A write
//
// Under the lock: [OpenWriter] compares log, watermark and boot id and heals what differs;
// [Writer.Append] writes the lines and syncs them once, brings index/ to them, then the watermark.
// The order is log, index, watermark; readers go the other way.
//
// # A compaction
//
// [Job.Run] takes the lock to heal and to note where the log ends; lets go, merges state and tail
// into a new state under a temporary name, and compares the names in index/ with the live keys as
// they pass; takes the lock again and puts in place, in this order: what is amiss in the index, the
// columns, state.jsonl (the commit point), checkpoint.json, and if the log has passed its limit the
// archived segment and a new log.jsonl with what was appended meanwhile. The generation in the
// watermark is odd while it renames, so that readers look again and the next writer knows of a
// crash in between.
//
// # After a crash
//
//   - Before the rename of state.jsonl: temporary files, which fsck removes. Nothing else has changed.
//   - Between state.jsonl and checkpoint.json: the old checkpoint does not fit the new state, or covers less of the log. More is folded than
//     needed. The generation is odd, and the next writer writes both anew.
//   - Between the archived segment and the new log.jsonl: the covered lines are in both, and folding them twice changes nothing.
//   - Between the new log.jsonl and its checkpoint: the checkpoint speaks of another inode; archives and log are folded.
//   - After a reboot, renames in index/ may be lost: the next writer replays the log from the checkpoint, before which the whole tree was synced.
//
// A repair may be killed anywhere too: it sets damaged bytes aside and syncs them before it takes
// them out of a file, and replaces files whole, so a second repair finds either the damage or its
// mending.
//
// # Decisions beyond the design
//
// The live segment is rotated as a copy, because a rename would leave an instant without log.jsonl,
// and readers, cat and tail -f among them, hold its name. The commit does not fold what was
// appended during the compaction: the checkpoint covers what the survey saw, the lock is held for
// some renames and no more, and the rest is the next compaction's tail.
package compact
