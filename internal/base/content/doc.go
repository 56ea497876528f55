// Package content reads the few members of content that mem itself understands: type, summary,
// text, tags, importance, expired_at, timestamp, created_at, files, pinned, superseded_by and, of
// an artifact, sha256, and owns what they mean; and of a source the members that say where a memory
// is from ([Origin]). Content is the agent's own: a member of another type than expected counts as
// absent, and no shape of content is an error. Nothing is written here, so a crash leaves nothing.
//
//	importance   0..1 as written; above 1 it is divided by 10, to at most 1; 0.5 if absent.
//	             So 1 is 1.0, above 9; a write of a whole 1 is warned of
//	expired_at   ISO 8601, or seconds, or (past the year 5138) milliseconds since 1970; the memory
//	             expires strictly after it, compared as instants
//	timestamp    the time of the memory, else created_at, else the ts of its write, see
//	             [Fields.Time]; spelled as expired_at
//	references   an array of keys, or ids of memories, see [References]
//	message      the text of a conversation, if its content has no text; in the same way
//	             decision, finding and preference are the text of the type of their name
//	files        an array of objects with a path, of files that the memory is about, see [File];
//	             of a regular file also size, mtime (spelled as expired_at) and sha256
//	pinned       true: it is a rule, see package readout; "true" and 1 are not true
//	sha256       of an artifact alone: which file it is about, see [BlobOf]
//	superseded_by
//	             the key of the memory that has taken its place, as text: reads and hooks omit
//	             the older memory from then on, see [Successor]
package content
