// Package index owns the tree that people browse: one file per live key, below ROOT/index/.
//
// The path is the key's (see package keypath):
// index/user/calendar/2026-02-23_10-00_牙科复诊@a1b2c3.json. The file holds the same envelope as the
// key's newest line in the log, indented. Without the white space it is that line to the byte,
// checksum included, so a file can be verified by itself.
//
// # Invariants
//
// The following holds whenever no writer is at work; fsck has one check for each. A breach loses
// nothing: the tree is derived, and a rebuild from the log repairs it.
//
//	I1  Every live key has its file.                       (missing)
//	I2  The file holds the key's newest envelope.          (stale, edited)
//	I3  There is no other file: none of a dead key, none at a path that is no key's. (foreign)
//	I4  There are no links, fifos or devices in the tree, and no empty directories.
//	I5  There are no temporary files.
//
// The write order is log, index, watermark; readers go the reverse way. So the index never holds
// what the log does not have on disk.
//
// # After a crash
//
// A file is written beside its place and renamed: a crash leaves the old or the new file, and
// perhaps a temporary one, which neither ls nor the walk shows as a memory. The watermark then lies
// behind the log, and the next writer writes or removes the files that differ. Renames are not
// synced; the watermark carries the boot id, and after a reboot the next writer replays everything
// since the checkpoint, when the whole tree was synced. On systems without a boot id every change
// is synced instead.
package index
