// Package seal keeps the content of a store unreadable for a reader of its files without the key:
// it seals texts and blobs with age (age-encryption.org/v1, filippo.io/age) and opens them again.
// It owns the key file and the form of sealed texts. Only the daemon links it; mem itself never
// does (arch_test.go), so sealed texts are opened in one place.
//
// # Key file
//
// A key file is what age-keygen writes: lines AGE-SECRET-KEY-1..., each an identity, and comments.
// The last identity is the newest. A text is sealed to it alone, and opened with any.
//
//	# created: 2026-11-22T10:00:00Z
//	# public key: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kudy6qs7smg4zg3
//	AGE-SECRET-KEY-1...
//
// It is refused if others may read or write it, if it is no regular file, and if it really lies in
// the memory, whatever links lead there: a copy of the memory would take its key along. Links to it
// are followed, as secrets of containers have them. A second hard link, and access lists, are not
// seen; where files have no modes (Windows), only their place is judged.
//
// Create makes a key file, Rotate adds an identity. The old ones stay, since nothing that was
// sealed is sealed anew: without them it is lost. A process that has loaded the file before goes on
// sealing to the identity that was the newest then.
//
// # Sealed texts and blobs
//
// A text becomes the standard base64, with padding and without line ends, of a binary age file: one
// string of JSON that needs no escape. A blob is the binary age file, as a stream.
//
// age authenticates each 64 KiB by themselves, and the end. So what [Keys.OpenFrom] returns has
// been read as a whole only at io.EOF; a file that was cut off fails there with [ErrDamaged], and
// so does one whose writer was not closed. Only the owner of an identity can tell whether a header
// is for it. So a header that was changed in its middle is [ErrNotOurs], as a foreign one is.
//
// Errors never quote a key file nor a sealed text.
//
// # After a crash
//
// Create leaves the file whole, or a part of it, which Load refuses and with which nothing was
// sealed yet; it is removed by hand. Rotate leaves the old file or the new one, whole, and may
// leave a temporary one (package disk) with the new identity, which nothing was sealed with: Load
// syncs what it has read before anybody seals. Two Rotates at once wait for each other, with an
// flock on the empty file beside the key file whose name ends in .lock and which stays: both
// identities are in the file in the end.
package seal
