// Package filestore keeps a memory in files. It owns the root as a whole ([Layout]), the lock and
// the watermark, the healing of a store by its next writer, and the rule by which a store is read
// as one consistent whole. Package upkeep joins it with compactions, checks and repairs: that is
// the backend (package backend) behind every root. What each file holds is the business of the
// packages below: log, index, state.
//
// # A write
//
// [Store.Update] queues; the first caller leads and writes for all that wait (group commit): lock,
// [Files.OpenWriter], which compares log, watermark and boot id and heals what differs, the
// updates' own functions, then [Writer.Append]: the lines with one write and one fsync, index/
// brought to them, the watermark. The order is log, index, watermark; readers go the other way.
//
// A root that another directory has replaced is opened anew: after locking, the lock's inode is
// compared with that of `lock` below the open root, and before the append the root's with that of
// its path. Nothing is acknowledged into the old one. A long job on the files of one root, as a
// compaction or a repair, ends with disk.ErrMoved instead, and has changed neither.
//
// # The lock of compactions
//
// cache/compacting is locked while a compaction runs (see state.Compacting); writers do not look at
// it. Its first 128 bytes name the holder, as in `lock`, the next ones when the last compaction
// began and ended, as a JSON object. Removing it while it is locked loses nothing: of two
// compactions at the same time only one commits. Where it cannot be locked nothing is compacted.
//
// # An update of several stores
//
// cache/half is a note of an update of this store and others, from before the first of them appends
// until the last has ([Store.SetHalf]); what it says is the business of package mem. Every update
// looks for it. Without it one that was killed stays as it is.
//
// # The configuration
//
// config.json belongs to people: its text is handed on as it is, and no reader fails for what it
// says. [Store.SetConfig] replaces it under the lock; where an editor, which takes no lock, has
// saved another text meanwhile, the change is made in that again. A crash leaves the old file or
// the new one, whole, and perhaps a temporary one.
//
// # A read
//
// [Store.Snapshot] reads the watermark, opens what it needs, reads the watermark again, and starts
// over where the generation moved. The view is kept: the next reader takes it as it is, or
// extended by what the log has gained, unless generation, inode, size or the last line say that it
// is another log. Readers take no lock and wait for nobody.
//
//	live = LWW( state.jsonl, log.jsonl from the checkpoint's offset )  where the three fit
//	live = LWW( archive/*, log.jsonl, state.jsonl )                    else
//
// One key is looked up in the same two places ([Files.Lookup]), where only the lines of the key are
// decoded; and what lies below a prefix ([Store.ScanBelow], and within an update), where only such
// lines are. A line of another key that was modified externally does not change that answer. A
// reader never reads index/: a foreign file there changes no answer.
//
// A record with nearly the same text, or one that names a file ([Store.Match]), is searched for in
// the sidecars of the state and in the log after it; without a state in the whole history, without
// sidecars, for a purge leaves none, in the bytes of the state for a name, and nowhere for near
// texts. The newest records of the keys found are then compared: so it may miss near texts, but
// returns nothing that was replaced, deleted or is hidden.
//
// A tombstone whose line is damaged counts where its checksum says which bit of it flipped. Else it
// deletes only versions that stand before it, are older by the time that it shows, and are in no
// state that was made from both; where that is in doubt the memory stays, and fsck names it.
//
// The lines of the state count as history where the whole history is folded, for all of them were
// in it once: an archive may not be at hand, a log be lost or cut. And its silence proves a
// deletion: a key that its checkpoint covers and it does not hold is not live, whatever became of
// the tombstone. The next writer appends to the log what only the state has, or proves; of a state
// that a program brought from another copy of the store every sealed line that the history lacks,
// but for what was purged.
//
// A reader whose watermark shows that the log has lost acknowledged lines answers from the rest,
// and warns of it ([Store.LogFault]).
//
// A log that has gained lines which are not newer than all before them was modified externally (a
// merge, an editor, a copied file), and then only the whole history decides.
//
// # Blobs
//
// artifacts/ has the bytes that artifacts are about: one file for each SHA-256, named by its 64
// hexadecimal digits, mode 0600, unchanged. It is truth as the log is, and nothing else has it.
// [Store.PutBlob] takes no lock: it writes a temporary file, syncs it, renames it, and syncs
// artifacts/ and the root, before anybody writes the envelope that names it (content.BlobOf). That
// writer checks within its update that the blob is there ([Store.OpenBlob]), for a purge or a
// repair may have taken it away since; both work under the lock. So a crash leaves a temporary file
// or a blob that no envelope names, and never an envelope without its blob. Damaged bytes are an
// error for their reader; the next PutBlob of the right ones replaces them, and they go to
// quarantine/. Blobs are in no index and no state: fsck checks them against the live artifacts.
//
// # The position in the checkpoint
//
//	ino      inode of log.jsonl
//	offset   bytes of it that the state covers
//	lines    lines in them
//	last     sum of the last of those lines
//	numbers  highest number of each counter in the whole history up to there (keypath.Counts)
//	archives name, size and sum of the last line of each archive that there was, and whether it
//	         was away when the state was folded
//	compared when the files of index/ were last compared, by the file system's clock
//
// A checkpoint without numbers, or with one above keypath.MaxCounted, is of an earlier mem: the
// history is read once for them.
//
// # After a crash
//
//   - Between append and watermark: the next writer puts into the index what lies behind it.
//   - Within the append: see package log.
//   - In the middle of a compaction (the generation is odd): state and checkpoint are written
//     anew.
//   - After a reboot, renames in index/ may be lost: the next writer replays the log from the
//     checkpoint, before which the whole tree was synced.
//   - A copied, shortened or externally modified log: the whole history is folded, the index made
//     equal to it by difference, state and checkpoint written.
//
// # A purge
//
// [Store.Erase] takes keys out of everything. It holds the store's lock from start to end, and the
// lock of compactions, whose drafts would have copies: the plan (purge.json) and the tombstones;
// the blobs of the artifacts among them, but for those that a live artifact is about too; files
// that are no history (files in index/ at no key's place, journals, quarantine/, what killed
// processes left), while the history still has the values to look for; the state, without sidecars;
// each archive; the live log; files that are no history once more; the proof; the plan. The
// generation is odd while state, archives and log are replaced. Readers take no lock: they see what
// they have open, or look again. Writers wait, and one that gives up names the purge.
//
// After a crash the plan is there: [Files.OpenWriter] does all of it again, from the tombstones on,
// before anything is written. Until then nothing is taken in as a copy of the keys, the tombstones
// hide their remains, no compaction begins, and an archive that was being replaced is not in
// the checkpoint's list. A failure on the way is as a crash.
//
// # Git
//
// Where git tracks log and archives ([Options].Shared), it replaces them with every checkout,
// merge, revert or reset, and what it takes away is to be gone. They alone are the history:
//
//	live = LWW( state.jsonl, log.jsonl from the checkpoint's offset )  where all fit
//	live = LWW( archive/*, log.jsonl )                                 else
//
// All fit where besides the rules above neither log nor archives changed after the watermark was
// written, by the file system's clock, and the archives are those that the checkpoint lists: after
// a checkout the inode may be an old one, and the last line the same. Else the next writer makes
// index, state and watermark anew. Nothing is taken in from state or index, and no sound file of
// the index is kept, for git has its line; a hand edit goes to quarantine/ as ever.
//
// Such a log is never moved to archive/, as docs/layers.md says; archives from before it was shared
// stay. A revert of a line that was moved there would revert nothing.
//
// # Kept
//
// An index file that is not mem's own is copied into quarantine/ before anything replaces it, be it
// a write of its key, a heal, a compaction or a repair. Where a line of the log cannot be read, or
// has no checksum, a sealed copy of its key and ts is taken from state or index ([CopySearch]).
// Where the log is gone or empty, or the very file that the watermark speaks of is shorter than it
// says, every line of the index that wins over the history is taken, if the file at its key's place
// has it to the byte. Another file in the place of the log may be a backup: it stays as it is.
package filestore
