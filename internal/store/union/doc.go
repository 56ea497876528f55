// Package union reads several stores as one: a backend over other backends, in an order in which
// the first that has a key shows it. It keeps nothing, so a crash leaves nothing of it, and it
// writes nothing: a write names one of the stores.
//
// # Reading
//
// The members are read as if their records lay in one store, with log.Record.Layer set to the layer
// that each is from. Of a key that two members have, the record of the earlier one hides the
// other's, unless it has expired. A tombstone hides nothing: it deletes in its own store.
//
// A record that a member's Without or Accept leaves out is in no answer but the history, and hides
// nothing: answers of Get and ScanBelow may go into a prompt, too. A key that a member shares
// (Member.Shares) hides nothing either: two stores give the same numbers to notes that have nothing
// to do with each other. History yields one member after the other, Versions those of all members,
// newest first.
//
// # Ranking
//
// Each member ranks its own records, and the rows are merged as they are asked for. Which records
// are hidden is asked of the earlier members for one row at a time (Snapshot.Has), so
// Ranking.Considered counts the hidden ones too: to know how many there are would take a walk over
// all keys of a store.
//
// What Select returns of each member is merged in its order.
//
// # Searching
//
// One score holds over all members. Each looks the query up; what they count is added up
// (fts.Stats) before any of them scores; the hits are merged, cut to the limit, held to one floor,
// and only then read. Hidden records count in the statistics, as what a condition leaves out does.
// Neighbors and folders stay within a member. Where the query finds more than 10,000 records in one
// member, or prefix* stands for more than 100 words in it, its best are chosen among its own.
package union
