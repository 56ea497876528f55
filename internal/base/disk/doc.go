// Package disk is the only way to the files of one memory root.
//
// It owns four rules that every other package would otherwise have to repeat:
//
//   - Nothing outside the root is ever reached. Every path goes through an [os.Root]; a symbolic
//     link, a fifo, a device or a directory where a file is expected is refused with [ErrIrregular]
//     before it is opened, so a planted link neither leads astray nor makes a caller hang.
//   - No file is opened with O_TRUNC, so no mistake in a name can empty a live file.
//   - A file that is replaced is written under a temporary name in the same directory (".tmp-" and
//     16 hex digits: hidden from ls, skipped by every walk, reported by fsck) and renamed over the
//     old one. [Dir.WriteFile] does that in one step, [Dir.TempFile] and [Dir.Commit] in two,
//     without a sync, for files that can be rebuilt. [Dir.WriteFileSync], [Dir.TempFileSync] and
//     [Dir.CommitSync] are durable: they sync the file before the rename and the directory after
//     it.
//   - Every call that changes or reads the disk passes one hook ([SetHook]), nil outside tests, so
//     that a test can fail or kill the process at each of them in turn.
//
// # After a crash
//
// A crash before the rename leaves a stray temporary file and the old content. After the rename and
// before the directory is synced, a power cut may leave either content, whole. The forms without a
// sync promise only that, and that nothing is durable.
//
// Windows has no inode: [Ino] returns the creation time there, which a copy or a replaced file does
// not keep. If no boot identity can be read, [BootID] is empty and callers must sync what they
// would otherwise rebuild after a reboot.
package disk
