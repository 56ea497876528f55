// Package parcel seals the bytes that machines exchange, so that their carriers cannot read
// them: it owns the key that one person's machines share, its file, and the form of sealed
// bytes. Only the daemon links it.
//
// # Key
//
// A key is 32 random bytes. For people it is "mem-sync-" and 16 groups of four characters of base32
// (RFC 4648, lower case): the key and the first eight bytes of its SHA-256, so that a slip of the
// pen is noticed. Case, blanks and missing hyphens are forgiven. A
// file has a key on each line, mode 0600: one, unless depots of other people's making were joined.
// It is replaced as a whole: a crash leaves the old one or the new one.
//
// # Sealed bytes
//
//	"mem-parcel 1\n", 24 bytes of nonce, the ciphertext of XChaCha20-Poly1305 with its tag
//
// The nonce is random; 2^80 parcels may be sealed with one key before two nonces are likely to be
// the same (draft-irtf-cfrg-xchacha). Associated data is the first line and the id of the place
// that they are for: a parcel of another place, a changed or a cut one does not open.
package parcel
