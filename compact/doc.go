// Package compact is the job that folds a long log into a new state and moves the log to archive/.
// It runs while readers and writers go on, and owns no file: state.jsonl and its checkpoint are
// package state's, log, archives and index are written through filestore's writer.
//
// # A compaction
//
// [Job.Run] takes the lock to heal the store and to note where its log ends; lets go, merges state
// and tail into a new state under a temporary name, and compares the names in index/ with the live
// keys as they pass (indexDiff); removes expired keys from the index, some at a time under the
// lock, so that writers come in between; takes the lock once more and puts in place, in this order:
// the index's missing and superfluous files, the sidecars, state.jsonl (the commit point),
// checkpoint.json, and if the log has passed its limit (and git does not track it) the archived
// segment and a new log.jsonl with the lines appended meanwhile. The generation in the watermark is
// odd while it renames, so that readers look again and the next writer knows of a crash in between.
//
// # When, and how often
//
// One is due when the log has an eighth of the state's bytes behind the checkpoint, at least 256
// KiB and at most 16 MiB, and when ten times the last one's duration has passed: so the bytes that
// compactions write stay in proportion to the bytes of the log, and their processor time stays
// below a tenth of one core. A batch that appends without a pause is compacted as often as that
// allows, and is not complete in the state when it ends. One runs at a time: cache/compacting is
// locked meanwhile, with IfNeeded a second one leaves at once, and the one that runs may remove
// what killed ones have left.
//
// A tail longer than [DefaultPass] is folded in several passes, each a compaction of its own, so
// that memory stays bounded; only the last one writes sidecars, but for the
// sizes, which each makes from those of the one before.
//
// A compaction that a person or cron starts also looks at every file in index/, and reads those
// whose size or time of change does not fit the last one that did so (checkpoint: compared). One
// that a write starts compares names only.
//
// The time of change is the one that programs cannot set (ctime), and the last comparison counts
// from two seconds before its beginning, by the clock of the file system, for times that move in
// steps. So the next comparison finds an edit in place of the same size, and a file that cp -a or
// rsync has brought back. Where the clock is before the last comparison, all files are read. Only
// fsck finds a change while the clock was set back, if it is right again by the comparison, and on
// Windows one that sets the file's time back.
//
// A compaction that a person starts removes from state and index the records that have expired by
// now; one that cron (--if-needed) or a write starts removes those that have expired by min(now,
// the store's newest ts), so that a clock that is ahead removes nothing. The checkpoint has the
// newest expiry of what was removed (expired_by): a reader whose time is not past it folds the
// history.
//
// # After a crash
//
//   - Before the rename of state.jsonl: temporary files, which the next compaction removes. Expired
//     keys may have left the index; the old state still has them, also expired.
//   - Between state.jsonl and checkpoint.json: the old checkpoint does not fit the new state, or
//     covers less of the log. More is folded than needed. The generation is odd, and the next
//     writer writes both anew.
//   - Between the archived segment and the new log.jsonl: the covered lines are in both, and
//     folding them twice changes nothing.
//   - Between the new log.jsonl and its checkpoint: the checkpoint speaks of another inode;
//     archives and log are folded.
//
// The live segment is rotated as a copy, because a rename would leave an instant without log.jsonl,
// and readers hold its name. The commit does not fold lines that were appended meanwhile: they are
// the next compaction's tail.
package compact
