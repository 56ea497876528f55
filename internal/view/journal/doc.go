// Package journal holds the private memories of an agent: a view above the Store. Its journal is
// for about a week, its core for good, and both are injected for that agent alone, in a block of
// their own at the beginning of its prompt.
//
// # Stored entries
//
// One envelope for each entry, and nothing else: there is no second log and no lock.
//
//	/agent/<id>/journal/<ulid>  {"type":"journal","text":TEXT,"created_at":TIME}
//	/agent/<id>/core/<ulid>     {"type":"core","text":TEXT,"created_at":TIME}
//
// The text has 1 to 10,000 characters (code points), white space at its ends left out. The id of an
// agent is 1 to 64 letters of ASCII, digits and _ . @ -, and case counts. Package policy decides
// which agent may read an entry, and that an agent deletes nothing. A crash leaves an entry whole
// or not at all.
//
// # Active entries
//
// All core entries are active, and the journal entries that are at most a week old: created_at >=
// now - 7 days, to the microsecond, so an entry is active at exactly a week, and no more one
// microsecond later. An entry of the future is active. This is computed at each read and never
// stored; an entry that is over stays where it is, is counted, listed and flagged, until a person
// deletes it.
//
// # The page
//
// Oldest first, dates in UTC; nothing at all where nothing is active:
//
//	# Your Private Memory
//
//	## Core Memories (permanent)
//	- <text>
//
//	## Recent Journal Entries
//	- [YYYY-MM-DD] <text>
//
// What follows the first line of a text is indented by two spaces, whatever character began the
// line, and what nobody sees becomes a space (readout.Lines). So no line of a text is taken for a
// heading, an entry or the end of a block. Of entries with one created_at the one stored first
// comes first.
package journal
