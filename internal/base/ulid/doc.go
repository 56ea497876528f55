// Package ulid makes ids that sort by the time at which they were made: 26 characters of
// Crockford's base 32, upper case, that are 48 bits of milliseconds since 1970 and 80 random bits.
// Nobody has to be asked for the next one, so several writers never give one id to two records.
//
// Within one process a [Maker] gives later ids that are greater, also in one millisecond: there it
// counts the random bits up. The package keeps nothing on disk, so a crash leaves nothing of it.
// What a key with such an id is, package keypath knows.
package ulid
