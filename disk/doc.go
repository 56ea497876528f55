// Package disk is the only way to the files of one memory root.
//
// It owns four rules that every other package would otherwise have to repeat:
//
//   - Nothing outside the root is ever reached. Every path goes through an [os.Root]; a symbolic link, a fifo, a device or a
//     directory where a file is expected is refused with [ErrIrregular] before it is opened, so a planted link
//     neither leads astray nor makes a caller hang.
//   - No file is opened with O_TRUNC, so no mistake in a name can empty a live file.
//   - A file that is replaced is written under a temporary name in the same directory (".tmp-" and hex digits: hidden from ls,
//     skipped by every walk, reported by fsck) and renamed over the old one. [Dir.Replace] is the durable form: the file
//     is synced before the rename and the directory after it. [Dir.Put] is the quick form for derived files.
//   - Every call that changes or reads the disk passes one hook ([SetHook]), nil outside tests, so that a test can fail or
//     kill the process at each of them in turn.
//
// # After a crash
//
// A crash before the rename of Replace or Put leaves a stray temporary file and the old content. After the rename
// and before the directory is synced, either content may be found after a power cut, each of them whole; Put promises only that
// much and no durability.
//
// Windows has no inode: [Ino] gives the creation time there, which a copy or a replaced file does not keep. Where no boot
// identity can be read, [BootID] is empty and callers must sync what they would otherwise rebuild after a reboot.
package disk
