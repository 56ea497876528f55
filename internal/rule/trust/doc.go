// Package trust keeps which .mem directories a person has let in, and which of their lines came
// from this person's own mem or were seen when trust was given. All of it is below
// $XDG_STATE_HOME/mem (default ~/.local/state/mem), outside of every repository.
//
// # Why
//
// A .mem comes with a clone, and what it says is told to a model. So it counts only where a person
// has let it in, by its real path and by a random id in it, which git never tracks: another clone
// at a path that was let in once has another id, or none, and a copy has another path. Of what lies
// in a store that is let in, a line is new whose identity is not known: other hands wrote it, and
// it came with a pull. People may see it, models are not told.
//
// $MEM_TRUST lists directories (absolute paths, separated as in $PATH; each a .mem, or what has
// it) that are let in as a whole, whatever their id and whatever came since, without a record: for
// containers and CI. An entry that is not absolute is left out, or "." would let in whatever one
// walks into.
//
// # Format
//
//	ROOT/id                         32 hex digits and a newline, mode 0600
//	STATE/mem/trust/HASH.json       {"path":...,"id":...,"since":...}, and a newline; HASH is the
//	                                first 32 hex digits of the SHA-256 of the path
//	STATE/mem/lines/ID              a known line each: the 64 hex digits of its identity
//
// The identity of a line is the SHA-256 of its key, its ts in the form of the log, its source and
// its content, each written as its length in bytes, ":", the bytes and ",", so that no two lines
// read the same. All 256 bits are kept: whoever can have a line seen and let in may look for two of
// one identity, and would find them among 128 bits.
//
// A record that is damaged, is not under the name of its path, or belongs to another user than this
// one or root, lets nothing in. The same goes for an id that is no plain file, or anything but its
// digits. STATE may be a symbolic link, for it is the person's own.
//
// # After a crash
//
// Grant writes the id and then the record, each durable and replaced by rename. Between the two the
// id has no record, so that nothing is let in, and the next Grant makes another; the same goes for
// two at once that leave the id of one and the record of the other. A record replaced leaves the
// lines of its former id for a moment, and a crash there for good: nothing refers to them. Revoke
// removes the record first, with the same outcome.
//
// Learn appends whole lines by one write and syncs nothing. What a crash takes of them is told
// again only after the person let the store in once more. A torn last line is closed by the next
// append and is no identity.
package trust
