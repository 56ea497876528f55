// Package jsonfile changes a JSON file that several processes share: it takes a lock, reads the
// file, changes the value and replaces the file.
//
// The lock is on a file of its own beside it, which is made once and never renamed or removed: a
// lock on the file itself would be on what a replacement leaves behind, and exclude nobody. The
// holder signs it, as package log has it, so that a caller that waits in vain can name the holder.
// A reader takes no lock: it finds one whole version of the file.
//
// # After a crash
//
// A killed process loses its lock. What else it leaves depends on the step:
//
//   - before the lock: nothing, or an empty lock file;
//   - with the lock, while it reads or changes the value: its name in the lock file, which counts
//     for nothing once the process has ended;
//   - while the new version is written: the old file, and a temporary one of any content beside it
//     (see package disk), to which nothing refers;
//   - after the rename: the new file. A power cut may still bring back the old one, whole, until
//     the directory is synced, which [File.Update] waits for.
//
// # Damage
//
// A file that is absent reads as the zero value. One that is not JSON, has another type, is larger
// than the limit, or is a link or a device gives an error, and an update returns it and changes
// nothing: the file may hold what a person can still save. Users of the package refuse a file of a
// later version in the same way, with their own message.
package jsonfile
