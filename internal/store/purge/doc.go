// Package purge removes bytes from an append-only history for good, and proves it: it owns
// purge.json, separates the lines of a segment that go from those that stay, and searches for
// remainders. Which file is replaced when, and under which lock, is package filestore's to say (see
// filestore.Store.Erase).
//
// # purge.json
//
// Written and synced before anything else happens, and removed last: while it is there, some of the
// store may still hold forgotten values, and the next writer finishes the work. It holds keys and a
// reason, but none of their values. A JSON object on one line, with a checksum as an envelope has
// it:
//
//	{"v":1,"horizon":TS,"keys":[KEY...],"tombstones":true,"source":{...},"lock":INODE,
//	 "seen":{KEY:TS...},"besides":{KEY:[TS...]...},"blobs":[SUM...],"checksum":"sha256:..."}
//
//	horizon     versions of the keys at or before it go; a later write stays
//	tombstones  whether the tombstones at the horizon stay, so that an old copy of the store
//	            cannot bring the keys back
//	source      of these tombstones; "purged":true in it marks them for ever (content.IsPurgeMark)
//	seen        the newest version of each key that goes, but at most a day ahead of the clock.
//	            Each tombstone has its own in its source: another copy purges up to that time
//	            (content.Takes), for what was written there later the purge has not seen
//	besides     the times of later versions that go, and of those from the future in whose place
//	            one came (content.Besides): the tombstone has them, too
//	marks       by the marks of other copies: the first times that stay; with besides
//	anew        by such marks goes a version that is newer than they: the state is made anew
//	lock        inode of the store's lock, which is never replaced: a plan that came with a copy
//	            of a store, or by git, is no order to delete
//	blobs       SHA-256 of the files that the artifacts among the keys are about, in all of their
//	            versions; absent where there are none. The process that finishes the work may
//	            find no line that names them
//	archives    in plans of earlier builds: archives that they replaced, each with its name
//
// # What goes
//
// A line whose key is one of the plan's and whose ts is not after the horizon ([Plan.Takes]), also
// one of which a bit has flipped; another damaged line that shows such a key, or that shows none
// and holds a value that goes and that no other key holds. A damaged line that shows another key
// belongs to that one and stays; of several that are joined, the sound ones of other keys are
// appended anew, and their other bytes quarantined. With the artifacts among the keys go the files
// that they are about, unless a live artifact is about the same bytes.
//
// # The proof
//
// [Values] are the strings and numbers of four bytes and more in content and source of the
// versions that go, without the names of members, and without common values: those of content's
// type, of its channel, sensitivity, status and the like where they are one of the few that mem
// knows, of source's kind, its name where that is mem's own ("mem note"), an agent's or that of the
// client of a prompt, and the session, agent and project in its locator. Each is looked for as it
// is, escaped as JSON does it (also in pure ASCII) and percent-encoded; and the checksum of each
// line that goes. A value in a line or file of another key belongs to that key
// ([Search.OtherPlaces], [Search.Owned]); a value that shows no key and is in other keys too is
// nobody's ([Search.Unclear]); anything else is a remainder ([Search.Remains]), and then nothing is
// proved. Values of less than four bytes are counted and not looked for, and a part of a value is
// not found. The bytes of a blob are no values: nobody looks for what of them stands elsewhere.
//
// Nothing here is kept in memory longer than the purge, and nothing but purge.json is written; its
// crash states are those of a file that is replaced by one rename.
package purge
